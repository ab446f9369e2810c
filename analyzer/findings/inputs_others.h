/* Of the names that a site's expression is made of, those that something changes by another name: an optimizer, a container, setattr(). */
#ifndef PIEPROF_ANALYZER_INPUTS_OTHERS_H
#define PIEPROF_ANALYZER_INPUTS_OTHERS_H

#include "findings/inputs_walk.h"

/* May a plain name that is called be that of an object: is it handed in, or given one of a class? */
bool inputs_is_object(const struct inputs_walk *walk, struct word name);

/* Is it a parameter of PyTorch's, and does a step of an optimizer in the loop change these? */
bool inputs_is_stepped(const struct inputs_walk *walk, struct word name);

/* Is one of the names that were found changed so? All of the program is looked through for it: to be asked last. */
bool inputs_change_by_others(const struct inputs_walk *walk);

#endif
