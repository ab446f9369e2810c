/*
 * Work that must not be done in a handler: a handler asks for it, the next interposed call outside a handler does it.
 * malloc and its family are interposed, so in a running program that is a matter of microseconds.
 */
#ifndef PIEPROF_PRELOAD_CHORES_H
#define PIEPROF_PRELOAD_CHORES_H

#include <stdatomic.h>
#include <stdint.h>

enum chore {
    CHORE_RESERVE = 1u << 0, /* ledger_reserve(): the reserve of extents runs low */
    CHORE_MODULES = 1u << 1, /* module_scan(): an address in no known module, or dlopen was called */
    CHORE_SOURCES = 1u << 2, /* source_store_pending(): files that nobody has looked at yet */
    CHORE_THREAD = 1u << 3,  /* thread_prepare(): this thread wants resources only non-handlers can get */
};

extern _Atomic uint32_t chores_wanted;

/* Signal-safe. */
static inline void chores_want(enum chore chore)
{
    atomic_fetch_or_explicit(&chores_wanted, chore, memory_order_relaxed);
}

/* Does what is wanted, unless another thread is at it. Behind the gate, outside handlers. Keeps errno. */
void chores_run(void);

/*
 * The last turn of a process that ends: stores the texts still wanted. Behind the gate; system calls alone and no lock, for
 * _exit() is called in children of threaded programs and in the program's handlers.
 */
void chores_finish(void);

/* In a forked child: forgets what the parent wanted, and a turn another of its threads had. */
void chores_reset_child(void);

static inline void chores_poll(void)
{
    if (__builtin_expect(atomic_load_explicit(&chores_wanted, memory_order_relaxed) != 0, 0)) {
        chores_run();
    }
}

#endif
