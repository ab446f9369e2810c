/*
 * Each change of a disposition is a new immutable entry in a small ring and one atomic exchange of the entry in force:
 * no lock, so a handler, a forked child or another thread never waits for a writer that was interrupted. A reader
 * copies and looks whether the entry was recycled meanwhile.
 */
#include "signals_program.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate.h"
#include "process.h"
#include "real.h"
#include "signals.h"
#include "thread.h"

#define KERNEL_SA_RESTORER 0x04000000
/* Since Linux 5.11 the kernel forgets flags that it does not know. */
#define KERNEL_SA_KNOWN                                                                                                \
    (int)(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | SA_RESETHAND)
#define RING_ENTRIES 32u

struct entry {
    _Atomic uint64_t generation; /* odd while being written */
    struct sigaction action;
};

struct taken {
    int signal_number;
    _Atomic bool active;
    void (*handler)(int, siginfo_t *, void *);
    _Atomic uint64_t claimed;
    _Atomic(struct entry *) in_force;
    struct entry ring[RING_ENTRIES];
};

static struct taken table[] = {
    {.signal_number = SIGTRAP}, {.signal_number = SIGSEGV}, {.signal_number = SIGBUS}, {.signal_number = SIGPROF}};
#define TABLE_ENTRIES (sizeof table / sizeof table[0])

static void (*restorer)(void); /* libc's, so that what is reported back looks as it would without the shim */

static struct taken *taken_find(int signal_number)
{
    for (size_t i = 0; i < TABLE_ENTRIES; i++) {
        if (table[i].signal_number == signal_number) {
            return atomic_load_explicit(&table[i].active, memory_order_acquire) ? &table[i] : NULL;
        }
    }
    return NULL;
}

bool signals_taken(int signal_number)
{
    return taken_find(signal_number) != NULL;
}

/* Puts `action` in force and returns the entry that was. */
static struct entry *entry_exchange(struct taken *taken, const struct sigaction *action)
{
    uint64_t ordinal = atomic_fetch_add(&taken->claimed, 1);
    struct entry *entry = &taken->ring[ordinal % RING_ENTRIES];
    atomic_fetch_or(&entry->generation, 1);
    entry->action = *action;
    atomic_store_explicit(&entry->generation, 2 * (ordinal + 1), memory_order_release);
    return atomic_exchange(&taken->in_force, entry);
}

/* False when the entry was recycled while being read. */
static bool entry_copy(struct entry *entry, struct sigaction *action)
{
    uint64_t before = atomic_load_explicit(&entry->generation, memory_order_acquire);
    *action = entry->action;
    atomic_thread_fence(memory_order_acquire);
    return (before & 1) == 0 && atomic_load_explicit(&entry->generation, memory_order_relaxed) == before;
}

void signals_program_get(int signal_number, struct sigaction *action)
{
    struct taken *taken = taken_find(signal_number);
    while (!entry_copy(atomic_load(&taken->in_force), action)) {
    }
}

