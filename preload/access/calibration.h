/* What watching costs on this machine, measured at start in a forked child that nobody sees (a millisecond or two). */
#ifndef PIEPROF_PRELOAD_CALIBRATION_H
#define PIEPROF_PRELOAD_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calibration {
    uint64_t trap_ns; /* wall time of one trap by a data breakpoint and back */
    /* What goes slower while a register is armed (governor.h). */
    bool armed_slows_splits; /* stores that cross a cache line */
    double string_slowdown;  /* times as long for repeated string instructions, REP MOVS and STOS; 1: as fast as ever */
    uint64_t armed_fault_ns; /* a first touch of a page, armed */
    uint64_t
        fault_extra_ns; /* of it what it takes longer than unarmed; 0 where the kernel does not clear by such means */
};

/*
 * Fills `result`. False when data breakpoints cannot be had: `result` is untouched, `why_off` (of `bytes` bytes) holds the
 * reason and its remedy. Constructor only: it forks (no exit signal, half a second at most) and waits.
 */
bool calibration_run(struct calibration *result, char *why_off, size_t bytes);

#endif
