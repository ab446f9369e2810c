/*
 * Claim: the line inverts or decomposes a matrix again that it had shortly before, as where each sample asks for the inverse of its
 * component's covariance, or a bandit inverts all its arms' matrices though one has changed.
 * Evidence: four of five results, of those looked at, equal one of the last that the line made, whatever the order. Such functions
 * give equal numbers for equal matrices alone, so that no rhythm is asked for: what a mask, a maximum or a rounded number may do while its
 * input moves, these do not.
 * Traps: what rule replica tells (a matrix that stays, or several that come round) it says better, and comes first; solutions of
 * systems, which are equal where a method has converged, and whose right sides the advice would forget.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/expression.h"
#include "findings/sites.h"
#include "model/frames.h"
#include "python/words.h"
#include "show/page.h"

#define EQUAL_MIN 16u
#define SHARE_OF_FIVE 4u

static bool is_decomposition(struct word name)
{
    static const char *const names[] = {"inv",        "pinv",      "inverse", "cholesky",    "cholesky_inverse",
                                        "cho_factor", "lu_factor", "lu",      "eigh",        "eig",
                                        "svd",        "qr",        "expm",    "matrix_power"};
    return WORD_IS_ONE_OF(word_last_part(name), names);
}

/* Of the foundations' own Python, in which NumPy's and SciPy's are written. */
static bool has_frame(struct model *model, const struct site *site)
{
    struct context context;
    bool found = false;
    context_expand_python(&context, model, site->process, site->record->node);
    for (size_t i = 0; i < context.count && !found; i++) {
        const struct frame *frame = &context.frames[i];
        found = frame->kind == FRAME_PYTHON && frame->owner == OWNER_FOUNDATION && frame->function != NULL &&
                is_decomposition((struct word){frame->function, strlen(frame->function)});
    }
    context_free(&context);
    return found;
}

static bool is_called(struct model *model, const struct site *site)
{
    struct operation operation = operation_at(model, site->process, callers_frame(site->process, site->record->node));
    return operation.kind == OPERATION_CALL && is_decomposition((struct word){operation.name, operation.length_bytes});
}

static uint64_t equal_of(const struct site *site)
{
    return site->record->replicas;
}

static bool holds(struct model *model, const struct site *site)
{
    const struct db_site *record = site->record;
    return record->replicas >= EQUAL_MIN &&
           record->replicas * (SHARE_OF_FIVE + 1) >= record->examined * SHARE_OF_FIVE &&
           (is_called(model, site) || has_frame(model, site));
}

static const char *name(struct model *model, struct finding *finding)
{
    (void)model;
    (void)finding;
    return FINDING_REPEATED_CALL;
}

static void say(struct model *model, struct finding *finding)
{
    char *part = say_part(model, finding), *made = say_made(&finding->object, part);
    char *equal = page_times(finding->object.equal), *others = say_others(&finding->object);
    finding->claim = memory_print("%s, %s equal to one of those made shortly before%s.", made, equal, others);
    finding->advice = memory_print("Keep each result beside the matrix that it is made of, and make it anew only where "
                                   "that one has changed.");
    free(part);
    free(made);
    free(equal);
    free(others);
}

void rule_decomposed(struct model *model)
{
    static const struct site_rule rule = {.kind = "replica",
                                          .holds = holds,
                                          .equal = equal_of,
                                          .equal_min = EQUAL_MIN,
                                          .differing = site_new,
                                          .name = name,
                                          .say = say};
    sites_find(model, &rule);
}
