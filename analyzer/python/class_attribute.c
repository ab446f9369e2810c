#include "python/class_attribute.h"

#include <string.h>

#include "python/attribute.h"
#include "python/code_facts.h"
#include "python/scope.h"

struct word class_around(const struct source *code, int32_t row)
{
    size_t own = 0, indent = 0;
    code_row_text(code, row, &own);
    while (--row > 0) {
        struct word text = code_row_text(code, row, &indent), keyword = word_name_at(text.text, word_end(text));
        if (text.length_bytes == 0 || indent >= own)
            continue;
        if (!word_is(keyword, "class"))
            break;
        struct word rest = word_trimmed(word_end(keyword), word_end(text));
        return word_name_at(rest.text, word_end(rest));
    }
    return (struct word){code->text, 0};
}

static struct word first_word(struct word statement)
{
    return word_name_at(statement.text, word_end(statement));
}

/* "class Name" of "class Name(Base):" */
static bool is_header(struct word statement, struct word class_name)
{
    const char *at = word_skip_blanks(statement.text + strlen("class"), word_end(statement));
    return word_is(first_word(statement), "class") && word_equal(word_name_at(at, word_end(statement)), class_name);
}

/* Without bases, or with such as give attributes by no other way than a statement. */
static bool has_plain_bases(struct word header)
{
    static const char *const plain[] = {"object", "ABC", "abc.ABC", "nn.Module", "torch.nn.Module"};
    struct word bases[WORDS_MAX];
    const char *open = memchr(header.text, '(', header.length_bytes);
    size_t count = open != NULL ? word_split(word_in_bracket(open, word_end(header)), ',', bases, WORDS_MAX) : 0;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (bases[i].length_bytes > 0 && !WORD_IS_ONE_OF(bases[i], plain))
            return false;
    return count != SIZE_MAX;
}

bool class_is_plain(const struct source *code, struct word class_name)
{
    struct word rest = code_text(code), statement;
    size_t count = 0;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        if (!is_header(statement, class_name))
            continue;
        if (!has_plain_bases(statement))
            return false;
        count++;
    }
    return count == 1;
}

static bool add(struct class_values *values, struct class_value value)
{
    if (values->count == CLASS_VALUES_MAX)
        return false;
    values->values[values->count++] = value;
    return true;
}

bool class_attribute_given(const struct source *code, struct word class_name, struct word attribute,
                           struct class_values *values)
{
    struct given given;
    for (int32_t row = 1; (size_t)row <= code->line_count; row++) {
        if (code_name_of(code, row).length_bytes == 0 || !word_equal(class_around(code, row), class_name))
            continue;
        given_in_function(code, row, attribute, &given);
        if (given.open)
            return false;
        for (size_t i = 0; i < given.count; i++)
            if (!add(values, (struct class_value){code, given.values[i], row}))
                return false;
    }
    return true;
}

/* What stands where a statement gives something a value: before "=", between "for" and "in", behind "as" or "del". */
static struct word targets_of(struct word statement)
{
    struct word first = first_word(word_without_async(statement));
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    if (sign != NULL)
        return word_trimmed(statement.text, sign);
    bool may = word_is(first, "for") || word_is(first, "with") || word_is(first, "del");
    return may ? statement : (struct word){statement.text, 0};
}

bool class_attribute_is_reached(const struct source *code, struct word attribute)
{
    static const char *const by_name[] = {"setattr", "__setattr__", "__dict__", "vars", "exec", "partial"};
    struct word rest = code_text(code), statement, dotted;
    for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++)
        if (word_find(rest, rest.text, (struct word){by_name[i], strlen(by_name[i])}) != NULL)
            return true;
    while (word_next_statement(&rest, &statement)) {
        struct word targets = targets_of(word_trimmed(statement.text, word_end(statement)));
        for (const char *at = targets.text; attribute_next(targets, &at, attribute, &dotted);)
            if (!word_is((struct word){dotted.text, dotted.length_bytes - attribute.length_bytes}, "self."))
                return true;
    }
    return false;
}

bool class_calls(const struct source *code, struct word class_name, struct class_values *calls)
{
    struct word rest = code_text(code), statement;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        struct word first = first_word(statement);
        for (const char *at = statement.text; (at = word_find(statement, at, class_name)) != NULL; at++) {
            const char *behind = word_skip_blanks(at + class_name.length_bytes, word_end(statement));
            bool is_end = behind == word_end(statement);
            struct class_value call = {code, {0}, scope_function(code, code_row(code, at))};
            if (is_header(statement, class_name) && at == word_find(statement, statement.text, class_name))
                continue;
            if (word_is(first, "from") && (is_end || *behind == ',' || *behind == ')'))
                continue;
            if (is_end || *behind != '(' || word_is(first, "class") || word_is(first, "def"))
                return false;
            call.text = word_in_bracket(behind, code->text + code->length_bytes);
            if (!add(calls, call))
                return false;
        }
    }
    return true;
}
