/* Outside of which loop a buffer for what a line makes again and again has to be made, so that it is made less often. */
#ifndef PIEPROF_ANALYZER_CHURN_LOOP_H
#define PIEPROF_ANALYZER_CHURN_LOOP_H

#include "findings/loop.h"

#define CHURN_ALIVE_MAX 16u /* one for each layer, say; two where a result takes the place of the one before */

struct churn_loop {
    struct loop loop; /* file NULL: none is known around all of them; a buffer made once has to be kept */
    bool handed;      /* the line stands in a loop of its own function, and this is one of a caller's */
    bool each_size;   /* the line makes a few sizes, each about as often: one may be needed while another is made */
};

/*
 * The nearest loop in the line's own function, unless its passes are seen, or have to be taken, to make a buffer of its own each in each
 * call of the function (layers of unlike widths, a loop that ends with its first pass): made before the loop, they would be made just as
 * often. Then the outermost loop around it.
 */
struct churn_loop churn_loop_of(struct model *model, const struct site *site);

#endif
