/*
 * Counts the loads and stores of native code that cannot be rebuilt, such as NumPy's and PyTorch's: every instruction of a call is
 * stepped through (the processor's trap flag) and decoded, and what it accesses is announced to the counter.
 *
 * x86-64, one thread, some twelve microseconds an instruction in a virtual machine. An access of more than eight bytes counts as
 * one of each eight: no watch is wider. Where a vector register tells what is accessed (gathers, and the masks of AVX2), nothing
 * is announced.
 */
#ifndef PIEPROF_TRUTH_STEPPER_H
#define PIEPROF_TRUTH_STEPPER_H

#include <stdint.h>

void stepper_call(uint32_t line); /* as counter_call; from here on this thread is stepped through */
void stepper_return(void);        /* until here */

/* Accesses to objects that were met and are in no count, since they were not understood. */
uint64_t stepper_missed(void);

#endif
