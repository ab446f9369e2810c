/* Whether a native call is known to fill the buffers that it returns. */
#ifndef PIEPROF_ANALYZER_FILLED_H
#define PIEPROF_ANALYZER_FILLED_H

#include "model/model.h"

/*
 * By what the innermost Python instruction above `node_id` says (CPython 3.11 and later): an operator, a subscript, or a
 * call by another name than those that give memory as it is; all below it must be code of the foundations, which hand out
 * nothing else unfilled. False: it may or may not.
 */
bool call_fills(struct model *model, struct process *process, uint32_t node_id);

/*
 * Does a function of a package, below the line, make the site's objects as memory as it is, by the name of what it calls? It is taken to
 * fill them by its other calls before it returns.
 */
bool site_is_filled_in_package(struct model *model, const struct site *site);

/*
 * Of such a site: is the call at `frame`, further out in the package, of the same name? "xp.empty(n)" calls a function empty() of a layer that
 * the package has over several libraries, which calls NumPy's.
 */
bool frame_hands_out_blank(struct model *model, const struct site *site, uint32_t frame);

#endif
