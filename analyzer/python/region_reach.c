#include "python/region_reach.h"

#include <string.h>

#include "base/memory.h"
#include "python/code_facts.h"
#include "python/given.h"

static void add_span(struct region *region, struct region_span span)
{
    region->spans = memory_grow(region->spans, region->count, &region->capacity, sizeof(*region->spans));
    region->spans[region->count++] = span;
    region->fact_count = 0;
    region->are_acts_known = false;
}

void region_begin(struct region *region, struct region_span loop)
{
    *region = (struct region){.loop = loop};
    loop.seen = true;
    add_span(region, loop);
}

static bool holds_function(const struct region *region, const struct source *code, int32_t def)
{
    for (size_t i = 0; i < region->count; i++)
        if (region->spans[i].code == code && region->spans[i].first == def && region->spans[i].def == def)
            return true;
    return false;
}

void region_add_function(struct region *region, const struct source *code, int32_t def)
{
    struct region_span span = region_function(code, def);
    span.seen = true;
    for (size_t i = 0; i < region->count; i++)
        if (region->spans[i].code == code && region->spans[i].first == def && region->spans[i].def == def) {
            region->spans[i].seen = true;
            return;
        }
    add_span(region, span);
}

static void add_found(struct region *region, const struct code_index *code, const struct code_function *function)
{
    struct region_span span = {code->code, function->def, function->def, function->last, function->seen};
    if (!holds_function(region, code->code, function->def))
        add_span(region, span);
}

/* What Python calls by no name that is told. */
static bool is_run_unnamed(struct word name)
{
    static const char *const methods[] = {"forward",   "__call__", "__getitem__", "__next__", "__iter__", "__len__",
                                          "__enter__", "__exit__", "__float__",   "__int__",  "__bool__", "__array__",
                                          "__lt__",    "__gt__",   "__aenter__",  "__aexit__"};
    return WORD_IS_ONE_OF(name, methods);
}

static bool holds(struct word text, const char *wanted)
{
    return memmem(text.text, text.length_bytes, wanted, strlen(wanted)) != NULL;
}

/* "@trainer.on" above a function: handed to an object, which may call it. */
static bool is_handed_over(const struct code_index *code, int32_t def)
{
    size_t indent = 0;
    for (int32_t row = def - 1; row > 0; row--) {
        struct word text = code_row_text(code->code, row, &indent);
        if (text.length_bytes == 0 || *text.text != '@')
            return false;
        struct word name = word_name_at(text.text + 1, word_end(text)), first = word_first_part(name);
        if (first.length_bytes < name.length_bytes && !word_is(word_last_part(name), "setter") &&
            !code_index_imports(code, first))
            return true;
    }
    return false;
}

/*
 * What may run beside the loop, or by another name: where the loop waits a coroutine; what tells others by "nonlocal"; what an object was
 * handed.
 */
static bool is_run_beside(const struct region *region, const struct code_index *code,
                          const struct code_function *function)
{
    size_t indent = 0;
    struct region_span span = {code->code, function->def, function->def, function->last, false};
    struct word header = code_row_text(code->code, function->def, &indent);
    bool is_coroutine = word_is(word_name_at(header.text, word_end(header)), "async");
    return (is_coroutine && holds(region_rows(&region->loop), "await ")) || holds(region_rows(&span), "nonlocal ") ||
           is_handed_over(code, function->def);
}

static void add_named(struct region *region, struct word name)
{
    for (size_t i = 0; i < region->code_count; i++) {
        size_t count = 0;
        const struct code_function *const *functions = code_index_named(region->codes[i], name, &count);
        for (size_t k = 0; k < count; k++)
            add_found(region, region->codes[i], functions[k]);
    }
}

/* "Thread(target=work)" */
static void add_threads(struct region *region, const struct code_index *code)
{
    static const char target[] = "target=";
    struct word text = code_text(code->code);
    for (const char *at = text.text, *end = word_end(text);
         (at = memmem(at, (size_t)(end - at), target, sizeof(target) - 1)) != NULL;) {
        at += sizeof(target) - 1;
        struct word name = word_name_at(at, end);
        if (name.length_bytes > 0)
            add_named(region, word_last_part(name));
    }
}

void region_add_code(struct region *region, const struct code_index *code)
{
    for (size_t i = 0; i < region->code_count; i++)
        if (region->codes[i] == code)
            return;
    if (region->code_count == REGION_CODES_MAX)
        return;
    region->codes[region->code_count++] = code;
    region->looked_at = 0;
    for (size_t i = 0; i < code->function_count; i++)
        if (is_run_unnamed(code->functions[i].name) || is_run_beside(region, code, &code->functions[i]))
            add_found(region, code, &code->functions[i]);
    add_threads(region, code);
}

/* "step = model.step", "step = partial(move, x)": the function by its other name. */
static void add_by_value(struct region *region, const struct source *code, struct word name)
{
    struct word rest = code_text(code), statement, target, value, arguments;
    while (word_next_statement(&rest, &statement)) {
        struct word targets[GIVEN_MAX], values[GIVEN_MAX];
        if (word_mentions(statement, name) == 0 || !word_assigned(statement, &target, &value))
            continue;
        size_t count = word_split(target, ',', targets, GIVEN_MAX), given = word_split(value, ',', values, GIVEN_MAX);
        for (size_t i = 0; count == given && count != SIZE_MAX && i < count; i++) {
            struct word function = word_name_at(values[i].text, word_end(values[i]));
            bool is_partial =
                word_call(values[i], &function, &arguments) && word_is(word_last_part(function), "partial");
            if (is_partial)
                function = word_name_at(arguments.text, word_end(arguments));
            if (word_equal(targets[i], name) && (is_partial || word_equal(function, values[i])))
                add_named(region, word_last_part(function));
        }
    }
}

void region_reach(struct region *region)
{
    for (; region->looked_at < region->count; region->looked_at++) {
        struct region_span span = region->spans[region->looked_at];
        struct word rows = region_rows(&span);
        for (const char *at = rows.text, *end = word_end(rows); at < end;) {
            const char *begin = at;
            while (at < end && word_char(*at))
                at++;
            struct word name = {begin, (size_t)(at - begin)};
            add_named(region, name);
            if (region->looked_at == 0 && name.length_bytes > 0 && at < end && *at == '(')
                add_by_value(region, span.code, name);
            at += name.length_bytes == 0;
        }
    }
}
