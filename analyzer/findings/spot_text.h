/* What the text of an instruction says of it, as a part of the user's loop that it stands in. */
#ifndef PIEPROF_ANALYZER_SPOT_TEXT_H
#define PIEPROF_ANALYZER_SPOT_TEXT_H

#include "findings/loop.h"
#include "findings/walks.h"
#include "model/source.h"

/* The text of an instruction; of the whole line where no columns are known (before CPython 3.11). */
struct word spot_text_at(const struct source *source, const struct line_span *span);

/* Of a loop on one line the columns tell; without them (before CPython 3.11) all of it is taken for the body. */
bool spot_text_is_in_header(const struct source *source, const struct line_span *span, const struct loop_body *body);

/* `source`: as it was written. The spot's walk, its text and whether it is a header are known. */
void spot_text_read(struct spot *spot, const struct source *source, const struct line_span *span);

#endif
