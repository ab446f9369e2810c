#include "findings/inputs_change.h"

#include <string.h>

#include "findings/changed.h"
#include "findings/inputs_follow.h"
#include "findings/inputs_others.h"
#include "python/carried.h"
#include "python/choices.h"
#include "python/code_facts.h"
#include "python/given.h"
#include "python/name_read.h"
#include "python/operation.h"
#include "python/suite.h"

#define ROWS_BYTES_MAX 65536u /* of a loop, and calls in it: bounds what a hostile text costs */
#define CALLED_MAX 500u

/* A lambda's own text may be at hand. */
static bool is_unread_choice(const struct inputs_walk *walk)
{
    bool may = false;
    for (size_t i = 0; i < walk->top && !may; i++)
        may = walk->ways.levels[i].is_unread &&
              (walk->ways.levels[i].call.text == NULL || choices_somewhere(walk->ways.levels[i].call));
    return may;
}

/* Is something chosen in what it is made of, as far as that is known? */
static bool may_choose(const struct inputs_walk *walk)
{
    return walk->chooses || is_unread_choice(walk);
}

/* ... or will be when all names are followed: they lead into the files on the way alone. */
static bool can_choose(const struct inputs_walk *walk)
{
    bool can = is_unread_choice(walk);
    for (size_t i = 0; i < walk->code_count && !can; i++)
        can = walk->codes[i]->chooses;
    return can;
}

/* "active[w > 0.5] = 1" below "active = np.zeros(n)": what the buffer holds at its end comes of these, too. */
static void add_finishing(struct inputs_walk *walk, struct model *model, const struct site *site)
{
    const struct kept_level *own = &walk->ways.levels[walk->bottom];
    struct inputs_item of = {.code = own->code, .def = own->def, .level = walk->bottom};
    struct changed changed;
    struct word statement;
    size_t indent = 0;
    int32_t last = 0;
    changed_find(&changed, model, site->process, lines_frame_of_leaf(model, site->process, site->record->node));
    for (size_t i = 0; i < changed.count; i++)
        if (strcmp(changed.file, own->file) == 0 &&
            suite_statement(own->code, changed.lines[i], &statement, &indent, &last))
            inputs_add_store(walk, statement, &of);
    if (changed.handed.length_bytes > 0)
        inputs_add_function(walk, word_last_part(changed.handed));
}

/* Whatever gives the name its value: do all uses leave that as it is? Of what is not given here nothing is known. */
static bool is_left_alone(const struct kept_level *level, struct word name)
{
    struct given given;
    int32_t first = 0, last = 0;
    if (level->def > 0)
        given_in_function(level->code, level->def, name, &given);
    else
        given_in_module(level->code, name, &given);
    for (size_t i = 0; i < given.count; i++)
        if (suite_rows(level->code, 1, code_row(level->code, given.values[i].text), &first, &last) &&
            !name_is_left_alone(level->code, first, last, name))
            return false;
    return true;
}

/*
 * "x[keep]": a mask, or an order, may be the same for long though it is stored into, by whom it is handed to, or by who keeps it under
 * another name.
 */
static bool is_index_handed_on(const struct inputs_walk *walk)
{
    const struct kept_level *own = &walk->ways.levels[walk->bottom];
    struct words indices;
    choices_indices(own->call, &indices);
    for (size_t i = 0; i < indices.count; i++)
        if (word_last_part(indices.words[i]).text == indices.words[i].text && !is_left_alone(own, indices.words[i]))
            return true;
    return false;
}

/* `chosen`: where nothing is chosen, no change is told. */
static bool inputs_change(struct model *model, const struct site *site, enum inputs_asked asked, enum inputs_loop which,
                          bool chosen)
{
    struct inputs_walk walk;
    chosen = chosen && asked == INPUTS_OF_ONE;
    if (!inputs_begin(&walk, model, site, which) || (chosen && !can_choose(&walk)))
        return false;
    if (asked == INPUTS_OF_ONE && is_index_handed_on(&walk))
        return true;
    if (asked == INPUTS_OF_ONE)
        add_finishing(&walk, model, site);
    bool changed = (walk.takes_next || walk.is_unread) && asked == INPUTS_OF_ONE;
    for (size_t i = 0; i < walk.count; i++) {
        const struct inputs_item item = walk.items[i];
        if (item.code == NULL)
            inputs_follow_called(&walk, &item);
        else
            changed = inputs_follow(&walk, &item, asked) || changed;
        if (changed && (!chosen || may_choose(&walk)))
            return true;
    }
    if (asked != INPUTS_OF_ONE)
        return false;
    /* What is computed to its last bit stays where all that it takes does. */
    return (!chosen || may_choose(&walk)) && (changed || walk.takes_next || inputs_change_by_others(&walk));
}

bool site_inputs_change(struct model *model, const struct site *site, enum inputs_asked asked)
{
    return inputs_change(model, site, asked, INPUTS_OUTERMOST, true);
}

bool site_inputs_change_in_nearest(struct model *model, const struct site *site, bool chosen)
{
    return inputs_change(model, site, INPUTS_OF_ONE, INPUTS_NEAREST, chosen);
}

bool site_inputs_stay_in_function(struct model *model, const struct site *site)
{
    return inputs_change(model, site, INPUTS_OF_ONE, INPUTS_OUTERMOST, true) &&
           !inputs_change(model, site, INPUTS_OF_ONE, INPUTS_OUTERMOST_IN_FUNCTION, true);
}

