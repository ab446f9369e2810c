#include "findings/inputs_follow.h"

#include <string.h>

#include "findings/inputs_handed.h"
#include "findings/inputs_object.h"
#include "findings/inputs_others.h"
#include "python/carried.h"
#include "python/choices.h"
#include "python/code_facts.h"
#include "python/name_read.h"
#include "python/suite.h"
#include "python/view_name.h"

/* "@x.setter": what such an attribute is given, its function may do anything with. */
static bool has_setter(const struct inputs_walk *walk, struct word name)
{
    static const char suffix[] = ".setter";
    for (size_t i = 0; i < walk->region->code_count; i++) {
        size_t count = 0, indent = 0;
        const struct code_index *index = walk->region->codes[i];
        const struct code_function *const *functions = code_index_named(index, name, &count);
        for (size_t k = 0; k < count; k++) {
            struct word above = code_row_text(index->code, functions[k]->def - 1, &indent);
            if (above.length_bytes > 0 && *above.text == '@' &&
                memmem(above.text, above.length_bytes, suffix, sizeof(suffix) - 1) != NULL)
                return true;
        }
    }
    return false;
}

/* "w" of "self.w.data" and of "self.w": each of them that is no fact, nor the object itself. */
static bool is_changed_attribute(struct inputs_walk *walk, struct word dotted, enum inputs_asked asked)
{
    const struct kept_level *top = &walk->ways.levels[walk->top];
    struct inputs_item of = {.code = top->code, .def = top->def, .level = walk->top};
    struct word values[CARRIED_VALUES_MAX];
    for (const char *dot = dotted.text; (dot = memchr(dot, '.', (size_t)(word_end(dotted) - dot))) != NULL; dot++) {
        const char *end = dot + 1;
        while (end < word_end(dotted) && word_char(*end))
            end++;
        struct word name = {dot + 1, (size_t)(end - dot - 1)};
        struct region_fact fact = region_of_attribute(walk->region, name);
        if ((asked == INPUTS_OF_ROUND ? fact.stores : fact.changes) ||
            (asked != INPUTS_OF_ONE && inputs_is_stepped(walk, name)) ||
            (asked == INPUTS_OF_ONE && handed_attribute_changes(walk, name)))
            return true;
        size_t count = region_gives_attribute(&walk->loop, name, values, CARRIED_VALUES_MAX);
        if (count > 0 && has_setter(walk, name))
            return true;
        for (size_t i = 0; i < count; i++)
            inputs_add_text(walk, values[i], &of);
    }
    return false;
}

/* What range() gives counts the passes; another header goes through what there is. */
static bool counts_passes(struct word header)
{
    return memmem(header.text, header.length_bytes, "range(", 6) != NULL;
}

static bool is_counted(const struct inputs_walk *walk, const struct inputs_item *item)
{
    size_t indent = 0;
    if (item->level != walk->top)
        return false;
    struct word header = walk->clauses[walk->top];
    bool is_header =
        walk->which != INPUTS_NEAREST_BLOCK && header.length_bytes > 0 && view_is_target(header, item->name);
    if (!is_header) {
        header = code_row_text(item->code, walk->loop.first, &indent);
        is_header = header.length_bytes > 4 && memcmp(header.text, "for ", 4) == 0 && word_gives(header, item->name);
    }
    return is_header && (walk->which != INPUTS_OUTERMOST_BUT_HEADER || counts_passes(header));
}

/* What the header goes through, where it is not to count. */
static bool is_of_header(const struct inputs_walk *walk, const struct inputs_item *item, struct word value)
{
    return walk->which == INPUTS_OUTERMOST_BUT_HEADER && item->level == walk->top &&
           code_row(item->code, value.text) == walk->loop.first;
}

/* Of a name that is none of the function's own: as the loop's own function knows it, where that is the one around. */
static bool is_changed_outside(struct inputs_walk *walk, const struct inputs_item *item, enum inputs_asked asked)
{
    const struct kept_level *top = &walk->ways.levels[walk->top];
    struct inputs_item outer = {.name = item->name, .code = top->code, .def = top->def, .level = walk->top};
    bool is_around = item->level != walk->top && top->code == item->code &&
                     (top->def == 0 || region_is_local(top->code, top->def, item->name));
    if (is_around)
        inputs_add(walk, outer);
    struct region_fact fact = region_of_outer(walk->region, item->name);
    return asked == INPUTS_OF_ROUND ? fact.stores : fact.changes;
}

