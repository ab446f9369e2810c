#include "python/while_count.h"

/* How far a statement that has a line of its own is indented. */
static size_t column_of(struct word body, struct word statement)
{
    const char *at = word_skip_blanks(statement.text, word_end(statement)), *line = at;
    while (line > body.text && (line[-1] == ' ' || line[-1] == '\t'))
        line--;
    return line > body.text && line[-1] == '\n' ? (size_t)(at - line) : SIZE_MAX;
}

/* Is "counter += 1" a statement of the body's own suite? Not one below an "if". */
static bool is_counted(struct word body, struct word counter)
{
    struct word rest = body, statement;
    size_t column = SIZE_MAX, length = 0;
    while (word_next_statement(&rest, &statement)) {
        column = column == SIZE_MAX ? column_of(body, statement) : column;
        const char *sign = word_assignment(statement, &length);
        if (sign != NULL && length == 2 && *sign == '+' && word_equal(word_trimmed(statement.text, sign), counter) &&
            word_is(word_trimmed(sign + 2, word_end(statement)), "1"))
            return column != SIZE_MAX && column_of(body, statement) == column;
    }
    return false;
}

bool while_count_read(struct word header, struct word body, struct while_count *count)
{
    static const char keyword[] = "while";
    const char *end = word_end(header), *at = word_skip_blanks(header.text, end);
    struct word function, of;
    if (!word_is(word_name_at(at, end), keyword) || end[-1] != ':')
        return false;
    count->counter = word_name_at(word_skip_blanks(at + sizeof(keyword) - 1, end), end);
    at = word_skip_blanks(word_end(count->counter), end);
    if (count->counter.length_bytes == 0 || at == end || *at != '<' || !is_counted(body, count->counter))
        return false;
    count->limit = word_trimmed(at + 1, end - 1);
    if (word_call(count->limit, &function, &of) && word_is(function, "len"))
        count->limit.length_bytes = 0;
    return word_equal(word_name_at(count->limit.text, word_end(count->limit)), count->limit);
}
