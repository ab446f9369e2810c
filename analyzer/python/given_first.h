/* Is a name given a value in each round of a loop, whichever way the round goes, before it is asked for? */
#ifndef PIEPROF_ANALYZER_GIVEN_FIRST_H
#define PIEPROF_ANALYZER_GIVEN_FIRST_H

#include <stdbool.h>

#include "python/words.h"

/*
 * By the statements of the loop's body, down to the one that holds `at`: "if on: state = 1" gives it in some rounds, with an
 * "else" that does, too, in all. A way that goes on with the next round, or ends the loop, asks for nothing more; a loop within
 * may go round in vain, but for one over a number of rounds. False as well where suites are nested deeper than there is room.
 */
bool given_first(struct word body, struct word name, const char *at);

#endif
