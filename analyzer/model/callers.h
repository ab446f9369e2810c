/* Calls into the foundations from other code, each on one way, and the native time below them. */
#ifndef PIEPROF_ANALYZER_CALLERS_H
#define PIEPROF_ANALYZER_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memo.h"

struct model;
struct process;

/*
 * A call into the foundations from other code, on one way: what all below it took, where objects were made. Other code may be compiled:
 * then it is that of the Python function which it called.
 */
struct caller {
    uint64_t native_ns;    /* native and boundary time */
    int32_t line;          /* where it stands; at most 0: not known */
    bool told;             /* it is in a finding's waste */
    struct caller *beside; /* the same function's on the same way: another of its instructions */
};

struct callers {
    struct memo by_way;     /* struct caller */
    struct map by_function; /* the first of its own */
    struct map finished;    /* ways whose finishing calls a finding has: no other looks for them */
};

/*
 * The innermost Python frame (node id) on the way to `node_id` whose code is of neither the foundations nor the standard library: it makes
 * the call that all below belongs to. 0 without one.
 */
uint32_t callers_frame(const struct process *process, uint32_t node_id);

/* The call below which a node lies; NULL where it took no time or there is none. */
struct caller *callers_get(struct model *model, struct process *process, uint32_t node_id);

/* All calls of the function that makes it, on the way to it: the first, others are beside it; NULL as above. */
struct caller *callers_of_function(struct model *model, struct process *process, uint32_t node_id);

/* Adds CPU time to the call below which a node lies. */
void callers_charge(struct model *model, struct process *process, uint32_t node_id, uint64_t cpu_ns);

/* Nanoseconds that no finding has told yet, and from now on one does; 0 of NULL. */
uint64_t caller_take(struct caller *caller);

void callers_free(struct callers *callers);

#endif