bool site_inputs_stay_nearby(struct model *model, const struct site *site)
{
    struct inputs_walk walk;
    bool is_known = inputs_begin(&walk, model, site, INPUTS_NEAREST) && walk.is_looped;
    return is_known && !inputs_change(model, site, INPUTS_OF_ONE, INPUTS_NEAREST, false);
}

bool site_inputs_come_by_header(struct model *model, const struct site *site, bool chosen)
{
    return inputs_change(model, site, INPUTS_OF_ONE, INPUTS_OUTERMOST, chosen) &&
           site_inputs_stay_nearby(model, site) &&
           !inputs_change(model, site, INPUTS_OF_ONE, INPUTS_OUTERMOST_BUT_HEADER, false);
}

bool site_inputs_change_in_block(struct model *model, const struct site *site)
{
    return inputs_change(model, site, INPUTS_OF_ONE, INPUTS_NEAREST_BLOCK, false);
}

/* "name.load(...)", elsewhere than in the site's own expression: a method, which may change what it is of. */
static bool calls_method(const struct inputs_walk *walk, struct word rows, struct word name)
{
    const struct word own = walk->ways.levels[walk->bottom].call;
    const char *at = rows.text, *end = word_end(rows);
    for (; (at = word_next_mention(rows, at, name)) != NULL; at += name.length_bytes) {
        struct word whole = word_name_at(at, end);
        bool is_own = at >= own.text && at < word_end(own);
        if (!is_own && whole.length_bytes > name.length_bytes && word_end(whole) < end && *word_end(whole) == '(')
            return true;
    }
    return false;
}

/*
 * "old(x)", and "old.load_state_dict(new)": a method of what is called itself, and holds what its results are made of. So it is taken to be
 * in a longer loop than anybody writes, too.
 */
static bool calls_method_of_called(const struct inputs_walk *walk, struct word rows)
{
    const char *end = word_end(rows);
    unsigned called = 0;
    if (rows.length_bytes > ROWS_BYTES_MAX)
        return true;
    for (const char *at = rows.text; at < end;) {
        struct word name = word_name_at(at, end);
        bool is_called = name.length_bytes > 0 && word_end(name) < end && *word_end(name) == '(' &&
                         !word_is_keyword(name) && word_equal(word_last_part(name), name);
        if (is_called && (++called > CALLED_MAX || calls_method(walk, rows, name)))
            return true;
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return false;
}

bool site_inputs_change_nearby(struct model *model, const struct site *site)
{
    struct inputs_walk walk;
    if (!inputs_begin(&walk, model, site, INPUTS_NEAREST))
        return false;
    bool changed = calls_method_of_called(&walk, region_rows(&walk.loop));
    for (size_t i = 0; i < walk.count && !changed; i++) {
        const struct inputs_item item = walk.items[i];
        if (item.code == NULL)
            inputs_follow_called(&walk, &item);
        else
            changed =
                inputs_follow(&walk, &item, INPUTS_OF_ROUND) ||
                (item.level != SIZE_MAX && calls_method(&walk, inputs_rows(&walk, &item), word_first_part(item.name)));
    }
    return changed;
}

/* "q" of "q = q + p" in the rows of the loop; "self.q", which something there gives or changes. */
static bool is_carried(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct word last = word_last_part(item->name);
    if (last.text != item->name.text) {
        struct region_fact fact = region_of_attribute(walk->region, last);
        return fact.stores || fact.changes;
    }
    return item->level == walk->top &&
           carried_over(inputs_memo_carried(walk->memo, inputs_rows(walk, item), item->name));
}

bool site_inputs_are_carried_nearby(struct model *model, const struct site *site)
{
    struct inputs_walk walk;
    bool carried = false;
    if (!inputs_begin(&walk, model, site, INPUTS_NEAREST) || !walk.is_looped)
        return false;
    for (size_t i = 0; i < walk.count && !carried; i++) {
        const struct inputs_item item = walk.items[i];
        if (item.code == NULL) {
            inputs_follow_called(&walk, &item);
        } else {
            inputs_follow(&walk, &item, INPUTS_OF_ONE);
            carried = is_carried(&walk, &item);
        }
    }
    return carried;
}

bool site_inputs_are_stored_into(struct model *model, const struct site *site)
{
    struct inputs_walk walk;
    if (!inputs_begin(&walk, model, site, INPUTS_OUTERMOST))
        return false;
    bool stored = false;
    for (size_t i = 0, own = walk.count; i < own && !stored; i++) {
        const struct inputs_item item = walk.items[i];
        stored = item.code != NULL && inputs_follow(&walk, &item, INPUTS_OF_ROUND);
    }
    return stored;
}

bool inputs_attribute_stays(struct model *model, struct process *process, uint32_t frame, struct loop *loop)
{
    struct inputs_walk walk;
    if (!inputs_begin_at(&walk, model, process, frame, INPUTS_OUTERMOST) || !walk.is_looped)
        return false;
    bool changed = false;
    for (size_t i = 0; i < walk.count && !changed; i++) {
        const struct inputs_item item = walk.items[i];
        if (item.code == NULL)
            inputs_follow_called(&walk, &item);
        else
            changed = inputs_follow(&walk, &item, INPUTS_OF_ONE);
    }
    *loop = (struct loop){.file = walk.ways.levels[walk.top].file, .line = walk.loop.first};
    return !changed && !walk.takes_next && !inputs_change_by_others(&walk);
}
