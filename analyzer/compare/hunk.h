/* Rows of a file that were edited together: between two that stand in the baseline as they are. */
#ifndef PIEPROF_ANALYZER_HUNK_H
#define PIEPROF_ANALYZER_HUNK_H

#include "compare/match.h"

struct hunk {
    size_t file, base_file;
    int32_t above, below;           /* the rows around it */
    int32_t base_above, base_below; /* where these stand in the baseline */
};

/* That of a row of the run that is judged; false where it is not in one, or in one of too many rows. */
bool hunk_at(const struct match *match, size_t file, int32_t row, struct hunk *hunk);

/* Does a line of the run that is judged, or of the baseline, stand in it? */
bool hunk_has(const struct hunk *hunk, const struct profile_line *line);
bool hunk_had(const struct hunk *hunk, const struct profile_line *line);

/*
 * What its rows make again of a kind, and what those made that stood there. `settled`, of each line of the run that is judged: what it
 * makes came from elsewhere or is accepted, and is left out; NULL: none.
 */
struct hunk_sum {
    double births, objects, bytes;
};
struct hunk_repeated {
    struct hunk_sum now, base;
    double
        length; /* how many times as often the rows are executed, where a line that was not edited says so; 1: as often */
};
struct hunk_repeated hunk_repeated(const struct match *match, const struct hunk *hunk, const char *kind,
                                   const bool *settled);

/* The same of all rows of all files that were edited, whether they stood together or not; no length. `kept`: see match_kept_lines. */
struct hunk_repeated hunk_repeated_anywhere(const struct match *match, const char *kind, const bool *kept);

/* As much, some on either side; or more, of objects or bytes: of a run of another length, for each time. */
bool hunk_is_alike(const struct hunk_repeated *repeated);
bool hunk_is_more(const struct hunk_repeated *repeated);

#endif
