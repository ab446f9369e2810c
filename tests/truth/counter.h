/*
 * Counts every load and store of instrumented kernels and says exactly what part of them was redundant or dead: what the
 * shares of the access engine are measured against. The definitions are those of the report; nothing is sampled.
 *
 * Kernels are compiled with -fsanitize=thread, whose calls before each access come here instead of to its run-time library;
 * of code that cannot be rebuilt each instruction is stepped through (stepper.h). One thread. Only accesses inside objects
 * announced by counter_born count.
 */
#ifndef PIEPROF_TRUTH_COUNTER_H
#define PIEPROF_TRUTH_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTER_LINES 4096u

/* `part` of `whole` is redundant or dead; `recycled` of `part` is so across two objects at one address. */
struct counter_share {
    uint64_t whole, part, recycled;
};

/*
 * Of one line: all its pairs, and those whose accesses lie in two calls, the last of one and the first of a later one. Each of
 * those counts as often as the bytes were loaded (stored to) in the first call: for every such access a watch would be kept alive.
 */
struct counter_line {
    struct counter_share loads, loads_across;
    struct counter_share stores, stores_across; /* `stores` counts single stores: recycled is not told of them */
    struct counter_share dead, dead_across;
};

void counter_call(uint32_t line); /* a native call begins, from that line (below COUNTER_LINES) */
void counter_return(void);
void counter_forget(void); /* counts from nothing; what was accessed before stays known */
const struct counter_line *counter_line(uint32_t line);

/* Accesses are announced before they happen: counter_settle() says that those before have, counter_access() that this one will. */
void counter_settle(void);
void counter_access(const void *place, size_t bytes, bool is_store);

/* Does an announced object hold the byte, in a call that is counted? */
bool counter_knows(const void *place);

void counter_born(const void *object, size_t bytes);
void counter_died(const void *object);

#endif