/* Of a level further in: what a loop of its own makes of what its passes before left. */
static bool is_carried_in_own_loop(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct region_span span = {.code = item->code, .def = item->def};
    if (item->level >= walk->top || !kept_loop(&walk->ways.levels[item->level], false, &span.first, &span.last))
        return false;
    return carried_over(inputs_memo_carried(walk->memo, region_rows(&span), item->name));
}

/* What a parameter is, each call says anew: "x = x[mask]" carries nothing from pass to pass. In the loop's own rows it does. */
static bool is_given_by_call(const struct inputs_walk *walk, const struct inputs_item *item)
{
    bool is_of_call = item->level < walk->top || !walk->is_looped;
    return is_of_call && kept_is_parameter(item->code, item->def, item->name);
}

/* "inner = x[1:-1]" before the loop, "inner += 1" in it or in what it runs; or the other way round. */
static bool is_changed_by_view(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct region_span around = {item->code, item->def, item->def > 0 ? item->def : 1, walk->loop.last, false};
    struct words views;
    if (item->level != walk->top || !walk->is_looped)
        return false;
    carried_views(region_rows(&around), item->name, &views);
    bool changes = false;
    for (size_t i = 0; i < views.count && !changes; i++)
        changes = carried_is_stored(inputs_rows(walk, item), views.words[i]) ||
                  region_of_outer(walk->region, views.words[i]).stores;
    return changes;
}

/* Of the module's own name, in its own loop: what a function does that says "global", or stores into it. */
static bool is_changed_by_function(const struct inputs_walk *walk, const struct inputs_item *item,
                                   enum inputs_asked asked)
{
    if (item->def > 0 || item->level != walk->top)
        return false;
    struct region_fact fact = region_of_outer(walk->region, item->name);
    return asked == INPUTS_OF_ROUND ? fact.stores : fact.changes;
}

/* Does a file of the program's say what a "with" enters with? */
static bool has_managers(const struct inputs_walk *walk)
{
    static const struct word enter = {"__enter__", 9}, generator = {"contextmanager", 14};
    bool has = false;
    for (size_t i = 0; i < walk->code_count && !has; i++) {
        size_t count = 0;
        code_index_named(walk->codes[i], enter, &count);
        has = count > 0 || code_index_imports(walk->codes[i], generator);
    }
    return has;
}

/* A function's own name, or the module's. */
static bool is_changed_name(struct inputs_walk *walk, const struct inputs_item *item, struct word dotted,
                            enum inputs_asked asked)
{
    struct word rows = inputs_rows(walk, item);
    const struct carried carried = *inputs_memo_carried(walk->memo, rows, item->name);
    bool by_call = is_given_by_call(walk, item);
    bool is_seen = asked == INPUTS_OF_ROUND ? carried.stored && !carried.given
                                            : is_counted(walk, item) || (carried_over(&carried) && !by_call) ||
                                                  is_carried_in_own_loop(walk, item);
    if (is_seen || (asked != INPUTS_OF_ONE && inputs_is_stepped(walk, dotted)))
        return true;
    if (!carried.given && (is_changed_by_view(walk, item) || is_changed_by_function(walk, item, asked)))
        return true;
    if (asked == INPUTS_OF_ONE && carried.managed && has_managers(walk))
        return true;
    if (asked == INPUTS_OF_COPY && item->level == walk->bottom && carried.stored)
        return true;
    if (!carried.given &&
        (handed_changes(walk, rows, dotted) || (asked == INPUTS_OF_ONE && handed_before_changes(walk, item))))
        return true;
    for (size_t i = 0; i < carried.value_count; i++)
        if (!is_of_header(walk, item, carried.values[i]))
            inputs_add_text(walk, carried.values[i], item);
    for (size_t i = 0; i < carried.store_count && asked == INPUTS_OF_ONE; i++)
        inputs_add_store(walk, carried.stores[i], item);
    return (!carried.given || by_call) && !inputs_add_argument(walk, item) && asked == INPUTS_OF_ONE &&
           choices_at_last(walk->ways.levels[walk->bottom].call);
}

/* "self.w" of "self.w.shape" */
static struct word attribute_of(struct word name)
{
    struct word root = word_first_part(name);
    if (word_equal(root, name))
        return name;
    struct word rest = {word_end(root) + 1, name.length_bytes - root.length_bytes - 1};
    return (struct word){name.text, root.length_bytes + 1 + word_first_part(rest).length_bytes};
}

