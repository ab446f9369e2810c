/*
 * The phases of a training program, by the Python frames of a calling context. Frames are entered from the outside in, and
 * each may carry a sign: a place of a library that is known (phase.c), a name of plain words (phase_names.c), or a file's
 * name, in this order of strength. The innermost sign decides, but
 *   - a weaker sign never overrules a stronger one: what a user calls `update` inside a module's call is forward;
 *   - what a loader of data calls is data loading, to the bottom: a transformation of images that is a torch module, too;
 *   - a forward pass inside a library's backward one is part of it: a checkpoint that is computed again (a `backprop` that
 *     somebody wrote may well begin with the forward pass);
 *   - what an optimizer's step calls back (a closure, for L-BFGS) is a forward pass until its own frames say otherwise;
 *   - compiling (torch.compile) is none of the phases, wherever it happens;
 *   - a function that is just named "update" is the optimizer only where nothing that it calls is a forward or backward pass: an
 *     agent's `update` is a whole step of training, of which what is neither belongs to no phase.
 * What no sign reaches is "other": the loop itself, copies to a device, metrics, threads without Python frames.
 */
#ifndef PIEPROF_ANALYZER_PHASE_H
#define PIEPROF_ANALYZER_PHASE_H

#include <stdbool.h>
#include <stdint.h>

/* id; the name in JSON and of --phase; in words. In the order in which they are told. */
#define PHASES(X)                                                                                                      \
    X(DATA, "data_loading", "data loading")                                                                            \
    X(FORWARD, "forward", "forward")                                                                                   \
    X(BACKWARD, "backward", "backward")                                                                                \
    X(OPTIMIZER, "optimizer", "optimizer")                                                                             \
    X(OTHER, "other", "other")

enum phase {
#define X(id, name, words) PHASE_##id,
    PHASES(X)
#undef X
        PHASE_COUNT
};

enum phase_strength { PHASE_UNKNOWN, PHASE_BY_FILE, PHASE_BY_NAME, PHASE_BY_LIBRARY };

/* What a frame says of the phase, or what all frames down to one have said. */
struct phase_sign {
    uint8_t phase;    /* enum phase */
    uint8_t strength; /* enum phase_strength */
    bool last;        /* nothing further in overrules it */
    bool calls_back;  /* an optimizer's step: the next frame outside the library is a closure */
    bool may_be_step; /* what it calls tells: parameters are updated, or all of a step is in it */
};

struct code;
struct model;
struct process;

extern const char *const phase_names[PHASE_COUNT]; /* "data_loading" */
extern const char *const phase_words[PHASE_COUNT]; /* "data loading" */

/* By name; PHASE_COUNT when there is none of this name. */
enum phase phase_find(const char *name);

/* What a code object says by its file and name; its owner must be known. */
struct phase_sign phase_of_code(const struct code *code);

/* phase_names.c: what the name says; PHASE_UNKNOWN strength when nothing. */
struct phase_sign phase_of_name(const struct code *code);

/* Does the process in whose stack this code object stands do nothing but load data? */
bool phase_is_worker(const struct code *code);

/* Before any frame is entered: takes their signs from functions of the process that turn out to be whole steps. */
void phase_find_steps(struct model *model, struct process *process);

/* Enters a frame of `code`; `from` is the file of the innermost user frame outside it, NULL when there is none. */
void phase_enter(struct phase_sign *state, const struct code *code, const char *from);

#endif
