/* Two runs side by side: what is new, gone, more and less, line by line. Says; decides nothing (judge.h does). */
#ifndef PIEPROF_ANALYZER_DIFFERENCE_H
#define PIEPROF_ANALYZER_DIFFERENCE_H

#include "compare/judge.h"

/* What a line made, over all its groups. */
struct line_objects {
    uint64_t births;
    double bytes, again_bytes; /* all that it made; of it, what was made again (nine tenths of a place's births) */
};

struct difference_line {
    const struct profile_line *base, *now; /* NULL: not in that run */
    struct line_objects before, after;
    bool edited, unmatched; /* another text; not found in the other run's text at all */
};

struct difference {
    const struct profile *base, *now;
    struct difference_line *lines; /* those that changed, biggest change first */
    size_t line_count, line_capacity;
    size_t unmatched;           /* of them, lines of `now` that were not found in `base` */
    struct judgement judgement; /* with the gate's defaults */
    bool timed;                 /* both are runs: their times can be told */
};

/* Free with difference_free. */
void difference_make(struct difference *difference, const struct profile *base, const struct profile *now,
                     const struct match *match);
void difference_free(struct difference *difference);

/* The line itself: of `now` where it is there. */
static inline const struct profile_line *difference_line(const struct difference_line *line)
{
    return line->now != NULL ? line->now : line->base;
}

static inline const char *difference_path(const struct difference *difference, const struct difference_line *line)
{
    return line->now != NULL ? line_path(difference->now, line->now) : line_path(difference->base, line->base);
}

#endif
