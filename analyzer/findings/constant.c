/*
 * Claim: the line fills buffers with one and the same value each time; one such buffer would do.
 * Evidence: every object of the site was constant at its end, and all of the same value; each took the place of the one
 * before; nothing is seen to store into them after the line, neither in the text nor in a few that were looked at in between; and
 * the time it took, measured at that instruction in more than a few samples, is worth it. Without that it is a fact of the line, no
 * finding.
 * Traps: buffers that are of another value in between (ones, tripled in place: kept, they would be tripled again; -1 for what is
 * still to do, filled with another when it is done); buffers of one value each, but not the same (the time of a step, the working target of a round, the leaves of a tree that goes into itself); buffers that are
 * alive together, which the program may come to write apart (gradients, states); a line whose other results repeat is rule replica's, constants included; automatic differentiation's ones and zeros, initial states and masks that happen to be full: they cost nothing;
 * results that are constant only at times (any object that is not unmakes it); a computed result that is all one value
 * because of the data (a check that finds nothing); arrays of Python objects, which NumPy empties before it frees them: pandas makes such
 * of columns of several types.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "findings/blank.h"
#include "findings/changed.h"
#include "findings/changed_later.h"
#include "findings/expression.h"
#include "findings/libraries.h"
#include "findings/loop.h"
#include "findings/sites.h"
#include "python/words.h"
#include "show/page.h"

#define CONSTANT_MIN 4u
#define ARGUMENTS_MAX 8u
#define WASTE_PERCENT 0.5
#define ALIVE_MAX 2u /* the next is made before the name lets go of the one before */

bool site_is_constant(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->constant > 0 && record->constant == record->examined && record->constant == record->alike;
}

static void find_changes(struct model *model, const struct site *site, struct changed *changed)
{
    changed_find(changed, model, site->process, lines_frame_of_leaf(model, site->process, site->record->node));
}

/* Does anything store into the buffer between the line and its end? What it holds then is not what the line made. */
static bool is_stored_into(struct model *model, const struct site *site)
{
    struct changed changed;
    find_changes(model, site, &changed);
    return changed.count > 0 || site_changed_later(model, site);
}

/* "np.ones(n)", "np.full(n, -1)": of the same value by the text, wherever it is called from. */
static bool is_literal(struct model *model, const struct site *site)
{
    static const char *const ones[] = {"ones", "ones_like"}, *const full[] = {"full", "full_like"};
    struct word text, function, arguments, items[ARGUMENTS_MAX];
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    text.text = operation_text(model, site->process, frame, &text.length_bytes);
    if (text.text == NULL || !word_last_call(text, &function, &arguments))
        return false;
    if (WORD_IS_ONE_OF(word_last_part(function), ones))
        return true;
    size_t count = word_split(arguments, ',', items, ARGUMENTS_MAX);
    return WORD_IS_ONE_OF(word_last_part(function), full) && count > 1 && count != SIZE_MAX && word_is_number(items[1]);
}

static bool is_of_another_way(const struct site *site, const struct site *other)
{
    return other->process == site->process && other->record->constant > 0 &&
           other->record->size_bytes == site->record->size_bytes && other->python != site->python;
}

/* Does its line make others of the size on other ways, of a value that may be another? Which value is not recorded, but for zero. */
static bool may_differ_by_way(struct model *model, const struct site *site)
{
    if (site->record->zero == site->record->constant)
        return false;
    for (const struct place *place = site->place->line->places; place != NULL; place = place->next)
        for (const struct site *other = place->sites; other != NULL; other = other->next)
            if (is_of_another_way(site, other))
                return !is_literal(model, site);
    return false;
}

static bool holds(struct model *model, const struct site *site)
{
    return site_is_constant(site) && !site_is_made_by_pandas(model, site) && site->record->most_alive <= ALIVE_MAX &&
           !finding_has_line(site->place->line) && !may_differ_by_way(model, site) &&
           site_is_blank(model, site) != BLANK_NO && !is_stored_into(model, site);
}

static uint64_t constant_of(const struct site *site)
{
    return site->record->constant;
}

static uint64_t differing_of(const struct site *site)
{
    return site->record->examined - site->record->constant;
}

static const char *name(struct model *model, struct finding *finding)
{
    (void)model;
    (void)finding;
    return "loop-invariant computation";
}

static void say(struct model *model, struct finding *finding)
{
    const struct finding_object *object = &finding->object;
    const struct site *site = finding->second;
    struct loop loop = loop_around(model, site->process, site->record->node, false);
    char *made = say_made(object, NULL), *others = say_others(object);
    struct changed changed;
    find_changes(model, site, &changed);
    char *place = loop.file != NULL ? say_place(model, loop.file, loop.line) : NULL,
         *handed = say_handed(model, &changed);
    char *outside = place != NULL ? memory_print(", made outside the loop at %s,", place) : memory_print("%s", "");
    finding->claim = memory_print("%s, each full of %s at its end%s.", made,
                                  site->record->zero > 0 ? "zeros" : "one and the same value", others);
    finding->advice =
        memory_print("One such buffer%s would do where nothing stores into it in between.%s", outside, handed);
    free(made);
    free(others);
    free(outside);
    free(handed);
    free(place);
}

void rule_constant(struct model *model)
{
    static const struct site_rule rule = {.kind = "constant",
                                          .holds = holds,
                                          .equal = constant_of,
                                          .equal_min = CONSTANT_MIN,
                                          .differing = differing_of,
                                          .waste_percent = WASTE_PERCENT,
                                          .name = name,
                                          .say = say};
    sites_find(model, &rule);
}
