/* Calls of what np.vectorize() makes: a loop that calls the user's function for each element, whatever the name says. */
#ifndef PIEPROF_ANALYZER_VECTORIZED_H
#define PIEPROF_ANALYZER_VECTORIZED_H

#include "findings/below.h"
#include "findings/known_formulas.h"
#include "model/model.h"

/* Of an instruction of the user's. */
struct vectorized {
    struct below below;                 /* such a call; formulas that it calls are its own work */
    uint64_t others;                    /* samples below it that are another function's */
    const struct known_formula *called; /* NULL: none was seen */
};

/* Is it np.vectorize's own? */
bool vectorized_is(const struct code *code);

/* Of a leaf below such a call at `frame`. `called`: a formula between the two; NULL: there is none. `own`: and nothing else is. */
void vectorized_add(struct model *model, struct vectorized *vectorized, bool own, const struct known_formula *called,
                    struct process *process, uint32_t frame, uint32_t leaf, const struct db_node *record);

struct walks;

/*
 * Claim: np.vectorize() calls a function for each element, which could take the whole array.
 * Evidence: NumPy's code below the user's line, and below that nothing but a function which computes one value (formula.h); samples.
 * Traps: functions that look something up, call others or work on text: no operation on whole arrays is known for these; a signature, by
 * which what is handed in is no element; results that are made whole numbers.
 */
void vectorized_claim(struct model *model, const struct walks *walks);

#endif
