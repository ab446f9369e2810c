#include "python/formula.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/code_facts.h"
#include "python/given.h"
#include "python/handed.h"
#include "python/loop_uses.h"
#include "python/only_makes.h"
#include "python/region.h"
#include "python/suite.h"

#define ROWS_MAX 12
#define BYTES_MAX 2000u
#define LOOKED_FOR_MAX 16u /* functions that it calls, and these: each is looked for through the file */

static bool has_word(struct word text, const char *word)
{
    return word_mentions(text, (struct word){word, strlen(word)}) > 0;
}

static bool has_text(struct word text, const char *piece)
{
    return memmem(text.text, text.length_bytes, piece, strlen(piece)) != NULL;
}

/* More than one value goes through it, or what it gives is not told by what it is handed. */
static bool does_more(struct word text)
{
    static const char *const words[] = {"for", "while", "with", "try", "class", "import", "next"};
    static const char *const pieces[] = {"rand",      "rng",     ".pop(",    ".append(", ".extend(",     ".add(",
                                         ".discard(", ".write(", ".update(", "out=",     ".setdefault(", ":="};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (has_word(text, words[i]))
            return true;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
        if (has_text(text, pieces[i]))
            return true;
    return false;
}

int32_t formula_definition(const struct source *code, struct word function)
{
    struct word root = word_first_part(function), last = word_last_part(function);
    bool is_method = word_is(root, "self") && word_end(root) + 1 == last.text;
    return is_method ? code_definition(code, last) : code_function_run(code, function);
}

/* Of `text`, the formula's, what is neither handed in nor its own. `def` 0: of a lambda, whose own names are taken for others'. */
static bool add_outer(struct formula *formula, const struct source *code, int32_t def, struct word text)
{
    struct loop_uses *uses = memory_zeroed(1, sizeof(*uses));
    loop_uses_read(uses, text, 0, false, false);
    for (size_t i = 0; i < uses->count; i++) {
        struct word root = word_first_part(uses->uses[i].name);
        struct parameter parameter;
        bool is_object = word_is(root, "self") || word_is(root, "cls");
        bool is_handed = def > 0 && !is_object && given_parameter(code, def, root, &parameter);
        if (!uses->uses[i].called && !is_handed && !(def > 0 && code_gives(code, def, root)))
            words_add(&formula->outer, word_last_part(uses->uses[i].name));
    }
    bool has_room = !uses->full && formula->outer.count < WORDS_MAX;
    free(uses);
    return has_room;
}

static struct formula read_function(const struct source *code, int32_t def, unsigned *left);

/* Of what the text calls: all that may be the program's own must be formulas. */
static bool add_called(struct formula *formula, const struct source *code, struct word text, unsigned *left)
{
    struct word function;
    while (handed_next_other(&text, &function)) {
        if (*left == 0)
            return false;
        (*left)--;
        struct formula called = read_function(code, formula_definition(code, function), left);
        if (!called.is_one)
            return false;
        for (size_t i = 0; i < called.outer.count; i++)
            words_add(&formula->outer, called.outer.words[i]);
        formula->chooses = formula->chooses || called.chooses;
        formula->uses_math = formula->uses_math || called.uses_math;
    }
    return true;
}

/* "s = self.state; s[0] += v", "s += v": what a name of its own stands for may be somebody else's. */
static bool stores_in_place(struct word text)
{
    struct word statement;
    while (word_next_statement(&text, &statement)) {
        size_t length = 0;
        const char *sign = word_assignment(statement, &length);
        struct word targets = sign != NULL ? word_trimmed(statement.text, sign) : (struct word){statement.text, 0};
        if (sign != NULL && (length > 1 || memchr(targets.text, '[', targets.length_bytes) != NULL ||
                             memchr(targets.text, '.', targets.length_bytes) != NULL))
            return true;
    }
    return false;
}

static bool has_one_of(struct word text, const char *signs)
{
    for (const char *at = text.text; at < word_end(text); at++)
        if (*at != '\0' && strchr(signs, *at) != NULL)
            return true;
    return false;
}

static struct formula read_text(const struct source *code, int32_t def, struct word text, unsigned *left)
{
    bool computes = has_one_of(text, "+-*/%<>") || has_word(text, "max") || has_word(text, "min");
    struct formula formula = {.computes = computes && !has_one_of(text, "["),
                              .chooses = has_word(text, "if"),
                              .uses_math = has_text(text, "math.")};
    formula.is_one = text.length_bytes <= BYTES_MAX && !does_more(text) && !stores_in_place(text) &&
                     add_called(&formula, code, text, left) && add_outer(&formula, code, def, text);
    return formula;
}

/* `left`: so many functions may be looked for yet, which bounds the recursion, too. */
static struct formula read_function(const struct source *code, int32_t def, unsigned *left)
{
    struct region_span span = region_function(code, def);
    if (def <= 0 || span.last - span.first >= ROWS_MAX || !function_only_makes(code, def))
        return (struct formula){0};
    struct word rows = region_rows(&span), name = code_name_of(code, def), header = rows, body;
    const char *own = word_find(rows, rows.text, name);
    if (own == NULL || word_find(rows, own + 1, name) != NULL || !word_next_statement(&header, &body))
        return (struct formula){0};
    return read_text(code, def, header, left); /* what follows the header */
}

struct formula formula_read(const struct source *code, int32_t def)
{
    unsigned left = LOOKED_FOR_MAX;
    return read_function(code, def, &left);
}

struct word formula_lambda_name(const struct source *code, int32_t row)
{
    struct word text, target, value, none = {"", 0};
    size_t indent = 0;
    if (!suite_row(code, row, &text, &indent) || !word_assigned(text, &target, &value))
        return none;
    bool is_named = word_equal(word_name_at(target.text, word_end(target)), target) &&
                    word_is(word_name_at(value.text, word_end(value)), "lambda");
    return is_named ? word_last_part(target) : none;
}

/* "lambda v: v + 1" of a text that begins with it and goes on: "lambda v: v + 1, otypes=[float])". */
static struct word lambda_of(struct word text)
{
    const char *at = text.text, *end = word_end(text);
    bool in_body = false;
    for (size_t depth = 0; at < end; at++) {
        const char *behind = word_skip_quiet(at, end);
        bool closes = strchr(")]}", *at) != NULL && *at != '\0';
        if (depth == 0 && (closes || (*at == ',' && in_body)))
            break;
        in_body = in_body || (depth == 0 && *at == ':');
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= closes;
        at = behind > at ? behind - 1 : at;
    }
    return (struct word){text.text, (size_t)(at - text.text)};
}

struct formula formula_read_lambda(const struct source *code, int32_t row)
{
    struct word text;
    size_t indent = 0;
    unsigned left = LOOKED_FOR_MAX;
    if (!suite_row(code, row, &text, &indent))
        return (struct formula){0};
    const char *lambda = word_find(text, text.text, (struct word){"lambda", strlen("lambda")});
    return lambda != NULL
               ? read_text(code, 0, lambda_of((struct word){lambda, (size_t)(word_end(text) - lambda)}), &left)
               : (struct formula){0};
}
