/*
 * How many times as long as the baseline's is a run, and is its data larger? Asked here by whoever holds one run against the other; the
 * evidence (scale.h) is what lines make that stand in both and were not edited. The length of a run differs from that of another
 * by more than LENGTH_DIFFERS, or they are of one length.
 */
#ifndef PIEPROF_ANALYZER_LENGTH_H
#define PIEPROF_ANALYZER_LENGTH_H

#include "compare/match.h"

/* Do all lines make as many objects as in the baseline? One must make a quarter of `births`. */
bool length_is_same(const struct match *match, uint64_t births);

/*
 * How many times as long as the baseline's is the run: 1 where all lines make as many results, else the most that one of them makes
 * more. They must make a quarter of `births`; 0: there is none such.
 */
double length_factor(const struct match *match, uint64_t births);

/*
 * The same where new rows call for more: by the lines that none of these calls. Where they call all, old rows tell it that were called
 * `before` times in the baseline, `old` times now: if none of them was edited or taken out. 0: nobody knows.
 */
double length_factor_beside(const struct match *match, double before, double old);

/*
 * Does a line make more objects than in the baseline, and another as many times more? Then the run is so much longer; a line that
 * was moved into a loop would be alone.
 */
bool length_is_more_at(const struct match *match, size_t line);

/*
 * Is no line executed as often as in the baseline? Where one that makes a quarter of `births` is, others are not in a longer run,
 * but called more often.
 */
bool length_is_other_throughout(const struct match *match, double births);

/* How many times the results of the baseline a line makes that was not edited and made several; 0: of any other. */
double length_of_unedited(const struct match *match, size_t line);

/* The same of any line that was found again, edited or not; 0: it made none. */
double length_of_line(const struct match *match, size_t line);

/*
 * Did the buffers of a line that was not edited grow, and those of another as much or more, or of two together? Then the data is
 * larger, not the waste of the line.
 */
bool data_is_larger(const struct match *match, size_t line);

/* How many times as large the data is, by the line that was not edited whose buffers grew most; 1: none did. */
double data_factor(const struct match *match);

/* The same where some of the line's buffers, not all in the mean, are `factor` times as large. */
bool data_is_larger_by(const struct match *match, size_t line, double factor);

#endif
