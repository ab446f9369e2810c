#include "objects/site_context.h"

#include <string.h>

#include "pieprof/db.h"
#include "stack/eh_frame.h"
#include "stack/module.h"

/* The frames of the shim itself stand at the leaf end. */
static void drop_own_frames(struct context_scratch *scratch)
{
    size_t own = 0;
    while (own < scratch->native_count) {
        const struct module *module = module_find(scratch->native[own].address);
        if (module == NULL || (module->flags & DB_MODULE_SHIM) == 0) {
            break;
        }
        own++;
    }
    scratch->native_count -= own;
    memmove(scratch->native, scratch->native + own, scratch->native_count * sizeof *scratch->native);
    if (scratch->native_count > 0) {
        scratch->native[0].address--; /* a leaf is the instruction itself, not what follows it */
        scratch->native[0].gap = false;
    }
}

static uintptr_t function_start(uintptr_t address)
{
    struct eh_frame_function function;
    const struct module *module = module_find(address);
    return module != NULL && eh_frame_find_function(module, address, &function) ? function.low : address;
}

/*
 * The functions from the allocator's caller up to the innermost evaluation loop, the interpreter's own left out. The
 * outermost alone would not do: all of NumPy's ufuncs enter by one.
 */
static uint64_t find_maker(const struct context_scratch *scratch)
{
    uint64_t maker = 0;
    for (size_t i = 0; i < scratch->native_count; i++) {
        uintptr_t address = scratch->native[i].address;
        if (module_is_eval_loop(address)) {
            return maker;
        }
        if (!module_is_interpreter(address)) {
            maker = (maker ^ function_start(address - (i > 0 ? 1 : 0))) * UINT64_C(0x9E3779B97F4A7C15);
            maker ^= maker >> 32;
        }
    }
    return 0;
}

uint32_t site_context_capture(struct context_scratch *scratch, uint64_t *maker)
{
    ucontext_t here;
    *maker = 0;
    if (getcontext(&here) != 0) {
        return 0;
    }
    enum python_walk_result walked =
        python_walk(scratch->python, PYTHON_DEPTH_MAX, &scratch->python_count, &scratch->python_truncated);
    scratch->has_python_state = walked != PYTHON_WALK_NO_STATE;
    scratch->launched = 0;
    scratch->waits = false;
    scratch->native_count = native_unwind_again(&here, &scratch->native_memory, scratch->native, NATIVE_DEPTH_MAX,
                                                &scratch->native_complete);
    drop_own_frames(scratch);
    *maker = find_maker(scratch);
    return context_intern(scratch, 0);
}
