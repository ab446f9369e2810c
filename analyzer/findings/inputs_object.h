/* What the object of a method on the way is made of, where it is made, or taken, anew: "Tree(w).best()", "trees[k].best()". */
#ifndef PIEPROF_ANALYZER_INPUTS_OBJECT_H
#define PIEPROF_ANALYZER_INPUTS_OBJECT_H

#include "findings/inputs_walk.h"

/*
 * Adds what `made`, a text of the item's function, hands to the constructors of the program that give an object `attribute` ("self.w"), for
 * that; of one of several ("trees[k]") the name of what holds them. Nothing where no such constructor is known.
 */
void inputs_add_made_of(struct inputs_walk *walk, struct word made, const struct inputs_item *of,
                        struct word attribute);

/* Likewise of what stands for "self" in the call of the item's method, where it has no name. */
void inputs_add_unnamed(struct inputs_walk *walk, const struct inputs_item *item, struct word attribute);

#endif
