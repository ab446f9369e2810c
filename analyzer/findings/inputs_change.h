/* Results that come again though a loop changes what they are computed from: a comparison, a rounding, an order. */
#ifndef PIEPROF_ANALYZER_INPUTS_CHANGE_H
#define PIEPROF_ANALYZER_INPUTS_CHANGE_H

#include "findings/loop.h"
#include "model/model.h"

enum inputs_asked {
    INPUTS_OF_ROUND, /* of several results that come round: only what is stored into counts, for counters go round as well */
    INPUTS_OF_COPY, /* the source must not be stored into, though it is made anew in each pass: it could not stand for the copy */
    INPUTS_OF_ONE /* of a result that stays */
};

/*
 * By the text of the program's own files: does the outermost loop around the site change what its expression takes? What it stores into, adds to
 * or makes of what a pass before left; what its header counts, or a comprehension; what a function that it calls does so to an
 * argument, an attribute or a name outside of it, or to a view; threads, other coroutines and what an object was handed run beside the
 * loop; parameters that an optimizer steps; what is taken by next() and pop(). Values
 * are followed through assignments and from parameters to arguments, but not what is asked for its shape; where an argument is not known, a
 * comparison and whatever else chooses is taken to change. Of a result that stays only where something in its expression chooses, counts or rounds: what is
 * computed to the last bit stays where all that it takes does. False where no columns are known (before CPython 3.11), no loop, or what makes it
 * is a package's own.
 */
bool site_inputs_change(struct model *model, const struct site *site, enum inputs_asked asked);

/*
 * As site_inputs_change() of a result that stays for the rounds of a loop around: does the nearest one change what it takes? `chosen`: false
 * where nothing in its expression chooses.
 */
bool site_inputs_change_in_nearest(struct model *model, const struct site *site, bool chosen);

/*
 * Of a result that stays, whose inputs that loop changes: does the loop of the innermost function that has one leave them as they are? Then
 * that one makes the same again in all its passes, whenever the function is called.
 */
bool site_inputs_stay_in_function(struct model *model, const struct site *site);

/* Is the nearest loop known, and does it leave the inputs as they are? Whether something is chosen does not matter. */
bool site_inputs_stay_nearby(struct model *model, const struct site *site);

/*
 * Of a result that stays: does the outermost loop change its inputs by its header alone, which gives one after the other ("for x in [train,
 * test]"), and the nearest leave them as they are? Then that one makes the same again in all its passes. Not by range(): in how many of
 * its rounds the result stayed is not known. `chosen`: false where nothing in its expression chooses.
 */
bool site_inputs_come_by_header(struct model *model, const struct site *site, bool chosen);

/*
 * Does the nearest loop around the site store into what its expression takes, or into what that is made of there, or may a method do so
 * that it calls? What a loop only counts says nothing.
 */
bool site_inputs_change_nearby(struct model *model, const struct site *site);

/*
 * Does the nearest loop make anew of itself what its expression takes, by a name or an attribute? What optimizers step, and what its header
 * gives, is not asked for.
 */
bool site_inputs_are_carried_nearby(struct model *model, const struct site *site);

/* Does the outermost loop store into what its expression names itself, be it into parts of it? What that is made of is not asked. */
bool site_inputs_are_stored_into(struct model *model, const struct site *site);

/*
 * Does the outermost loop around the call that a Python frame stands at, "self.x.mean()", leave an attribute of the method's own object as it is?
 * Which object that is, is not asked. False where no text is known, or no loop; `loop` is that.
 */
bool inputs_attribute_stays(struct model *model, struct process *process, uint32_t frame, struct loop *loop);

/* May the nearest loop around it that is no comprehension change what its expression takes, in whatever way? */
bool site_inputs_change_in_block(struct model *model, const struct site *site);

#endif
