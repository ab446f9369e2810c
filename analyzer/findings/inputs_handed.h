/* Names that rows hand to functions, or to what stands for one, which may change in place what they name. */
#ifndef PIEPROF_ANALYZER_INPUTS_HANDED_H
#define PIEPROF_ANALYZER_INPUTS_HANDED_H

#include "findings/inputs_walk.h"

/*
 * Does a function of the program's files change in place what it is handed by that name, one of its items or of its views in these rows? Of
 * several functions by one name any may be meant, and of one that is handed beside it ("map(step, ps)") any parameter. A statement that does
 * nothing but hand it to something that has no name, or a name of which the files say nothing ("hooks[0](p)", "f(p)"), is for what that does.
 */
bool handed_changes(const struct inputs_walk *walk, struct word rows, struct word name);

/* ... an attribute of that name, in what a pass of the loop may run? */
bool handed_attribute_changes(const struct inputs_walk *walk, struct word name);

/*
 * Do the rows before the loop give parts of a name of the loop's own function other names, or objects that keep it, by which a pass changes
 * it: "rows = list(p.reshape(4, -1))", "optimizer = Sgd([w])"? What is stored into a copy by such a name counts, too.
 */
bool handed_before_changes(const struct inputs_walk *walk, const struct inputs_item *item);

#endif
