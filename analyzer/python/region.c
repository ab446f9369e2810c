#include "python/region.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/carried.h"
#include "python/code_facts.h"
#include "python/given.h"
#include "python/region_reach.h"
#include "python/view_name.h"

#define DOTTED_MAX 16u

struct word region_rows(const struct region_span *span)
{
    size_t length = 0;
    const char *begin = source_line(span->code, span->first, &length),
               *end = source_line(span->code, span->last, &length);
    return begin != NULL && end != NULL ? (struct word){begin, (size_t)(end + length - begin)} : (struct word){"", 0};
}

struct region_span region_function(const struct source *code, int32_t def)
{
    return (struct region_span){.code = code, .def = def, .first = def, .last = code_index_last(code, def)};
}

void region_free(struct region *region)
{
    free(region->spans);
    free(region->facts);
}

/* Objects are new there: nothing of theirs is changed. */
static bool is_constructor(const struct region_span *span)
{
    static const char *const constructors[] = {"__init__", "__new__", "__post_init__"};
    return span->first == span->def && WORD_IS_ONE_OF(code_name_of(span->code, span->def), constructors);
}

/* "self.model.w" of the text in which ".w" stands at `at`. */
static struct word dotted_at(struct word rows, const char *at, struct word name)
{
    const char *begin = at;
    while (begin > rows.text && (word_char(begin[-1]) || begin[-1] == '.'))
        begin--;
    return (struct word){begin, (size_t)(at + name.length_bytes - begin)};
}

void region_find_dotted(struct word rows, struct word name, struct words *found)
{
    found->count = 0;
    for (const char *at = rows.text;
         (at = memmem(at, (size_t)(word_end(rows) - at), name.text, name.length_bytes)) != NULL;) {
        const char *behind = at + name.length_bytes;
        bool is_attribute = at > rows.text && at[-1] == '.' && (behind == word_end(rows) || !word_char(*behind));
        struct word dotted = is_attribute ? dotted_at(rows, at, name) : name;
        if (is_attribute && *dotted.text != '.') /* no "f(x).w" */
            words_add(found, dotted);
        at = behind;
    }
}

static bool makes_of_itself(const struct carried *carried, struct word name)
{
    for (size_t i = 0; i < carried->value_count; i++)
        if (word_mentions(carried->values[i], name) > 0)
            return true;
    return false;
}

/* "= x[1:]" and "*= 2" behind what is stored into: is it the one, or the other? */
static bool is_stored_at(const char *at, const char *end, bool *augmented)
{
    const char *first = word_skip_blanks(at, end), *sign = first;
    while (sign < end && strchr("+-*/%@&|^<>", *sign) != NULL)
        sign++;
    bool compares = sign == first + 1 && (*first == '<' || *first == '>');
    *augmented = sign > first;
    return !compares && sign < end && *sign == '=' && (sign + 1 == end || sign[1] != '=');
}

/* "trees[k].w *= 2", "net.layer(k).w[0] = x": of what has no name. */
static void read_unnamed(struct region_fact *fact, struct word rows)
{
    const char *end = word_end(rows);
    for (const char *at = rows.text;
         (at = memmem(at, (size_t)(end - at), fact->name.text, fact->name.length_bytes)) != NULL; at++) {
        const char *behind = at + fact->name.length_bytes;
        bool is_it = at - rows.text >= 2 && at[-1] == '.' && (at[-2] == ']' || at[-2] == ')') &&
                     (behind == end || !word_char(*behind));
        bool augmented, part = is_it && behind < end && *behind == '[';
        while (part && behind < end && *behind == '[')
            behind = word_end(word_in_bracket(behind, end)) < end ? word_end(word_in_bracket(behind, end)) + 1 : end;
        if (is_it && is_stored_at(behind, end, &augmented)) {
            fact->stores |= part || augmented;
            fact->changes |= part || augmented;
        }
    }
}

static void read_attribute(struct region_fact *fact, const struct region_span *span)
{
    struct word rows = region_rows(span);
    struct words dotted;
    if (is_constructor(span))
        return;
    read_unnamed(fact, rows);
    region_find_dotted(rows, fact->name, &dotted);
    for (size_t i = 0; i < dotted.count; i++) {
        struct carried carried;
        carried_read(&carried, rows, dotted.words[i]);
        bool stores = carried.stored && !carried.given;
        fact->stores |= stores;
        fact->renewed |= carried.given ? makes_of_itself(&carried, dotted.words[i]) : carried.augmented;
        fact->changes |= stores || fact->renewed;
    }
}

