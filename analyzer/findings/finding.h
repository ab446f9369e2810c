/*
 * Findings: claims that a fix exists at a line (DESIGN section 5). Each rule is one file that states its claim, its
 * evidence and the traps it must not fall into, and a row in findings.c. Rules make every finding the evidence carries;
 * which are worth telling (--min-waste) is decided where they are shown.
 */
#ifndef PIEPROF_ANALYZER_FINDING_H
#define PIEPROF_ANALYZER_FINDING_H

#include "findings/parts.h"
#include "model/model.h"

#define FINDING_REPEATED_CALL "repeated native call with the same arguments" /* the category of rule repeated's */
#define FINDING_LOOP_INVARIANT "loop-invariant computation"
#define FINDING_SORTED "inefficient algorithm" /* of rule sorted's */

/* Objects of one size that a finding speaks of, over all ways to its line. */
struct finding_object {
    uint64_t size_bytes;
    uint64_t made;       /* those that could be results: neither workspaces nor unfilled */
    bool about;          /* ... as far as a part of the births says */
    uint64_t examined;   /* of these, looked at... */
    bool followed;       /* ... or, where contents come again after long, those whose content was followed throughout */
    uint64_t undecided;  /* ... or looked at in vain: it is open what they are */
    uint64_t equal;      /* of these, what the claim says */
    uint32_t period;     /* births between equal ones; 0 where it does not apply */
    uint64_t sizes;      /* different sizes on the line; the figures are of the one with most bytes */
    bool stays;          /* each of its contents, whatever the size, is one throughout the run */
    bool within_line;    /* several come round, and one execution of the line makes them all */
    bool hardly_changes; /* one of them is another once in a while, too seldom to say when */
    bool one_size;       /* what the line makes of other sizes is new */
    bool varies;         /* one call makes several of them, as where batches have several lengths */
    uint64_t apart_made; /* of this size, but not in the figures: these stay, and they come round, or the other way */
    uint64_t apart_examined, apart_equal;
    /* On how many ways the program comes to the line: what is made on one is compared with what was made on that one. */
    uint64_t ways;
    bool ways_share;              /* ... and was found equal to what was made on another */
    const struct site *other_way; /* of this size, on another way than the second site; NULL: there is one way */
};

struct finding {
    const char *kind, *category;
    char id[17];
    struct line *line;
    struct line_span span;      /* what a fix would move: of several parts the heaviest */
    struct finding_parts parts; /* all that it would move, where these are several; count 0 else */
    double waste_s;
    double apart_s;  /* of that: what lines of packages take, for operands (operand_time.h) */
    double beside_s; /* of that: what other lines take, which finish what this one makes (finish.h) */
    double around_s; /* ... and of that: what the rest of a function takes that makes this alone */
    uint64_t
        waste_samples; /* that measured `waste_s`, where counts alone carry the claim; 0: the rule has weighed that */
    uint64_t waste_bytes;
    bool by_memory;                    /* it wins bytes of the peak, no time */
    uint64_t part, whole;              /* the share: `part` of `whole` examined objects... */
    bool exact;                        /* ... which are all there were, each compared whole */
    bool looked_at_all;                /* as exact, but that may have been by samples */
    bool by_samples;                   /* of some contents only samples were compared */
    bool by_text;                      /* the program's text carries the claim: it has no share that could be off */
    uint64_t undecided;                /* beside `whole`: it is open whether they are part of it */
    const struct site *first, *second; /* NULL: it speaks of no objects, but of a context: */
    struct process *process;
    uint32_t node;
    const struct line *by; /* what overwrites its stores, or made them before; NULL where that is not the claim */
    uint32_t first_node;   /* of `process`: where what was stored before was stored; 0 where that is not the claim */
    bool part_of_call;     /* the line calls what makes other results as well, which differ... */
    bool unseen;           /* ... or may, for all that is known: NumPy's own function made them in place */
    struct finding_object object;
    struct finding *beside;            /* other parts of the line, which ask for something else; NULL: none do */
    const struct finding *call_leader; /* of those that share a call (whole_call.h) the greatest; NULL: none do */
    double call_s;                     /* the leader's: the waste of all of them... */
    uint64_t call_samples;             /* ... and the samples that measured it */
    /* Of a loop over elements what becomes of a function that is called for each, a sentence; of one over rows what it calls, and what to do
     * in its place. NULL: nothing. */
    char *called, *instead;
    /* Of a loop over elements: it stores into the items that it takes; the headers of two loops that are to change places, 0 else. */
    bool in_place;
    int32_t swapped_inner, swapped_outer;
    void (*say)(struct model *model, struct finding *finding); /* the rule's: fills the two below */
    char *claim;                                               /* what was measured: a sentence */
    char *advice;                                              /* what to do about it */
};

/* Of its second site, which made most of what it speaks of; or the context that it speaks of. */
static inline struct process *finding_process(const struct finding *finding)
{
    return finding->second != NULL ? finding->second->process : finding->process;
}

static inline uint32_t finding_node(const struct finding *finding)
{
    return finding->second != NULL ? finding->second->record->node : finding->node;
}

static inline enum phase finding_phase(const struct finding *finding)
{
    return node_phase(finding_process(finding), model_node(finding_process(finding), finding_node(finding)));
}

/* Runs every rule; fills model->findings and adds to the waste of lines. After objects_charge, before lines_rank. */
void findings_make(struct model *model);

/* Puts every finding into words. After model_build: names of files depend on which lines there are, and on portable_paths. */
void findings_say(struct model *model);
void findings_free(struct model *model);

/* Keeps those of model->phase, and tells the waste of lines by them. After findings_say. */
void findings_restrict(struct model *model);

/* findings.c, for rules: a new finding at `line`, zeroed but for its kind and category. */
struct finding *finding_add(struct model *model, struct line *line, const char *kind, const char *category);

/* findings.c: the line at another row of its file; NULL: nothing was charged to that. */
const struct line *finding_line_beside(const struct model *model, const struct line *line, int32_t row);

/* findings.c, for rules: does a finding speak of the line already? */
bool finding_has_line(const struct line *line);

/* findings.c, for rules: does one of the line win so much already? */
bool finding_is_told_better(const struct model *model, const struct line *line, double seconds);

/* findings.c, for rules that rest on the line's time alone: `process` and `node`, where most of that was spent. */
void finding_set_context(struct model *model, struct finding *finding);

/* The rules: each looks through the whole model. */
void rule_replica(struct model *model);
void rule_one_of_round(struct model *model);
void rule_repeated(struct model *model);
void rule_decomposed(struct model *model);
void rule_constant(struct model *model);
void rule_growing(struct model *model);
void rule_churn(struct model *model);
void rule_dead_store(struct model *model);
void rule_covered_fill(struct model *model);
void rule_stored_again(struct model *model);
void rule_cleared_twice(struct model *model);
void rule_cleared_before_call(struct model *model);
void rule_reduced_again(struct model *model);
void rule_sorted(struct model *model);
void rule_idle(struct model *model);
void rule_tiny_calls(struct model *model);
void rule_array_list(struct model *model);

/* identity.c: fills `id` of every finding. */
void findings_identify(struct model *model);

#endif
