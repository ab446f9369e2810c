#include "chores.h"

#include <errno.h>
#include <stdbool.h>

#include "hot.h"
#include "ledger/ledger.h"
#include "stack/module.h"
#include "stack/python.h"
#include "thread.h"

#define SCANS_IN_VAIN_MAX 32u

_Atomic uint32_t chores_wanted;

/* Set while a thread works: another one goes its way instead of waiting, and asks again at its next call. */
static atomic_bool chores_busy;

/*
 * The dlopen hook asks before anything is mapped, and the loader's own malloc would have it done too early: so it is looked
 * at again for a while after the last change. A look in vain costs some tens of nanoseconds.
 */
static void scan_modules(void)
{
    static unsigned in_vain;
    in_vain = module_scan() ? 0 : in_vain + 1;
    if (in_vain < SCANS_IN_VAIN_MAX) {
        chores_want(CHORE_MODULES);
    } else {
        in_vain = 0;
    }
}

static void chores_do_shared(uint32_t wanted)
{
    if ((wanted & CHORE_RESERVE) != 0) {
        ledger_reserve();
    }
    if ((wanted & CHORE_MODULES) != 0) {
        scan_modules();
    }
    if ((wanted & CHORE_SOURCES) != 0) {
        source_store_pending();
    }
}

OFF_HOT_PATH void chores_run(void)
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
