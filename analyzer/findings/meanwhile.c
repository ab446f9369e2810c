#include "findings/meanwhile.h"

#include <ctype.h>
#include <string.h>

#include "findings/ways.h"
#include "model/source.h"
#include "python/code_facts.h"
#include "python/handed.h"
#include "python/origins.h"
#include "python/scope.h"
#include "python/suite.h"

#define STEPS_MAX 8u
#define ROWS_MAX 100

/* A statement on one of the ways. */
struct stretch {
    const struct source *code;
    struct word text;
    int32_t first, last;
    size_t indent;
};

/* The array that both calls name in one function, as its row `row` does; a row of 0: they do not. */
struct named {
    struct word buffer;
    int32_t row;
};

/* Calls of a text that may be the program's own, or change something in place ("add_"). */
static size_t count_calls(const struct source *code, struct word text)
{
    size_t count = 0;
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        const char *behind = word_skip_blanks(word_end(name), word_end(text));
        bool called = name.length_bytes > 0 && behind < word_end(text) && *behind == '(';
        size_t dot = called && name.text > text.text && name.text[-1] == '.';
        struct word call = {name.text - dot, dot + (size_t)(behind - name.text) + 1};
        count += called &&
                 (handed_calls_others(call) || code_defines(code, word_last_part(name)) || word_end(name)[-1] == '_');
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return count;
}