/* "global count", "nonlocal level, best" */
static bool declares_outer(struct word rows, struct word name)
{
    struct word statement;
    while (word_next_statement(&rows, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        struct word first = word_name_at(statement.text, word_end(statement));
        if ((word_is(first, "global") || word_is(first, "nonlocal")) && word_mentions(statement, name) > 0)
            return true;
    }
    return false;
}

static void read_outer(struct region_fact *fact, const struct region_span *span)
{
    struct word rows = region_rows(span);
    struct carried carried;
    if (span->def == 0 || word_mentions(rows, fact->name) == 0)
        return;
    bool declared = declares_outer(rows, fact->name);
    carried_read(&carried, rows, fact->name);
    bool stores = carried.stored && (declared || !region_is_local(span->code, span->def, fact->name));
    fact->stores |= stores;
    fact->changes |= stores || (declared && (carried.given || carried.augmented));
}

static struct region_fact fact_of(struct region *region, struct word name, bool of_attribute)
{
    struct region_fact fact = {.name = name, .of_attribute = of_attribute};
    region_reach(region);
    for (size_t i = 0; i < region->fact_count; i++)
        if (region->facts[i].of_attribute == of_attribute && word_equal(region->facts[i].name, name))
            return region->facts[i];
    for (size_t i = 0; i < region->count; i++)
        (of_attribute ? read_attribute : read_outer)(&fact, &region->spans[i]);
    region->facts = memory_grow(region->facts, region->fact_count, &region->fact_capacity, sizeof(*region->facts));
    region->facts[region->fact_count++] = fact;
    return fact;
}

struct region_fact region_of_attribute(struct region *region, struct word name)
{
    return fact_of(region, name, true);
}

struct region_fact region_of_outer(struct region *region, struct word name)
{
    return fact_of(region, name, false);
}

static bool is_plain_name(struct word text)
{
    struct word name = word_name_at(text.text, word_end(text));
    return name.length_bytes > 0 && word_equal(name, text) && word_last_part(name).text == name.text;
}

/* "params[k]", all of the text. */
static bool is_item(struct word text)
{
    struct word name = word_name_at(text.text, word_end(text));
    const char *open = word_end(name);
    if (name.length_bytes == 0 || open == word_end(text) || *open != '[')
        return false;
    return word_end(word_in_bracket(open, word_end(text))) + 1 == word_end(text);
}

/* "params[k][...]", "params[k][:, 0]" */
static bool is_part_of_item(struct word text)
{
    struct word name = word_name_at(text.text, word_end(text));
    const char *open = word_end(name);
    if (name.length_bytes == 0 || open == word_end(text) || *open != '[')
        return false;
    const char *behind = word_end(word_in_bracket(open, word_end(text))) + 1;
    return behind < word_end(text) && *behind == '[';
}

static bool is_stored_into(struct word rows, struct word name)
{
    struct carried carried;
    carried_read(&carried, rows, name);
    return is_plain_name(name) && (carried.augmented || carried.stored);
}

/* "np.subtract(x, y, out=params[k])" */
static bool has_item_as_out(struct word statement)
{
    const char *out = memmem(statement.text, statement.length_bytes, "out=", 4);
    struct word name = out != NULL ? word_name_at(out + 4, word_end(statement)) : (struct word){statement.text, 0};
    return name.length_bytes > 0 && word_end(name) < word_end(statement) && *word_end(name) == '[';
}

static bool stores_item(struct word rows, struct word statement)
{
    struct word targets, value, items[WORDS_MAX];
    size_t length = 0;
    statement = word_trimmed(statement.text, word_end(statement));
    if (has_item_as_out(statement))
        return true;
    if (view_header(statement, &targets, &value)) {
        if (targets.length_bytes > 0 && *targets.text == '(')
            targets = word_in_bracket(targets.text, word_end(targets));
        size_t count = word_split(targets, ',', items, WORDS_MAX);
        for (size_t i = 0; count != SIZE_MAX && i < count; i++)
            if (is_stored_into(rows, items[i]))
                return true;
        return false;
    }
    if (word_assigned(statement, &targets, &value))
        return is_part_of_item(targets) || (is_item(value) && is_stored_into(rows, targets));
    const char *sign = word_assignment(statement, &length);
    targets = sign != NULL ? word_trimmed(statement.text, sign) : (struct word){statement.text, 0};
    return length > 1 && (is_item(targets) || is_part_of_item(targets));
}

/* An optimizer's step, or what takes the place of one. */
static bool takes_step(struct word rows)
{
    static const char *const steps[] = {".step(",       ".backward(",       "autograd.grad(",
                                        ".parameters(", "load_state_dict(", "vector_to_parameters("};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (memmem(rows.text, rows.length_bytes, steps[i], strlen(steps[i])) != NULL)
            return true;
    return false;
}

static void read_acts(struct region *region)
{
    region_reach(region);
    for (size_t i = 0; i < region->count && !region->are_acts_known; i++) {
        struct word rows = region_rows(&region->spans[i]), rest = rows, statement;
        region->steps |= takes_step(rows);
        while (!region->stores_items && word_next_statement(&rest, &statement))
            region->stores_items = stores_item(rows, statement);
    }
    region->are_acts_known = true;
}

bool region_steps(struct region *region)
{
    read_acts(region);
    return region->steps;
}

bool region_stores_items(struct region *region)
{
    read_acts(region);
    return region->stores_items;
}

/* Is one of a call's arguments "name=..."? */
static bool has_keyword(struct word arguments, struct word name)
{
    struct word items[WORDS_MAX];
    size_t count = word_split(arguments, ',', items, WORDS_MAX), length = 0;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        const char *sign = word_assignment(items[i], &length);
        if (sign != NULL && length == 1 && word_equal(word_trimmed(items[i].text, sign), name))
            return true;
    }
    return count == SIZE_MAX;
}

