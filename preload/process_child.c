#include "process_child.h"

#include "chores.h"
#include "ledger/ledger.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "stack/context.h"
#include "stack/module.h"
#include "stack/native.h"
#include "stack/python.h"
#include "thread.h"

bool process_child_reset(void)
{
    chores_reset_child();
    /* The descriptors first: whatever follows must not run under a clock or watch that is still the parent's. */
    thread_reset_child();
    ledger_reset_child();
    if (!ledger_is_open()) {
        return false;
    }
    module_reset_child();
    python_reset_child();
    native_reset_child();
    context_reset_child();
    object_map_reset_child();
    replica_reset_child();
    /* The loader's lock may have been held by another thread at a raw fork: modules are looked at as a chore. */
    chores_want(CHORE_MODULES);
    return true;
}
