#include "findings/taken_again.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"
#include "python/carried.h"
#include "python/code_facts.h"
#include "python/fresh.h"
#include "python/given.h"
#include "python/operation.h"
#include "python/scope.h"
#include "python/suite.h"
#include "python/words.h"

#define UNLINKED_MOST 1u /* the last may have none to be held against */

static uint32_t frame_of(const struct site *site)
{
    return model_node(site->process, site->record->node)->python;
}

static bool are_of_one_execution(const struct site *first, const struct site *second)
{
    const struct db_node *one = run_record(first->process->run, DB_KIND_NODE, frame_of(first)),
                         *other = run_record(second->process->run, DB_KIND_NODE, frame_of(second));
    return first->process == second->process && one != NULL && other != NULL && one->parent == other->parent &&
           one->value >> 32 == other->value >> 32;
}

static bool is_stored_over(const struct site *site)
{
    return site->record->unlike >> DB_OVERWRITTEN_SHIFT != 0;
}

static bool is_changed(struct word rows, struct word name)
{
    struct carried carried = {.stored = false};
    carried_read(&carried, rows, name);
    return carried.stored || carried.augmented || carried.given;
}

/* Of all names in the text. */
static bool are_changed(struct word rows, struct word text)
{
    for (const char *at = text.text, *end = word_end(text); at < end;) {
        struct word name = word_name_at(at, end);
        if (name.length_bytes > 0 && !isdigit((unsigned char)*name.text) && is_changed(rows, name))
            return true;
        at += name.length_bytes > 0 ? name.length_bytes : 1;
    }
    return false;
}

/* One of NumPy's, PyTorch's or a generator's. */
static bool is_of_module(struct word function)
{
    static const char *const modules[] = {"np", "numpy", "torch", "math", "F", "functional", "rng", "random"};
    return word_last_part(function).text != function.text && WORD_IS_ONE_OF(word_first_part(function), modules);
}

/* "np.copyto(x, y)" with nothing that takes a result: it is there to store. */
static bool is_store_by_call(struct word statement)
{
    statement = word_trimmed(statement.text, word_end(statement));
    struct word function = word_name_at(statement.text, word_end(statement));
    return word_end(function) < word_end(statement) && *word_end(function) == '(' && is_of_module(function);
}

/* A call that changes none of what the program has where its result is taken: of modules, Python's own, arrays' methods. */
static bool is_plain_call(struct word function)
{
    static const char *const builtins[] = {"len", "range", "int",   "float", "abs",  "min",
                                           "max", "sum",   "print", "zip",   "round"};
    static const char *const methods[] = {
        "sum",   "mean",  "max",  "min",       "argmax", "argmin", "std",     "var",       "dot",   "reshape",
        "view",  "clone", "copy", "item",      "any",    "all",    "astype",  "float",     "long",  "flatten",
        "ravel", "abs",   "exp",  "log",       "sqrt",   "square", "pow",     "clip",      "clamp", "matmul",
        "mm",    "norm",  "t",    "transpose", "detach", "numpy",  "squeeze", "unsqueeze", "tanh",  "sigmoid"};
    struct word last = word_last_part(function);
    return is_of_module(function) || WORD_IS_ONE_OF(last, methods) ||
           (last.text == function.text && WORD_IS_ONE_OF(function, builtins));
}

/* "z = x @ w": memory of its own, whatever is added to it. */
static bool is_made_new(struct word value)
{
    struct word function, arguments;
    struct operation operation = operation_of(value.text, value.length_bytes);
    return operation.kind == OPERATOR ||
           (word_call(value, &function, &arguments) && fresh_is_call(function, arguments));
}

static bool is_own_memory(const struct source *code, struct word name)
{
    struct given given;
    const int32_t def = scope_function(code, code_row(code, name.text));
    if (def > 0)
        given_in_function(code, def, name, &given);
    else
        given_in_module(code, name, &given);
    for (size_t i = 0; i < given.count; i++)
        if (!is_made_new(given.values[i]))
            return false;
    return given.count > 0; /* "open" by what is added to it */
}

/* Calls in a text that is no assignment: of one whose result is given a name, it is the result that is asked for. */
static bool has_plain_calls(struct word text)
{
    for (const char *at = text.text, *end = word_end(text); at < end;) {
        struct word name = word_name_at(at, end);
        const char *behind = name.length_bytes > 0 ? word_end(name) : at + 1;
        bool is_call = name.length_bytes > 0 && behind < end && *behind == '(';
        if (is_call && !word_is_keyword(name) && !is_plain_call(name))
            return false;
        if (*at == ')' && behind < end && *behind == '(') /* what a call gives is called */
            return false;
        at = behind;
    }
    return true;
}

/* Does nothing in the rows store into a part of anything, add to what a name stands for, or run what is there to do so? */
static bool are_plain(const struct source *code, struct word rows)
{
    struct word statement;
    while (word_next_statement(&rows, &statement)) {
        size_t length = 0;
        const char *sign = word_assignment(statement, &length);
        struct word target = {statement.text, sign != NULL ? (size_t)(sign - statement.text) : 0};
        target = word_trimmed(target.text, word_end(target));
        if ((length > 1 && !is_own_memory(code, target)) || memchr(target.text, '[', target.length_bytes) != NULL ||
            memchr(target.text, '.', target.length_bytes) != NULL ||
            memmem(statement.text, statement.length_bytes, "with ", 5) != NULL)
            return false;
        if (sign == NULL && (is_store_by_call(statement) || !has_plain_calls(statement)))
            return false;
    }
    return true;
}

/* Are their contents compared whole, all of them? */
static bool are_known_whole(const struct site *site)
{
    const uint32_t beyond = site->process->run->record->engines[DB_ENGINE_REPLICA].sampled_beyond_bytes;
    return beyond == 0 || site->record->size_bytes <= beyond;
}

/* By the statements from that of the first on to that of the second, which itself stores behind both. */
static bool are_changed_between(const struct source *code, struct word first, struct word second, bool is_whole)
{
    struct word from, to;
    int32_t row;
    if (!suite_statement_at(code, first.text, &from, &row) || !suite_statement_at(code, second.text, &to, &row))
        return true;
    if (to.text <= from.text)
        return false;
    struct word between = {from.text, (size_t)(to.text - from.text)};
    return are_changed(between, first) || (!is_whole && !are_plain(code, between));
}

static struct word subscript_of(struct model *model, const struct site *site, const struct source **code)
{
    struct word text = {0};
    if (operation_at(model, site->process, frame_of(site)).kind == OPERATION_SUBSCRIPT)
        text.text = operation_code(model, site->process, frame_of(site), &text.length_bytes, code);
    return text;
}

bool site_is_taken_again(struct model *model, const struct site *first, const struct site *second)
{
    const struct source *code = NULL, *second_code = NULL;
    if (!are_of_one_execution(first, second) || is_stored_over(first) || is_stored_over(second) ||
        second->linked + UNLINKED_MOST < second->record->examined)
        return false;
    struct word one = subscript_of(model, first, &code), other = subscript_of(model, second, &second_code);
    return one.text != NULL && other.text != NULL && code == second_code && word_equal(one, other) &&
           word_end(one) <= other.text && !are_changed_between(code, one, other, are_known_whole(second));
}
