/* Was a content there before? It is held against those that its site remembers, and equal samples are proved. */
#ifndef PIEPROF_PRELOAD_JUDGE_H
#define PIEPROF_PRELOAD_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/content.h"
#include "objects/object_map.h"
#include "objects/sites.h"

/* One object on its way through its site's history. */
struct examined {
    uintptr_t start;
    const struct content_sample *sample;
    uint32_t birth;
    uint64_t digest;
    bool is_whole;  /* the digest is of the whole content */
    bool is_last;   /* it lived to the end of the program */
    uint32_t proof; /* of the whole content, 0 when not made */
};

/* Of a content that stands at `start`: by its sample, or by all of it where that is asked for (PIEPROF_DIGEST=full). */
struct examined judge_object(const struct object *object, const struct content_sample *sample, uintptr_t start);

/*
 * Counts it in the site's record, as equal, new or undecided, and remembers it. The site is locked. True when the object itself
 * is counted as a replica: the later born of the two, or one that outlived those that came before it.
 */
bool judge(struct site *site, struct examined *object);

/* No more will come: what samples said and no proof ever confirmed is taken back. */
void judge_finish(struct site *site);

/* Notes whether it is of a content that is not remembered (DB_UNLIKE_...); it is not remembered either. The site is locked. */
void judge_glance(struct site *site, struct examined *object);

/* Remembers it, uncounted; one born later that was taken for new and equals it is counted now. The site is locked. */
void judge_primer(struct site *site, struct examined *primer);

/* Equals of its site and of another are to be held against each other whole (recent.h). */
void judge_prove_wanted(struct site *site, struct examined *object);

/*
 * Nearly each of the first births, at last one in 32; of large ones no more than that. Spread so (Fibonacci hashing) that of results
 * which come round after any number of births each has its turn.
 */
bool judge_proves(uint32_t birth, size_t size_bytes);

#endif
