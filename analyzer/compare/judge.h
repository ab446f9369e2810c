/*
 * The gate's verdict. Exact counts of places that are findings decide, each against the same place of the baseline and for
 * each birth, so that runs of different length compare. Counts of other places depend on data and seed: they never decide.
 * Nor does any time. Shares that were sampled decide only where both intervals lie apart, corrected for how many were compared.
 */
#ifndef PIEPROF_ANALYZER_JUDGE_H
#define PIEPROF_ANALYZER_JUDGE_H

#include "compare/gate_options.h"
#include "compare/match.h"

/* name, what an output calls it, does it fail the gate? In the order in which they are told. */
#define JUDGED(X)                                                                                                      \
    X(NEW, "new", true)                                                                                                \
    X(INCREASED, "increased", true)                                                                                    \
    X(SHARE, "share rose", true)                                                                                       \
    X(TIME, "slower", true)                                                                                            \
    X(LIMIT, "limit", true)                                                                                            \
    X(VARIES, "not in every run", false)                                                                               \
    X(ALLOWED, "allowed", false)                                                                                       \
    X(SUPPRESSED, "suppressed", false)                                                                                 \
    X(FOUND, "found", false)                                                                                           \
    X(KNOWN, "known", false)                                                                                           \
    X(MOVED, "moved", false)                                                                                           \
    X(UNTOLD, "cannot tell", false)                                                                                    \
    X(NOTED, "noted", false)                                                                                           \
    X(SMALL, "small", false)                                                                                           \
    X(GONE, "gone", false)

enum judged {
#define X(name, text, fails) JUDGED_##name,
    JUDGED(X)
#undef X
        JUDGED_COUNT
};

struct judged_item {
    enum judged how;
    const struct profile *profile;         /* whose finding and line it is: of JUDGED_GONE the baseline's */
    const struct profile_finding *finding; /* NULL: a limit, or a share */
    const struct profile_line *line;       /* NULL: a limit */
    const char *kind;                      /* of the finding or the share; the metric of a limit */
    const char *what;                      /* sentences */
    double weight;                         /* bytes made again; for the order among alike */
};

struct judgement {
    struct judged_item *items; /* by `how`, then weight */
    size_t item_count, item_capacity;
    size_t counts[JUDGED_COUNT];
    const char **notes;
    size_t note_count, note_capacity;
    size_t shares_compared, times_compared;
    bool failed;
};

#define DECIDES_SHARE 0.9 /* of the births that are looked at must repeat for a finding to decide */

/* Objects of a line that repeat, over its groups of which at least `least` of those examined do. */
struct repeated {
    uint64_t births;       /* of results: workspaces left out */
    double objects, bytes; /* made again: of all results, as many as of those examined */
    double own;            /* of these objects, equal to an earlier one of their own place */
    bool about;            /* not all were examined */
    /* Of a baseline's line only. */
    double
        most_bytes; /* with all results of places that repeat in part: how long a plateau lasts is a matter of data */
    bool plateau;   /* any such place */
    /* What each birth made again at most: of all places, of those that repeated throughout, or of a plateau that ends later. */
    uint64_t firm_births;
    double firm_bytes, plateau_bytes_each;
    uint64_t unseen; /* results of places of which nobody looked at any: what was not examined did not repeat nothing */
    const char *untold; /* of JUDGED_UNTOLD: why it cannot be told; NULL: nobody looked */
};
struct repeated line_repeated(const struct profile_line *line, const char *kind, double least);

/*
 * What a line of the baseline repeated of what a finding of the other run tells: all of its places that repeated at all,
 * beyond chance. `same_text`: the line is not edited, so that one value throughout is a content that came again, too, which
 * another seed's data need not give.
 */
struct repeated line_repeated_before(const struct profile_line *line, const struct profile_finding *finding,
                                     bool same_text);

/* Values of the metrics on a run: see gate_options.h; of shares the percentage with its interval. */
struct metric_value {
    bool known;
    double value, low, high;
};
struct metric_value metric_of(const struct profile *profile, enum gate_metric metric);

/* Does a finding weigh enough to decide: nine tenths of the births, and 1 MiB or 1 % of the run's object bytes? */
bool finding_decides(const struct profile *profile, const struct profile_finding *finding);

/* `base` and `match` are NULL without a baseline. Free with judgement_free; strings are interned. */
void judge(struct judgement *judgement, const struct profile *now, const struct profile *base,
           const struct match *match, const struct gate_options *options);
