/*
 * The lines of two runs of one program, lined up over edits: by the text of whole files where both are known, so that lines
 * that moved, renamed files and renamed functions are found again.
 */
#ifndef PIEPROF_ANALYZER_MATCH_H
#define PIEPROF_ANALYZER_MATCH_H

#include "compare/profile.h"
#include "compare/scale.h"

struct match_place {
    size_t file; /* of the other profile; SIZE_MAX: none */
    int32_t line;
};

struct match {
    const struct profile *base, *now;
    struct match_place **places; /* of each file of `now`, of each of its lines: where it stands in `base` */
    size_t *base_lines;          /* of each line of `now`: its index among the lines of `base`, SIZE_MAX: not there */
    bool *known;                 /* of each line of `now`: it stands in the text of `base`, counted there or not */
    struct scales scales;
};

/* Never fails. Free with match_free. */
void match_make(struct match *match, const struct profile *base, const struct profile *now);
void match_free(struct match *match);

/* Where a place of `now` stands in `base`; line 0: not found. */
struct match_place match_place(const struct match *match, size_t file, int32_t line);

/* Does a row of `now` stand in the text of `base` as it is, blanks aside? `*place`: where, edited or not. */
bool match_row_is_unedited(const struct match *match, size_t file, int32_t row, struct match_place *place);

/* The same of a line that was counted. */
bool match_is_unedited(const struct match *match, const struct profile_line *line);

/* Of each line of `base`: does it stand in `now` as it is? Fresh memory. */
bool *match_kept_lines(const struct match *match);

/* Stands any line of this file of `now` in `base`? */
bool match_has_file(const struct match *match, size_t file);

/* How much of a file of `base` is still in one of `now`, 0 to 1: half and more is the same file under another name. */
#define MATCH_SAME_FILE 0.5
double match_files_alike(const struct profile_file *base, const struct profile_file *now);

#endif
