#include "python/origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/fresh.h"
#include "python/origins_graph.h"
#include "python/scope.h"
#include "python/suite.h"

uint32_t origins_name(struct origins *origins, struct word name, enum origin_kind kind)
{
    for (size_t i = ORIGIN_CALLERS + 1; i < origins->name_count; i++)
        if (origins->names[i].kind == kind && word_equal(origins->names[i].name, name))
            return (uint32_t)i;
    if (origins->name_count == ORIGIN_NAMES_MAX) {
        origins->unclear = true;
        return ORIGIN_FOREIGN;
    }
    origins->names[origins->name_count] = (struct origin_name){.name = name, .kind = kind};
    return (uint32_t)origins->name_count++;
}

void origins_add(struct origins *origins, uint32_t name, uint32_t from)
{
    for (size_t i = 0; i < origins->edge_count; i++)
        if (origins->edges[i].name == name && origins->edges[i].from == from)
            return;
    if (origins->edge_count == ORIGIN_EDGES_MAX) {
        origins->unclear = true;
        return;
    }
    origins->edges[origins->edge_count++] = (struct origin_edge){name, from};
}

struct origin_function *origins_function(struct origins *origins, struct word name, size_t *from)
{
    struct word last = word_last_part(name);
    for (; *from < origins->function_count; (*from)++)
        if (word_equal(origins->functions[*from].name, last))
            return &origins->functions[(*from)++];
    return NULL;
}

/* Who calls a function from elsewhere hands it whatever he likes. */
static void add_callers(struct origins *origins)
{
    struct word items[WORDS_MAX * 2];
    for (size_t i = 0; i < origins->function_count; i++) {
        const struct origin_function *function = &origins->functions[i];
        if (function->is_class || (function->called && function->known))
            continue;
        size_t count = word_split(function->parameters, ',', items, sizeof(items) / sizeof(items[0]));
        for (size_t j = 0; count != SIZE_MAX && j < count; j++) {
            while (items[j].length_bytes > 0 && *items[j].text == '*')
                items[j] = (struct word){items[j].text + 1, items[j].length_bytes - 1};
            struct word name = word_name_at(items[j].text, word_end(items[j]));
            if (name.length_bytes > 0 && !word_is(name, "self") && !word_is(name, "cls"))
                origins_add(origins, origins_name(origins, name, ORIGIN_VALUE), ORIGIN_CALLERS);
        }
    }
}

/* Which names it may come from, itself among them. */
static void reach(const struct origins *origins, uint32_t name, bool *reached)
{
    reached[name] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < origins->edge_count; i++) {
            const struct origin_edge *edge = &origins->edges[i];
            more |= reached[edge->name] && !reached[edge->from];
            reached[edge->from] |= reached[edge->name];
        }
    }
    for (size_t i = ORIGIN_CALLERS + 1; i < origins->name_count; i++)
        reached[ORIGIN_FOREIGN] |= reached[i] && origins->names[i].kind == ORIGIN_VALUE && !origins->names[i].bound &&
                                   !word_is(origins->names[i].name, "self");
}

/* Is it made in the function itself, so that no caller can have it? At the top of the file nobody calls. */
static bool is_own(const struct origins *origins, const struct source *code, int32_t line, const bool *reached)
{
    struct word statement;
    size_t indent = 0;
    int32_t last = 0, first = scope_function(code, line);
    bool given = false;
    if (first == 0)
        return true;
    if (memchr(origins->buffer.text, '.', origins->buffer.length_bytes) != NULL ||
        !suite_statement(code, first, &statement, &indent, &last) || word_mentions(statement, origins->buffer) > 0)
        return false;
    for (int32_t row = last + 1; row < line; row++) {
        if (!suite_statement(code, row, &statement, &indent, &last))
            continue;
        struct word begin = word_name_at(statement.text, word_end(statement));
        if ((word_is(begin, "global") || word_is(begin, "nonlocal")) && word_mentions(statement, origins->buffer) > 0)
            return false;
        given |= word_gives(statement, origins->buffer);
    }
    for (size_t i = 0; i < origins->name_count; i++)
        if ((i <= ORIGIN_CALLERS || *origins->names[i].name.text == '.') && reached[i])
            return false;
    return given;
}

static bool shares(const struct origins *origins, const bool *one, const bool *other)
{
    for (size_t i = 0; i < origins->name_count; i++) {
        const struct origin_name *name = &origins->names[i];
        bool counts = i <= ORIGIN_CALLERS || (name->kind == ORIGIN_VALUE && (!name->bound || name->holds));
        if (one[i] && other[i] && counts)
            return true;
    }
    return false;
}

static bool may_read(struct origins *origins, const struct source *code, int32_t line, struct word statement)
{
    bool of_buffer[ORIGIN_NAMES_MAX] = {false}, of_other[ORIGIN_NAMES_MAX];
    struct word name, base = origins_base(origins->buffer);
    if (base.length_bytes == 0)
        return true;
    const char *dot = memchr(origins->buffer.text, '.', origins->buffer.length_bytes), *behind = statement.text;
    uint32_t buffer = origins_name(origins, base, ORIGIN_VALUE);
    if (dot != NULL)
        origins_add(origins, buffer,
                    origins_name(origins, (struct word){origins->buffer.text, (size_t)(dot - origins->buffer.text)},
                                 ORIGIN_VALUE));
    reach(origins, buffer, of_buffer);
    bool own = is_own(origins, code, line, of_buffer);
    for (bool is_called; origins_next_name(statement, &behind, &name, &is_called);) {
        size_t from = 0;
        if (is_called && !fresh_is_module(name) && origins_function(origins, name, &from) != NULL)
            return true;
        name = is_called ? origins_owner(name) : name;
        base = origins_base(name);
        if (base.length_bytes == 0 || word_equal(name, origins->buffer))
            continue;
        uint32_t other = origins_name(origins, base, ORIGIN_VALUE);
        origins_add_name(origins, other, name);
        memset(of_other, 0, sizeof(of_other));
        reach(origins, other, of_other);
        if (shares(origins, of_buffer, of_other) || (of_other[ORIGIN_CALLERS] && !own))
            return true;
    }
    return origins->unclear;
}

bool origins_may_read(const struct source *code, int32_t line, int32_t row, struct word buffer)
{
    struct word statement;
    size_t indent = 0;
    int32_t last = 0;
    if (!suite_statement(code, row, &statement, &indent, &last))
        return true;
    struct origins *origins = memory_zeroed(1, sizeof(*origins));
    origins->buffer = buffer;
    origins->name_count = ORIGIN_CALLERS + 1;
    for (unsigned i = 0; i < 2; i++) {
        origins->again = i == 1;
        origins_read(origins, (struct word){code->text, code->length_bytes});
    }
    add_callers(origins);
    bool may = may_read(origins, code, line, statement);
    free(origins);
    return may;
}