/* One statement in its rows, of which all is run once, from the beginning to the end? */
static bool is_straight(struct word text)
{
    static const char *const others[] = {"for",    "while", "with",  "try",    "def",      "class", "lambda",
                                         "yield",  "await", "if",    "else",   "elif",     "raise", "except",
                                         "import", "from",  "async", "global", "nonlocal", "del",   "assert",
                                         "match",  "case",  "and",   "or",     "finally"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (word_mentions(text, (struct word){others[i], strlen(others[i])}) > 0)
            return false;
    return memchr(text.text, ';', text.length_bytes) == NULL && memmem(text.text, text.length_bytes, ":=", 2) == NULL;
}

static bool statement_at(const struct source *code, int32_t row, struct stretch *stretch)
{
    stretch->code = code;
    stretch->first = row;
    return suite_statement(code, row, &stretch->text, &stretch->indent, &stretch->last);
}

/* The statement that a step stands in: nothing else of it may be the program's own. */
static bool statement_of(struct model *model, const struct ways_step *step, struct stretch *stretch)
{
    const struct source *code = source_code(model, step->file);
    int32_t first = 0, last = 0;
    return code->text != NULL && suite_rows(code, 1, step->row, &first, &last) && statement_at(code, first, stretch) &&
           is_straight(stretch->text) && count_calls(code, stretch->text) <= 1;
}

/* Of a docstring nothing but its quotes is left. */
static bool is_blank(struct word text)
{
    for (size_t i = 0; i < text.length_bytes; i++)
        if (!isspace((unsigned char)text.text[i]) && strchr("\"'", text.text[i]) == NULL)
            return false;
    return true;
}

/* Does the statement do nothing with any array at all? */
static bool is_idle(struct word text)
{
    static const char *const idle[] = {"pass", "return", "return None"};
    return is_blank(text) || WORD_IS_ONE_OF(text, idle);
}

/* Does it leave the array alone, by whatever name? */
static bool leaves(const struct stretch *stretch, const struct named *named)
{
    return named->row > 0 && is_straight(stretch->text) && count_calls(stretch->code, stretch->text) == 0 &&
           word_mentions(stretch->text, named->buffer) == 0 &&
           !origins_may_read(stretch->code, named->row, stretch->first, named->buffer);
}

/* All that stands from the one row up to the other, in one suite that is indented so. */
static bool are_still(const struct source *code, int32_t from, int32_t to, size_t indent, const struct named *named)
{
    struct stretch stretch;
    struct word text;
    size_t own = 0;
    if (to - from > ROWS_MAX)
        return false;
    for (int32_t row = from; row < to; row = stretch.last + 1) {
        stretch.last = row;
        if (!suite_row(code, row, &text, &own))
            return false;
        if (text.length_bytes == 0)
            continue;
        if (!statement_at(code, row, &stretch) || stretch.indent != indent ||
            (!is_idle(stretch.text) && !leaves(&stretch, named)))
            return false;
    }
    return true;
}

/* The row behind the last one of the suite below a header. */
static int32_t suite_end(const struct source *code, int32_t header)
{
    struct word text;
    size_t indent = 0, own = 0;
    int32_t end = header + 1;
    suite_row(code, header, &text, &indent);
    for (int32_t row = end; row - header <= ROWS_MAX && suite_row(code, row, &text, &own); row++) {
        if (text.length_bytes > 0 && own <= indent && strchr(")]}", *text.text) == NULL)
            return end;
        end = text.length_bytes > 0 ? row + 1 : end;
    }
    return end;
}

/* What a function of the first way does behind the step, or one of the second ahead of it. */
static bool rest_is_still(const struct stretch *stretch, bool ahead)
{
    static const struct named none = {{NULL, 0}, 0};
    struct stretch header;
    int32_t def = scope_function(stretch->code, stretch->first);
    if (def == 0 || scope_header(stretch->code, stretch->first) != def || !statement_at(stretch->code, def, &header))
        return false;
    return ahead ? are_still(stretch->code, header.last + 1, stretch->first, stretch->indent, &none)
                 : are_still(stretch->code, stretch->last + 1, suite_end(stretch->code, def), stretch->indent, &none);
}

/* "for i in range(n):" and "while n < 9:": nothing that the loop takes its values from is run with each round. */
static bool is_plain_loop(const struct source *code, int32_t row)
{
    static const char *const counting[] = {"range", "len"};
    struct stretch header;
    if (row == 0 || !statement_at(code, row, &header))
        return false;
    struct word first = word_name_at(header.text.text, word_end(header.text));
    if (!word_is(first, "while") && !word_is(first, "for"))
        return false;
    const char *in = memmem(header.text.text, header.text.length_bytes, " in ", 4);
    if (word_is(first, "for") && (in == NULL || memcmp(in + 4, "range(", 6) != 0))
        return false;
    for (const char *at = header.text.text; at < word_end(header.text);) {
        struct word name = word_name_at(at, word_end(header.text));
        bool called = word_end(name) < word_end(header.text) && *word_end(name) == '(' && name.length_bytes > 0;
        if (called && !WORD_IS_ONE_OF(name, counting) && !word_is(name, "in"))
            return false;
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return true;
}

/* From the first to the second, where their ways part. */
static enum meanwhile between(const struct stretch *first, const struct stretch *second, const struct named *named)
{
    int32_t header = scope_header(first->code, first->first);
    if (first->code != second->code || first->first == second->first ||
        header != scope_header(second->code, second->first) || first->indent != second->indent)
        return MEANWHILE_OPEN;
    if (first->first < second->first)
        return are_still(first->code, first->last + 1, second->first, first->indent, named) ? MEANWHILE_STILL
                                                                                            : MEANWHILE_OPEN;
    bool is_still = is_plain_loop(first->code, header) &&
                    are_still(first->code, first->last + 1, suite_end(first->code, header), first->indent, named) &&
                    are_still(first->code, header + 1, second->first, first->indent, named);
    return is_still ? MEANWHILE_ROUND : MEANWHILE_OPEN;
}

static bool read_way(struct model *model, const struct ways_step *steps, size_t count, bool ahead,
                     struct stretch *parting)
{
    struct stretch inner;
    if (count == 0 || count > STEPS_MAX || !statement_of(model, &steps[0], parting))
        return false;
    for (size_t i = 1; i < count; i++)
        if (!statement_of(model, &steps[i], &inner) || !rest_is_still(&inner, ahead))
            return false;
    return true;
}

enum meanwhile meanwhile_of(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node,
                            struct word buffer)
{
    struct ways_step of_first[STEPS_MAX], of_second[STEPS_MAX];
    struct stretch first, second;
    size_t first_count = ways_behind(model, process, first_node, second_node, of_first, STEPS_MAX);
    size_t second_count = ways_behind(model, process, second_node, first_node, of_second, STEPS_MAX);
    if (!read_way(model, of_first, first_count, false, &first) ||
        !read_way(model, of_second, second_count, true, &second))
        return MEANWHILE_OPEN;
    bool is_named = first_count == 1 && second_count == 1 && buffer.length_bytes > 0;
    struct named named = {buffer, is_named ? first.first : 0};
    return between(&first, &second, &named);
}