void judgement_free(struct judgement *judgement);

/* Counts, sorts and decides anew, after items were added or changed. */
void judgement_finish(struct judgement *judgement, const struct gate_options *options);

/* For the parts of the judge: `what` is fresh memory, which is taken. */
void judgement_add(struct judgement *judgement, struct judged_item item, char *what);
void judgement_note(struct judgement *judgement, char *note);

/* refuse.c: is it the same program, perhaps renamed? */
bool judge_same_program(const struct profile *now, const struct profile *base);

/* refuse.c: is one of them of another phase, or of all? A sentence that the caller frees; NULL: no. */
char *judge_phases(const struct profile *a, const char *what, const struct profile *b, const char *other);

/*
 * refuse.c: did other values or contents count as equal in one run than in the other? A sentence that the caller frees; NULL:
 * no, or not known (an exported baseline holds nothing that is measured).
 */
char *judge_settings(const struct profile *a, const char *what, const struct profile *b, const char *other);

/*
 * grown.c: does a line that was edited make more of a known waste, for a run of its length and data of its size? `*grown`: what it makes
 * again, to be held against `there`.
 */
bool judge_has_grown(const struct match *match, const struct profile_finding *finding, const struct repeated *now,
                     const struct repeated *there, double increase_percent, struct repeated *grown);

/* called.c: the new row that calls most of what a line makes again; for how many results all such rows call, of so many in all. */
struct new_caller {
    const struct profile_row *row;
    double again, all_again;
};

/* called.c: did new rows make more of a known waste at a line that was not edited, in a run of any length? */
bool judge_has_new_caller(const struct match *match, const struct profile_finding *finding,
                          const struct repeated *there, double increase_percent, struct new_caller *caller);

/* moved.c: what is new and what is gone, where they are the same waste at another line. */
void judge_moved(struct judgement *judgement, const struct match *match, double increase_percent);

/* limits.c: --max and --max-increase METRIC=. */
void judge_limits(struct judgement *judgement, const struct profile *now, const struct profile *base,
                  const struct gate_options *options);

/*
 * measured.c: how a finding that was measured stands to the baseline (`match` NULL: there is none). `*what`: a sentence, or
 * nothing; fresh memory.
 */
enum judged judge_measured(const struct match *match, const struct profile_finding *finding, char **what);

/* measured.c: is the text of a line of `now` not in `base`, and was that not by chance left out of what was recorded? */
bool measured_line_is_new(const struct match *match, size_t line);

/* measured.c: is it edited in place, and takes far more of the run than what stood there? */
bool measured_line_is_other(const struct match *match, size_t line);

/* sampled.c: shares of stores of lines that are in both runs, and of lines that are new. */
void judge_shares(struct judgement *judgement, const struct match *match);

/* The runs of one side: one and more, of the same code. */
struct side {
    struct profile *profiles;
    size_t count;
};

/*
 * several.c: the verdict on one and more runs. What is counted exactly must fail in each run against each baseline, and the least
 * of these is told; what is sampled is added up into the first of each side. `match` is of these two. `base->count` 0: without a
 * baseline. Free with judgement_free and match_free.
 */
void judge_sides(struct judgement *judgement, struct match *match, struct side *now, struct side *base,
                 const struct gate_options *options);

/*
 * timed.c, after the lines are matched: lines of both sides, and the run as a whole, whose CPU time rose by more than
 * options->time_percent. Refuses, with fresh memory, where the runs are too few or vary too much to tell; NULL: it could tell.
 */
char *judge_times(struct judgement *judgement, const struct match *match, const struct side *now,
                  const struct side *base, const struct gate_options *options);

/* refuse.c: as gate_refusal, of all runs of both sides. */
char *gate_refusal_of_sides(const struct side *now, const struct side *base, const struct gate_options *options);

/* refuse.c: why the gate cannot decide, with the remedy; fresh memory. NULL when it can. */
char *gate_refusal(const struct profile *now, const struct profile *base, const struct gate_options *options);

const char *judged_name(enum judged how);
bool judged_fails(enum judged how);

/* PHASE_COUNT: not known, or of several. */
static inline enum phase item_phase(const struct judged_item *item)
{
    return item->finding != NULL ? item->finding->phase : item->profile->phase;
}

/* Where an item is: "src/model.py", or "" for a limit. */
static inline const char *item_path(const struct judged_item *item)
{
    return item->line != NULL ? line_path(item->profile, item->line) : "";
}

#endif
