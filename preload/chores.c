#include "chores.h"

#include <errno.h>
#include <stdbool.h>

#include "ledger/ledger.h"
#include "stack/module.h"
#include "stack/python.h"
#include "thread.h"

_Atomic uint32_t chores_wanted;

/* Set while a thread works: another one goes its way instead of waiting, and asks again at its next call. */
static atomic_bool chores_busy;

static void chores_do_shared(uint32_t wanted)
{
    if ((wanted & CHORE_RESERVE) != 0) {
        ledger_reserve();
    }
    if ((wanted & CHORE_MODULES) != 0) {
        module_scan();
    }
    if ((wanted & CHORE_SOURCES) != 0) {
        source_store_pending();
    }
}

void chores_run(void)
{
    int errno_before = errno;
    /* What a thread wants for itself needs no turn: nobody else can do it. */
    if ((atomic_load(&chores_wanted) & CHORE_THREAD) != 0) {
        atomic_fetch_and(&chores_wanted, ~(uint32_t)CHORE_THREAD);
        thread_prepare();
    }
    if (!atomic_exchange(&chores_busy, true)) {
        chores_do_shared(atomic_fetch_and(&chores_wanted, (uint32_t)CHORE_THREAD));
        atomic_store(&chores_busy, false);
    }
    errno = errno_before;
}

void chores_finish(void)
{
    if (!atomic_exchange(&chores_busy, true)) {
        source_store_pending();
        atomic_store(&chores_busy, false);
    }
}

void chores_reset_child(void)
{
    atomic_store(&chores_wanted, 0);
    atomic_store(&chores_busy, false);
}
