/* What watching costs on this machine, measured at start in a forked child that nobody sees (a millisecond or two). */
#ifndef PIEPROF_PRELOAD_CALIBRATION_H
#define PIEPROF_PRELOAD_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calibration {
    uint64_t trap_ns;        /* wall time of one trap by a data breakpoint and back */
    bool armed_slows_splits; /* do stores that cross a cache line wait while a register is armed? (governor.h) */
};

/*
 * Fills `result`. False when data breakpoints cannot be had: `result` is untouched, `why_off` (of `bytes` bytes) holds the
 * reason and its remedy. Constructor only: it forks (no exit signal, half a second at most) and waits.
 */
bool calibration_run(struct calibration *result, char *why_off, size_t bytes);

#endif
