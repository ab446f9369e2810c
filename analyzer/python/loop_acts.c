#include "python/loop_acts.h"

#include <string.h>

#include "python/draws.h"
#include "python/formula.h"
#include "python/handed.h"

/* "break", "return value": the rounds behind it are not to be run. "while ...:" has as many as data say. */
static bool ends_loop(struct word statement)
{
    const char *end = statement.text + statement.length_bytes, *at = word_skip_blanks(statement.text, end);
    struct word name = word_name_at(at, end);
    return word_is(name, "break") || word_is(name, "return") || word_is(name, "yield") || word_is(name, "raise") ||
           word_is(name, "while") || word_is(name, "del");
}

/* "file.write(x[i])", a call for what it does; what NumPy and PyTorch do is known, and what is appended is a result. */
static bool is_action(struct word statement)
{
    static const char *const arrays[] = {"np.", "numpy.", "torch."};
    const char *end = statement.text + statement.length_bytes, *at = word_skip_blanks(statement.text, end);
    struct word name = word_name_at(at, end);
    at = word_skip_blanks(name.text + name.length_bytes, end);
    if (name.length_bytes == 0 || word_is_keyword(name) || at == end || *at != '(')
        return false;
    struct word arguments = word_in_bracket(at, end);
    at = word_skip_blanks(arguments.text + arguments.length_bytes + (arguments.text + arguments.length_bytes < end),
                          end);
    if (at < end && *at != '#')
        return false;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        if (name.length_bytes > strlen(arrays[i]) && memcmp(name.text, arrays[i], strlen(arrays[i])) == 0)
            return false;
    return name.length_bytes < 7 || memcmp(name.text + name.length_bytes - 7, ".append", 7) != 0;
}

/* Draws come one after the other, and a heap is another after each call: no call on the whole does the same. */
static bool calls_state(struct word statement)
{
    static const char *const modules[] = {"heapq.", "bisect.", "random."};
    const char *end = word_end(statement);
    for (const char *at = statement.text; at < end;) {
        struct word name = word_name_at(at, end);
        bool called = name.length_bytes > 0 && word_end(name) < end && *word_end(name) == '(';
        for (size_t i = 0; called && i < sizeof(modules) / sizeof(modules[0]); i++)
            if (name.length_bytes > strlen(modules[i]) && memcmp(name.text, modules[i], strlen(modules[i])) == 0)
                return true;
        if (called && draws_by_name(name))
            return true;
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return false;
}

bool loop_calls_add(struct loop_calls *calls, const struct source *code, struct word statement)
{
    struct word function;
    bool are_formulas = true;
    while (handed_next_other(&statement, &function)) {
        if (words_have(&calls->formulas, function))
            continue;
        bool is_known = words_have(&calls->others, function) || calls->others.count == WORDS_MAX ||
                        calls->formulas.count == WORDS_MAX;
        struct formula formula = {0};
        if (!is_known)
            formula = formula_read(code, formula_definition(code, function));
        words_add(formula.is_one ? &calls->formulas : &calls->others, function);
        for (size_t i = 0; formula.is_one && i < formula.outer.count; i++)
            words_add(&calls->outer, formula.outer.words[i]);
        are_formulas = are_formulas && formula.is_one;
    }
    return are_formulas;
}

bool loop_acts(struct word statement)
{
    return ends_loop(statement) || is_action(statement) || calls_state(statement);
}
