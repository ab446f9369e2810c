/* Calls that use up what they take: of a queue, a stack, an iterator. Or that change an object of which only the rest is kept. */
#ifndef PIEPROF_ANALYZER_USES_UP_H
#define PIEPROF_ANALYZER_USES_UP_H

#include "python/words.h"

/*
 * The first of them in a piece of code without strings and comments, by its name: "messages.get" of "len(messages.get())". Empty where
 * there is none: of a dict, get() takes a key; what "next(iter(loader))" goes through is made anew, as is what any other call returns.
 */
struct word uses_up_call(struct word code);

#endif
