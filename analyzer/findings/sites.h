/*
 * What rules on objects share: the sites of a line that carry a claim, weighed against those of the same instruction that
 * speak against it.
 */
#ifndef PIEPROF_ANALYZER_SITES_H
#define PIEPROF_ANALYZER_SITES_H

#include "findings/changed.h"
#include "findings/finding.h"
#include "findings/site_counts.h"

struct site_rule {
    const char *kind;
    bool (*holds)(struct model *model, const struct site *site); /* does the site alone carry the claim? */
    bool (*joins)(struct model *model,
                  const struct site *site);         /* of lines with such a site: these as well; NULL: none */
    uint64_t (*equal)(const struct site *site);     /* objects of such a site that the claim counts */
    uint64_t (*examined)(const struct site *site);  /* out of how many; NULL: of all that were compared */
    uint64_t equal_min;                             /* objects that an instruction must have of these */
    uint64_t (*differing)(const struct site *site); /* objects of another site that speak against it */
    uint64_t (*first)(const struct site *site);     /* of another site: those that speak neither way; NULL: none */
    double waste_percent; /* no finding below this share of the run's time, beyond what chance explains */
    /* Do the contents of the finding's second site, `object.period` of them, come round? NULL where that is not asked. */
    bool (*comes_round)(struct model *model, const struct finding *finding);
    const char *(*name)(struct model *model,
                        struct finding *finding); /* its category; may set `first`, which is `second` else */
    void (*say)(struct model *model, struct finding *finding); /* fills claim and advice */
    /* Sites of two values ask for two advices, be they of one line: each is given its own. NULL: one is for all. */
    unsigned (*sort_of)(struct model *model, const struct site *site);
};

/*
 * One finding a line at most: of its instructions, each way to them alone, where the bytes of objects that differ are at
 * most a tenth of the bytes that are equal, and objects that speak neither way are no more than the equal ones. Its
 * waste is the time below them, as far as it is spent for such objects, and of that the part that the equal ones are of
 * those examined.
 */
void sites_find(struct model *model, const struct site_rule *rule);

/* Does the site fill every object with one value, the same one? */
bool site_is_constant(const struct site *site);

/* Does the site make the same contents again and again, over the whole run (rule replica)? */
bool site_repeats(const struct site *site);

/* ... but not only these: once in a while its one content is another. */
bool site_hardly_changes(const struct site *site);

/* Does it make what another site has just made (rule repeated)? */
bool site_repeats_another(struct model *model, const struct site *site);

/* "model.py:57", fresh memory. */
char *say_place(const struct model *model, const char *file, int32_t line);

/* "the loop at train.py:12", "the comprehension at ...": around the context that the finding speaks of; fresh memory. */
char *say_loop(struct model *model, const struct finding *finding);

/* The text of an expression of one row, or its beginning; NULL: it is not known. Fresh memory. */
char *say_span(const struct model *model, const char *file, const struct line_span *span);

/* "train.py:12, 14 and 15", fresh memory. `count`: one and more. */
char *say_rows(const struct model *model, const char *file, const int32_t *rows, size_t count);

/*
 * " fit() at train.py:12, which is handed it, must not change it in place." of what the text says becomes of a buffer; empty where it is
 * handed to nobody. Fresh memory.
 */
char *say_handed(const struct model *model, const struct changed *changed);

/* "; on this line 3 other sizes likewise" or nothing; fresh memory. */
char *say_others(const struct finding_object *object);

/*
 * "_asarray at sklearn/utils.py:185": what makes the objects, where the line's call makes other results as well, and not by
 * the line's own instruction; NULL else. Fresh memory.
 */
char *say_part(struct model *model, const struct finding *finding);

/* What to do about that. `once`: its inputs were not seen to change. Fresh memory. */
char *say_part_advice(bool once);

/* " It speaks of 2 parts of the line, each by itself: ..." of a finding that does; empty else. Fresh memory. */
char *say_parts(const struct model *model, const struct finding *finding);

/* "np.exp(x) and x @ w": what the finding speaks of. Fresh memory. */
char *say_what(const struct model *model, const struct finding *finding);

/* "512 KiB made 260 times by sorting", with how many were looked at where not all were. `by`: NULL for none. Fresh memory. */
char *say_made(const struct finding_object *object, const char *by);

#endif
