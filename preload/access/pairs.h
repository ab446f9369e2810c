/* Pairs of accesses, counted once per kind of pair: the table in front of the ledger's DB_KIND_PAIR records. */
#ifndef PIEPROF_PRELOAD_PAIRS_H
#define PIEPROF_PRELOAD_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "pieprof/db.h"

bool pairs_start(void);
void pairs_reset_child(void);

/*
 * Adds one, which stands for `scale` such pairs, to the record that equals `pair` in everything but its counters, making
 * it where there is none. Signal-safe, lock-free; a full table or ledger is counted and the pair lost.
 */
void pairs_add(const struct db_pair *pair, uint64_t weight_ns, uint64_t scale);

#endif
