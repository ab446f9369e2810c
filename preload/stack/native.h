/* Native frames: a stepper over .eh_frame that runs in handlers. */
#ifndef PIEPROF_PRELOAD_NATIVE_H
#define PIEPROF_PRELOAD_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define NATIVE_DEPTH_MAX 512u

struct native_frame {
    uintptr_t address; /* leaf: the interrupted instruction; callers: return address */
    uintptr_t cfa;     /* stack pointer before the call that made this frame */
    bool gap;          /* frames between this one and the one before could not be unwound */
};

/*
 * Unwinds from `context`, leaf first, to the thread's outermost frame. Where rules are missing it marks a gap and goes on
 * at a caller guessed by the frame pointer or a near return address, if the rules lead from there to the evaluation loop
 * (or the stack's end) without another gap; else at the evaluation loop's return slot. `complete` is false when it
 * stopped short. Signal-safe: guarded reads, a lock-free cache of rules by address, nothing else.
 */
size_t native_unwind(const ucontext_t *context, struct native_frame *frames, size_t capacity, bool *complete);

/* The stack of the thread's last sample. Zeroed memory is an empty one. */
struct native_memory {
    size_t count;
    uint32_t generation; /* module_generation() then */
    struct native_frame frames[NATIVE_DEPTH_MAX];
};

/*
 * The same, quicker: most of a stack is as it was at the sample before. Where a frame of `memory` comes up again, and all
 * return addresses outside it still stand in their places, the rest is taken from there.
 */
size_t native_unwind_again(const ucontext_t *context, struct native_memory *memory, struct native_frame *frames,
                           size_t capacity, bool *complete);

/* Prepares tables (outside handlers). */
bool native_start(void);
void native_reset_child(void);

#endif
