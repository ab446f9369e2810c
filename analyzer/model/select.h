/* Which lines and pairs the options ask for. */
#ifndef PIEPROF_ANALYZER_SELECT_H
#define PIEPROF_ANALYZER_SELECT_H

#include "model/model.h"
#include "options.h"

struct selection {
    const struct finding **findings; /* in rank order */
    size_t finding_count;
    size_t finding_matches;    /* before the limit cut them */
    const struct line **lines; /* in rank order */
    size_t line_count;
    size_t line_matches; /* before --top cut them */
    const struct pair_group **pairs;
    size_t pair_count;
};

/* What an output shows where the options leave it open. */
struct selection_limits {
    size_t lines, pairs; /* how many at most */
    size_t findings;     /* as many, unless --top asks for another number of lines and there is a limit */
    double line_percent; /* lines below this share of the time, and without waste, only by --top */
    uint64_t pair_count; /* groups of fewer pairs never */
};

/* Free with selection_free. */
void selection_make(struct selection *selection, const struct model *model, const struct options *options,
                    const struct selection_limits *limits);
void selection_free(struct selection *selection);

/* What --min-waste is held against: of the run's time as sure as samples make it, or of the bytes at its peak. */
double select_finding_percent(const struct model *model, const struct finding *finding);

/* Percent of the run's time (imports left out) that `seconds` are. */
double model_percent(const struct model *model, double seconds);

#endif
