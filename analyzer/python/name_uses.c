#include "python/name_uses.h"

#include <string.h>

#define LINES_MAX                                                                                                      \
    2000 /* no longer function is looked through: what stands beyond is no use that is seen, so there is an answer of no */

/* A line of code; length 0: blank. */
struct row {
    struct word text; /* behind its indentation */
    size_t indent;
};

struct search {
    const struct source *code;
    struct word name;
    name_use *use;
    void *state;
    int32_t first, last; /* of the statement */
    size_t indent;       /* of it */
    int32_t begin, end;  /* of the function's body, or of the module: the last line, one behind */
    int32_t loop;        /* the outermost loop's header around the statement; 0: none */
};

static bool row_at(const struct source *code, int32_t number, struct row *row)
{
    size_t length = 0;
    const char *line = source_line(code, number, &length);
    if (line == NULL)
        return false;
    const char *end = line + length;
    const char *first = word_skip_blanks(line, end);
    while (end > first && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    *row = (struct row){.text = {first, (size_t)(end - first)}, .indent = (size_t)(first - line)};
    return true;
}

static bool begins(const struct row *row, const char *keyword)
{
    return word_is(word_name_at(row->text.text, row->text.text + row->text.length_bytes), keyword);
}

static bool is_definition(const struct row *row)
{
    bool is_async = row->text.length_bytes > 9 && memcmp(row->text.text, "async def", 9) == 0;
    return begins(row, "def") || is_async || begins(row, "class");
}

static bool is_loop(const struct row *row)
{
    bool is_async = row->text.length_bytes > 9 && memcmp(row->text.text, "async for", 9) == 0;
    return begins(row, "for") || begins(row, "while") || is_async;
}

/* "name = ...", "a, name = ...": not "name += ...", "name[0] = ..." */
static bool is_target(const struct row *row, struct word name, const char *mention)
{
    size_t length = 0;
    const char *sign = word_assignment(row->text, &length);
    if (sign == NULL || length != 1 || mention > sign)
        return false;
    for (const char *at = row->text.text; at < sign; at++)
        if (!word_char(*at) && *at != ',' && *at != ' ')
            return false;
    return word_next_mention(row->text, mention, name) == mention;
}

/* "for i, name in": in a loop's header or a comprehension. */
static bool is_loop_target(const struct row *row, const char *mention)
{
    const char *end = row->text.text + row->text.length_bytes, *last = NULL;
    for (const char *at = row->text.text; at < mention; at++) {
        struct word word = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        if (word_is(word, "for"))
            last = word.text;
        else if (word_is(word, "in") || (word.length_bytes == 0 && strchr(" ,()*", *at) == NULL))
            last = NULL;
        at += word.length_bytes > 0 ? word.length_bytes - 1 : 0;
    }
    return last != NULL;
}

/* Does the statement end with the row? */
static bool is_closed(const struct row *row)
{
    int depth = 0;
    for (size_t i = 0; i < row->text.length_bytes; i++) {
        depth += strchr("([{", row->text.text[i]) != NULL;
        depth -= strchr(")]}", row->text.text[i]) != NULL;
    }
    return depth == 0 && row->text.length_bytes > 0 && row->text.text[row->text.length_bytes - 1] != '\\';
}

/* False where a use says so. `*given`: the line gives the name another value. */
static bool visit_row(const struct search *search, const struct row *row, bool *given)
{
    *given = false;
    bool is_alone = memchr(row->text.text, ';', row->text.length_bytes) == NULL;
    if (is_alone && (begins(row, "del") || begins(row, "import") || begins(row, "from")))
        return true;
    for (const char *at = row->text.text; (at = word_next_mention(row->text, at, search->name)) != NULL;
         at += search->name.length_bytes) {
        if (is_target(row, search->name, at))
            *given = is_closed(row);
        else if (!is_loop_target(row, at) && !search->use(at, search->state))
            return false;
    }
    return true;
}

/* The line behind what is indented more than the one at `number`. */
static int32_t end_of(const struct source *code, int32_t number, size_t indent)
{
    struct row row;
    int32_t behind = number + 1;
    for (int32_t i = number + 1; row_at(code, i, &row); i++) {
        if (row.text.length_bytes == 0)
            continue;
        if (row.indent <= indent)
            break;
        behind = i + 1;
    }
    return behind;
}

/* "eval(x)": neither "model.eval()" nor a variable "vars". */
static bool calls_function(const struct row *row, const char *function)
{
    struct word name = {function, strlen(function)};
    const char *end = row->text.text + row->text.length_bytes;
    for (const char *at = row->text.text; (at = word_next_mention(row->text, at, name)) != NULL;
         at += name.length_bytes)
        if (at + name.length_bytes < end && at[name.length_bytes] == '(')
            return true;
    return false;
}

/* Do others see it, or see all that there is? */
static bool is_shared(const struct search *search)
{
    static const char *const all[] = {"locals", "eval", "exec", "vars"};
    struct row row;
    for (int32_t i = search->begin; i < search->end && row_at(search->code, i, &row); i++) {
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            if (calls_function(&row, all[k]))
                return true;
        if ((begins(&row, "global") || begins(&row, "nonlocal")) &&
            word_next_mention(row.text, row.text.text, search->name) != NULL)
            return true;
    }
    return false;
}

/* The function and the loops around the statement. False where others may see the name, or no end is within reach. */
static bool find_around(struct search *search)
{
    struct row row;
    if (!row_at(search->code, search->first, &row))
        return false;
    search->indent = row.indent;
    search->begin = 1;
    search->end = INT32_MAX;
    size_t indent = row.indent;
    for (int32_t i = search->first - 1; i > 0 && indent > 0; i--) {
        if (search->first - i > LINES_MAX)
            return false;
        row_at(search->code, i, &row);
        if (row.text.length_bytes == 0 || row.indent >= indent)
            continue;
        indent = row.indent;
        if (begins(&row, "class"))
            return false;
        if (is_definition(&row)) {
            search->begin = i + 1;
            search->end = end_of(search->code, i, row.indent);
            return !is_shared(search);
        }
        if (is_loop(&row))
            search->loop = i;
    }
    return true;
}

/* "def f(a, name=0):"; what a default takes ("a=name") is the value that is there. */
static bool is_parameter(const struct row *row, struct word name)
{
    struct word items[WORDS_MAX];
    const char *end = word_end(row->text), *open = memchr(row->text.text, '(', row->text.length_bytes);
    size_t count = open != NULL ? word_split(word_in_bracket(open, end), ',', items, WORDS_MAX) : 0;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (word_equal(word_name_at(items[i].text + strspn(items[i].text, "*"), word_end(items[i])), name))
            return true;
    return false;
}

/* Has a function within the function a variable of its own by that name? */
static bool is_own_name(const struct search *search, int32_t definition, int32_t end)
{
    struct row row;
    for (int32_t i = definition; i < end && row_at(search->code, i, &row); i++) {
        const char *mention = word_next_mention(row.text, row.text.text, search->name);
        if (i == definition && mention != NULL && word_next_mention(row.text, mention + 1, search->name) != NULL)
            return false; /* "name=name" */
        if (i > definition && (begins(&row, "nonlocal") || begins(&row, "global")) && mention != NULL)
            return false;
        if (mention != NULL &&
            (i == definition ? is_parameter(&row, search->name) : is_target(&row, search->name, mention)))
            return true;
    }
    return false;
}

static bool visit_definition(const struct search *search, int32_t definition, int32_t end)
{
    struct row row;
    bool given;
    if (row_at(search->code, definition, &row) && !begins(&row, "class") && is_own_name(search, definition, end))
        return true;
    for (int32_t i = definition; i < end && row_at(search->code, i, &row); i++)
        if (!visit_row(search, &row, &given))
            return false;
    return true;
}

/* "lambda x: name", "(name[i] for i in x)" */
static bool is_lazy(const struct row *row)
{
    return memmem(row->text.text, row->text.length_bytes, "lambda", 6) != NULL ||
           (!is_loop(row) && memmem(row->text.text, row->text.length_bytes, " for ", 5) != NULL);
}

/* Functions and lambdas see the value whenever they are called: those that stand above, too. */
static bool visit_closures(const struct search *search)
{
    struct row row;
    bool given;
    for (int32_t i = search->begin; i < search->end && row_at(search->code, i, &row); i++) {
        if (is_definition(&row)) {
            int32_t end = end_of(search->code, i, row.indent);
            if (!visit_definition(search, i, end))
                return false;
            i = end - 1;
        } else if (i < search->first && is_lazy(&row) && !visit_row(search, &row, &given)) {
            return false;
        }
    }
    return true;
}

/* Lines of functions within are visit_closures()'s. */
static int32_t skip_definition(const struct search *search, int32_t number, const struct row *row)
{
    return is_definition(row) ? end_of(search->code, number, row->indent) : number;
}

/* `*given`: from here on the name has another value, on every way that comes from the statement. */
static bool visit_below(const struct search *search, bool *given)
{
    struct row row;
    bool same_suite = true;
    for (int32_t i = search->last + 1; i < search->end && row_at(search->code, i, &row); i++) {
        if (row.text.length_bytes == 0)
            continue;
        int32_t behind = skip_definition(search, i, &row);
        if (behind > i) {
            i = behind - 1;
            continue;
        }
        same_suite = same_suite && row.indent >= search->indent;
        if (!visit_row(search, &row, given))
            return false;
        if (*given && same_suite && row.indent == search->indent)
            return true;
    }
    *given = false;
    return true;
}

/* Is all from line `number` on to the statement in the suite of that line, or within? */
static bool leads_to_statement(const struct search *search, int32_t number, size_t indent)
{
    struct row row;
    for (int32_t i = number + 1; i <= search->first && row_at(search->code, i, &row); i++)
        if (row.text.length_bytes > 0 && row.indent < indent)
            return false;
    return true;
}

/* A later round of the loop, down to the statement and what it takes itself. */
static bool visit_round(const struct search *search)
{
    struct row row;
    bool given;
    for (int32_t i = search->loop; i <= search->last && row_at(search->code, i, &row); i++) {
        int32_t behind = skip_definition(search, i, &row);
        if (behind > i) {
            i = behind - 1;
            continue;
        }
        if (!visit_row(search, &row, &given))
            return false;
        if (given && i < search->first && leads_to_statement(search, i, row.indent))
            return true;
    }
    return true;
}

bool name_uses_visit(const struct source *code, int32_t first, int32_t last, struct word name, name_use *use,
                     void *state)
{
    struct search search = {.code = code, .name = name, .use = use, .state = state, .first = first, .last = last};
    bool given = false;
    if (name.length_bytes == 0 || !find_around(&search) || !visit_closures(&search) || !visit_below(&search, &given))
        return false;
    return given || search.loop == 0 || visit_round(&search);
}