/* "vars(self)[k] = v", "self.__dict__.update(state)", of the text from behind "vars" or "__dict__" on. */
static bool stores_in_namespace(const char *at, const char *end)
{
    static const char update[] = ".update(";
    if (at < end && *at == '(')
        at = word_end(word_in_bracket(at, end)) + 1;
    if (at >= end)
        return false;
    if ((size_t)(end - at) >= strlen(update) && memcmp(at, update, strlen(update)) == 0)
        return true;
    const char *sign = *at == '[' ? word_skip_blanks(word_end(word_in_bracket(at, end)) + 1, end) : end;
    return sign + 1 < end && *sign == '=' && sign[1] != '=';
}

static bool gives_by_name(struct word rows, struct word name)
{
    static const char *const any[] = {"setattr", "__setattr__"};
    static const char *const namespaces[] = {"__dict__", "vars"};
    static const char *const named[] = {"replace", "_replace", "update", "evolve"};
    for (const char *at = rows.text; at < word_end(rows);) {
        struct word dotted = word_char(*at) ? word_name_at(at, word_end(rows)) : (struct word){at, 0};
        struct word last = word_last_part(dotted);
        const char *behind = word_end(dotted);
        bool is_called = dotted.length_bytes > 0 && behind < word_end(rows) && *behind == '(';
        bool is_namespace = dotted.length_bytes > 0 && WORD_IS_ONE_OF(last, namespaces);
        bool is_updated = memmem(dotted.text, dotted.length_bytes, "__dict__.update", 15) != NULL;
        if (WORD_IS_ONE_OF(last, any) || is_updated || (is_namespace && stores_in_namespace(behind, word_end(rows))) ||
            (is_called && WORD_IS_ONE_OF(last, named) && has_keyword(word_in_bracket(behind, word_end(rows)), name)))
            return true;
        at = dotted.length_bytes > 0 ? behind : at + 1;
    }
    return false;
}

bool region_gives_by_name(struct region *region, struct word name)
{
    region_reach(region);
    for (size_t i = 0; i < region->count; i++)
        if (region->spans[i].seen && !is_constructor(&region->spans[i]) &&
            gives_by_name(region_rows(&region->spans[i]), name))
            return true;
    return false;
}

size_t region_gives_attribute(const struct region_span *span, struct word name, struct word *values, size_t most)
{
    struct word rows = region_rows(span);
    struct words dotted;
    size_t count = 0;
    region_find_dotted(rows, name, &dotted);
    for (size_t i = 0; i < dotted.count; i++) {
        struct carried carried;
        carried_read(&carried, rows, dotted.words[i]);
        for (size_t k = 0; k < carried.value_count && count < most; k++)
            values[count++] = carried.values[k];
    }
    return count;
}

bool region_is_local(const struct source *code, int32_t def, struct word name)
{
    struct parameter parameter;
    struct region_span span = region_function(code, def);
    struct carried carried;
    if (def == 0 || given_parameter(code, def, name, &parameter))
        return def > 0;
    carried_read(&carried, region_rows(&span), name);
    return (carried.given || carried.augmented) && !declares_outer(region_rows(&span), name);
}
