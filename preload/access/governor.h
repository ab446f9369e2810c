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
 * Charges what a thread's time with a register armed took longer than it would have unarmed, which no handler sees:
 * - Stores that cross a cache line (measured on Intel server cores of 2023: 0.7 ns become 6.8; NumPy's loops over arrays that
 *   malloc aligns to 16 bytes ran 1.2 to 2.9 times longer). `split_stores` is their share of the stores in 1/65536.
 * - Page faults, since the kernel clears pages by string instructions (1.8 times for 4 KiB, 12 times for 2 MiB; each of a
 *   program's first touches after a large malloc).
 * Free where the calibration saw no such thing. Signal-safe.
 */
struct armed_time;
void governor_charge_armed(const struct armed_time *armed, uint32_t split_stores);
/*
 * The program's own repeated string instructions (AMD EPYC: REP STOSB and MOVSB 13 to 28 times as long with a register armed),
 * which memset and memcpy use for large blocks: a tick `since_ns` of the thread's CPU time after the one before found the
 * thread, armed, inside one. How often that happens tells what they cost where watches wait, which their share of
 * the program's time does not: a watch waits near the access that it was set at. Signal-safe.
 */
bool governor_strings_are_slowed(void);
void governor_charge_string(uint64_t since_ns);
/*
 * Huge pages may come from now on: the program has asked for them. Where the kernel gives them to all who do not ask, or malloc
 * asks, governor_start() has found that out. Without them faults that take long have other causes. Signal-safe.
 */
void governor_expect_huge_pages(void);
/* In a forked child: its account is its own. */
void governor_reset_child(void);
/* May watches wait longer than they do? Their waiting has a part of the budget. Signal-safe. */
bool governor_allows_waiting(void);
/* Would the time with registers armed, were they never at rest, cost more than its part of the budget? Signal-safe. */
bool governor_waiting_is_dear(void);
/* The longest that one watch may wait at this program's price of armed time; UINT64_MAX where it is free. Signal-safe. */
uint64_t governor_longest_wait_ns(void);

/* May an access sample be attempted? Once the cost so far exceeds the share of the CPU time so far, no. Signal-safe. */
bool governor_allows(void);

/*
 * In percent of its period, how far apart the ticks of a clock shall be that has the pace `pace`: farther near the end of the
 * budget, before access samples are given up, and while the thread imports, of which no more is told than the time in all. Beyond
 * the budget each tick doubles it, as long as 100 a second are left. Signal-safe.
 */
#define GOVERNOR_QUICK_PACE 100u
#define GOVERNOR_SLOW_PACE 240u /* at the default rate 104 a second */
unsigned governor_pace(unsigned pace, bool imports);

#endif
