/*
 * The one gate at the top of every way into the shim.
 *
 * Rules:
 *  1. An interposed function begins with gate_enter() and, where that says no, only calls the real function.
 *     Every path out of it passes gate_leave(). It leaves errno as the real function left it.
 *  2. A signal handler begins with gate_enter_handler(). Where that says no, the signal hit the shim itself (or a
 *     process that is not recording): count it, touch nothing else. errno is saved and restored.
 *  3. Behind the gate nothing calls an interposed function, and nothing in a handler allocates, locks or prints.
 *  4. A forked child is told by a page that the kernel wipes at fork (MADV_WIPEONFORK): silent under vfork, right for
 *     a raw fork. The first interposed call that is not made in a handler adopts the child (process_adopt_child), and
 *     fork() is one, as it returns in the child; until then every way in is closed. There is no other fork hook, so
 *     there is no order to get wrong.
 *  5. No lock of the shim is ever held across a call out of it.
 */
#ifndef PIEPROF_PRELOAD_GATE_H
#define PIEPROF_PRELOAD_GATE_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHIM_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

enum gate_phase {
    GATE_WIPED = 0,  /* a forked child that nobody has adopted yet (the kernel's zeros) */
    GATE_OPEN = 1,   /* recording */
    GATE_CLOSED = 2, /* not started, not a Python process, switched off, or ended */
};

/* Points to the wiped page once gate_start() ran, to a constant GATE_CLOSED before. */
extern const volatile uint32_t *gate_phase_word;
extern SHIM_THREAD_LOCAL uint32_t gate_depth;

/* Slow path of gate_enter(): adopts a forked child. True when the caller may go in. */
bool gate_enter_wiped(void);

/* Maps the page. Called once from the constructor. False when memory is refused: the shim stays off. */
bool gate_start(void);
void gate_set_phase(enum gate_phase phase);

/* Where errno is, for ways in that are taken too often to ask libc each time: a thread's never moves. */
extern SHIM_THREAD_LOCAL int *gate_errno_place;

static inline int *gate_errno(void)
{
    if (__builtin_expect(gate_errno_place == NULL, 0)) {
        gate_errno_place = &errno;
    }
    return gate_errno_place;
}

/*
 * Handlers of this very thread read it: what is done behind the gate must not be moved out of it by the compiler, which sees through
 * every call where the shim is optimized as a whole.
 */
static inline void gate_set_depth(uint32_t depth)
{
    atomic_signal_fence(memory_order_seq_cst);
    gate_depth = depth;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline bool gate_enter(void)
{
    if (__builtin_expect(gate_depth != 0, 0)) {
        return false;
    }
    uint32_t phase = *gate_phase_word;
    if (__builtin_expect(phase != GATE_OPEN, 0)) {
        return phase == GATE_WIPED && gate_enter_wiped();
    }
    gate_set_depth(1);
    return true;
}

static inline void gate_leave(void)
{
    gate_set_depth(0);
}

/* Signal-safe. Never adopts a child. */
static inline bool gate_enter_handler(void)
{
    if (gate_depth != 0 || *gate_phase_word != GATE_OPEN) {
        return false;
    }
    gate_set_depth(1);
    return true;
}

#endif