/* Is the method called of another object in each pass: "for tree in trees: tree.best()", "state = step(state)"? */
static bool is_other_object(struct inputs_walk *walk, const struct inputs_item *item, struct word attribute)
{
    struct inputs_item owner = inputs_owner(walk, item);
    struct carried carried;
    while (owner.level < walk->top && owner.name.length_bytes > 0) {
        const struct kept_level *level = &walk->ways.levels[owner.level];
        if (word_is(owner.name, "self") || word_is(owner.name, "cls")) {
            owner = inputs_owner(walk, &owner);
        } else if (kept_is_parameter(level->code, level->def, owner.name)) {
            owner.name = kept_argument(&walk->ways, owner.level++, owner.name);
            owner.code = walk->ways.levels[owner.level].code;
            owner.def = walk->ways.levels[owner.level].def;
        } else {
            break;
        }
    }
    struct word name = word_name_at(owner.name.text, word_end(owner.name));
    if (name.length_bytes == 0 || !word_equal(name, owner.name) || owner.code == NULL || owner.level > walk->top)
        return false;
    if (word_last_part(name).text != name.text)
        return region_of_attribute(walk->region, word_last_part(name)).renewed; /* what its methods change, they say */
    carried_read(&carried, inputs_rows(walk, &owner), name);
    for (size_t i = 0; i < carried.value_count && carried.given && owner.level == walk->top; i++)
        inputs_add_made_of(walk, carried.values[i], &owner, attribute);
    return is_counted(walk, &owner) || (owner.level == walk->top && carried.given && carried.read_first);
}

/* "labels" of the loop's "labels = assign(x)", where the site is in assign(): what it takes comes of what a pass before made there. */
static bool is_own_result(const struct inputs_walk *walk, const struct inputs_item *item)
{
    const struct kept_level *top = &walk->ways.levels[walk->top];
    struct word statement;
    size_t indent = 0;
    int32_t last = 0;
    return walk->is_looped && walk->bottom < walk->top && item->level == walk->top && top->row > walk->loop.first &&
           suite_statement(top->code, top->row, &statement, &indent, &last) && word_gives(statement, item->name);
}

/* What a comprehension goes through. Its own names mean nothing outside of it, where others may be called the same. */
static void add_clauses(struct inputs_walk *walk, struct word clauses, const struct inputs_item *of)
{
    size_t kept = walk->count, before = walk->count;
    inputs_add_text(walk, clauses, of);
    for (size_t i = before; i < walk->count; i++)
        if (walk->items[i].code == NULL || !view_is_target(clauses, word_first_part(walk->items[i].name)))
            walk->items[kept++] = walk->items[i];
    walk->count = kept;
}

bool inputs_follow(struct inputs_walk *walk, const struct inputs_item *item, enum inputs_asked asked)
{
    const char *dot = memchr(item->name.text, '.', item->name.length_bytes);
    struct inputs_item of = *item;
    of.name = word_first_part(item->name);
    if (inputs_is_imported(walk, item))
        return false;
    if (dot != NULL && is_changed_attribute(walk, item->name, asked))
        return true;
    if (asked == INPUTS_OF_ONE && is_own_result(walk, item))
        return true;
    bool is_own = word_is(of.name, "self") || word_is(of.name, "cls");
    if (is_own && asked == INPUTS_OF_ONE)
        inputs_add_unnamed(walk, &of, attribute_of(item->name));
    if (is_own)
        return (asked == INPUTS_OF_ONE && is_other_object(walk, &of, attribute_of(item->name))) ||
               handed_changes(walk, inputs_rows(walk, item), item->name);
    bool is_comprehension = item->level < walk->top && walk->has_own_frame[item->level];
    if (is_comprehension) { /* its other names are those of the function around */
        of.level++;
        of.name = item->name;
        if (view_is_target(walk->clauses[item->level], of.name))
            add_clauses(walk, walk->clauses[item->level], &of);
        else
            inputs_add(walk, of);
        return false;
    }
    if (walk->which == INPUTS_NEAREST_BLOCK && item->level <= walk->top &&
        view_is_target(walk->clauses[item->level], of.name)) {
        add_clauses(walk, walk->clauses[item->level], &of);
        return false;
    }
    if (item->def > 0 && !region_is_local(item->code, item->def, of.name) && !is_counted(walk, &of))
        return is_changed_outside(walk, &of, asked);
    return item->level != SIZE_MAX && is_changed_name(walk, &of, item->name, asked);
}

void inputs_follow_called(struct inputs_walk *walk, const struct inputs_item *item)
{
    inputs_add_function(walk, item->name);
    if (item->is_plain && inputs_is_object(walk, item->name))
        inputs_add_callables(walk);
}
