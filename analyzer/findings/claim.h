/* A rule's claim on a line while it is made: the sites that carry it, and what is told of them. */
#ifndef PIEPROF_ANALYZER_CLAIM_H
#define PIEPROF_ANALYZER_CLAIM_H

#include "findings/parts.h"
#include "findings/sites.h"

/* What a place adds to a claim. */
struct claimed {
    struct place *place;
    size_t first, end; /* its sites */
    double equal_bytes, waste_s;
    double apart_s; /* of waste_s: spent at lines of packages, whose own it is */
    double again;   /* where all that it makes is made again: what part of it; 0 else */
    uint64_t samples;
    bool joined;   /* in the second round */
    bool part;     /* its other results differ, ... */
    bool unseen;   /* ... or all that may is what NumPy's own functions made in place */
    bool one_size; /* what it makes of other sizes is new */
    bool changes;  /* its inputs do so, as another of its results says, if seldom */
    unsigned sort; /* rule->sort_of() its heaviest site */
};

/* Sites that carry a rule's claim on one line. */
struct claim {
    const struct site_rule *rule;
    const struct site **sites;
    size_t count, capacity;
    bool joining; /* second round: sites that count beside those of the first */
    struct claimed *places;
    size_t place_count, place_capacity;
    bool part;     /* of each place, other results differ... */
    bool unseen;   /* ... or may, as above */
    bool changes;  /* one of the places does so */
    bool one_size; /* ... and of one other sizes are new */
    double waste_s, apart_s;
    uint64_t samples;           /* that measured it */
    struct line_span span;      /* of the first place; line 0 before that, no columns where not all places have some */
    struct finding_parts parts; /* of the row, which all places together are */
};

/* Does a call make claimed objects of several sizes, among the sites [first, end)? */
bool claim_varies(const struct claim *claim, size_t first, size_t end);

/*
 * Tells in a finding of the claim's line what of its objects is equal, where, on which ways: of the size with most equal bytes, or of
 * what comes round. Sorts the claim's sites, of which there is at least one, by size.
 */
void claim_fill(struct model *model, struct claim *claim, struct finding *finding);

/* Adds a place's span: a fix moves those of all places. Where one has no columns, none are told. */
void claim_span(struct claim *claim, const struct line_span *span, double seconds);

#endif