static bool has_function(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/*
 * What the kernel holds for the program's `action`. Everything is blocked in the handler, so that no program handler
 * can jump out of it; only the faults stay open, for guarded reads. Its own alternate stack is used where the program
 * asks for one, and system calls are restarted unless the program's own handler wants them cut short.
 */
static int kernel_install(const struct taken *taken, const struct sigaction *action)
{
    struct sigaction kernel = {.sa_sigaction = taken->handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&kernel.sa_mask);
    sigdelset(&kernel.sa_mask, SIGSEGV);
    sigdelset(&kernel.sa_mask, SIGBUS);
    if (has_function(action)) {
        kernel.sa_flags |= action->sa_flags & SA_ONSTACK;
        if ((action->sa_flags & SA_RESTART) == 0 && taken->signal_number != SIGPROF) {
            kernel.sa_flags &= ~SA_RESTART;
        }
    }
    return REAL(sigaction)(taken->signal_number, &kernel, NULL);
}

bool signals_take(int signal_number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action;
    for (size_t i = 0; i < TABLE_ENTRIES; i++) {
        struct taken *taken = &table[i];
        if (taken->signal_number != signal_number) {
            continue;
        }
        if (REAL(sigaction)(signal_number, NULL, &action) != 0) {
            return false;
        }
        taken->handler = handler;
        entry_exchange(taken, &action);
        atomic_store_explicit(&taken->active, true, memory_order_release);
        if (kernel_install(taken, &action) != 0) {
            atomic_store(&taken->active, false);
            return false;
        }
        struct sigaction installed;
        if (REAL(sigaction)(signal_number, NULL, &installed) == 0) {
            restorer = installed.sa_restorer;
        }
        return true;
    }
    return false;
}

bool signals_in_vfork_child(void)
{
    return *gate_phase_word == GATE_OPEN && process_record->pid != (uint32_t)syscall(SYS_getpid);
}

static int vfork_child_set(struct taken *taken, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction kernel;
    int status = REAL(sigaction)(taken->signal_number, action, &kernel);
    if (status == 0 && old != NULL) {
        *old = kernel;
        if (kernel.sa_sigaction == taken->handler) {
            signals_program_get(taken->signal_number, old);
        }
    }
    return status;
}

int signals_program_set(int signal_number, const struct sigaction *action, struct sigaction *old)
{
    struct taken *taken = taken_find(signal_number);
    if (action == NULL) {
        if (old != NULL) {
            signals_program_get(signal_number, old);
        }
        return 0;
    }
    struct sigaction wanted = *action;
    if (signals_in_vfork_child()) {
        return vfork_child_set(taken, &wanted, old);
    }
    sigdelset(&wanted.sa_mask, SIGKILL);
    sigdelset(&wanted.sa_mask, SIGSTOP);
    wanted.sa_flags = (wanted.sa_flags & KERNEL_SA_KNOWN) | KERNEL_SA_RESTORER;
    wanted.sa_restorer = restorer;
    struct sigaction before;
    struct entry *replaced = entry_exchange(taken, &wanted);
    if (old != NULL && entry_copy(replaced, &before)) {
        *old = before;
    }
    return kernel_install(taken, &wanted);
}

void signals_program_reset_handler(int signal_number)
{
    struct sigaction action;
    signals_program_get(signal_number, &action);
    action.sa_handler = SIG_DFL;
    entry_exchange(taken_find(signal_number), &action);
}

void signals_surrender(int signal_number)
{
    /* By system call: this runs in a handler, where looking up libc's function is out of bounds. */
    const struct {
        uintptr_t handler, flags, restorer;
        uint64_t mask;
    } by_default = {.handler = (uintptr_t)SIG_DFL};
    syscall(SYS_rt_sigaction, signal_number, &by_default, NULL, sizeof by_default.mask);
}

static bool ignored_by_program(const struct taken *taken)
{
    struct sigaction action;
    if (!atomic_load(&taken->active)) {
        return false;
    }
    signals_program_get(taken->signal_number, &action);
    return action.sa_handler == SIG_IGN;
}

/* An event that fires while the kernel ignores its signal kills; other threads' clocks cannot be stopped from here. */
static bool may_be_ignored(int signal_number)
{
    bool sampling = signal_number == SIGTRAP || signal_number == SIGPROF;
    return !sampling || signals_in_vfork_child() || thread_count() <= 1;
}

void signals_before_exec(void)
{
    if (!signals_in_vfork_child() && gate_enter()) {
        thread_pause();
        gate_leave();
    }
    for (size_t i = 0; i < TABLE_ENTRIES; i++) {
        if (ignored_by_program(&table[i]) && may_be_ignored(table[i].signal_number)) {
            REAL(sigaction)(table[i].signal_number, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
        }
    }
}

void signals_after_failed_exec(void)
{
    for (size_t i = 0; i < TABLE_ENTRIES; i++) {
        if (ignored_by_program(&table[i])) {
            struct sigaction action;
            signals_program_get(table[i].signal_number, &action);
            kernel_install(&table[i], &action);
        }
    }
    if (!signals_in_vfork_child() && gate_enter()) {
        thread_resume();
        gate_leave();
    }
}
