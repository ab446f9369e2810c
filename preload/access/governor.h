/* What the shim costs, and whether the access engine may spend more: PIEPROF_BUDGET percent of the process's CPU time. */
#ifndef PIEPROF_PRELOAD_GOVERNOR_H
#define PIEPROF_PRELOAD_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the measure of a trap (calibration.h). False with the reason when data breakpoints cannot be had. Constructor only. */
bool governor_start(char *why_off, size_t bytes);

/*
 * Charges one trap whose handler took `handler_ns` of the thread's CPU time, and the way in and out of the kernel, of
 * which a clock read inside the handler sees almost nothing, times what is lost after: the program finds its caches and
 * branch predictors cold (training steps in NumPy and PyTorch, in alternating slices with and without: 1.2 to 1.8 times
 * what the clocks had shown). Signal-safe.
 */
void governor_charge(uint64_t handler_ns);

/*
 * Charges `armed_ns` of a thread's CPU time with a register armed. On some processors an armed debug register, of whatever
 * kind, makes each store that crosses a cache line wait (measured on Intel server cores of 2023: 0.7 ns become 6.8), which no
 * handler sees: NumPy's loops over arrays that malloc aligns to 16 bytes ran 1.2 to 2.9 times longer. `split_stores` is the
 * share of such stores in 1/65536. Free where the calibration saw no such thing. Signal-safe.
 */
void governor_charge_armed(uint64_t armed_ns, uint32_t split_stores);
/* In a forked child: its account is its own. */
void governor_reset_child(void);
/* May watches wait longer than they do? Their waiting has a part of the budget. Signal-safe. */
bool governor_allows_waiting(void);

/* May an access sample be attempted? Once the cost so far exceeds the share of the CPU time so far, no. Signal-safe. */
bool governor_allows(void);

/*
 * Shall this tick of the clock be passed over? Near the end of the budget every second one is, before access samples are:
 * most of a tick's cost is the stack it captures. Its time is the next sample's. Signal-safe.
 */
bool governor_thins(void);

#endif
