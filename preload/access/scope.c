/*
 * Whether two accesses lie in one native call: the stack word that holds its return address into the evaluation loop is
 * written by the next call from there and by nothing before, so a write-watch on it is an exact "the call ended".
 */
#include "access/engine.h"

static struct watch_register *slot_register(struct access_thread *at)
{
    return &at->registers[ENGINE_SLOT_REGISTER];
}

bool scope_open(struct access_thread *at, uintptr_t slot)
{
    struct watch_register *reg = slot_register(at);
    if (slot == 0 || (reg->kind == WATCH_WRITE && reg->address == slot)) {
        return slot != 0;
    }
    if (reg->kind == WATCH_WRITE && slot < reg->address) {
        return false; /* a call inside the one that is watched: native code that called Python back */
    }
    scope_close(at);
    return watch_register_arm(reg, WATCH_WRITE, slot, 8);
}

void scope_check(struct access_thread *at, const ucontext_t *uc)
{
    struct watch_register *reg = slot_register(at);
    if (reg->kind == WATCH_WRITE && machine_stack_pointer(uc) > reg->address) {
        scope_close(at);
    }
}

/* Does a call from an evaluation loop still use the slot? Certain only where the stack unwound without a gap. */
static bool is_live(const struct context_scratch *scratch, uintptr_t slot)
{
    for (size_t i = 0; i + 1 < scratch->native_count; i++) {
        if (scratch->native[i].gap || scratch->native[i].cfa - sizeof(uintptr_t) == slot) {
            return true;
        }
    }
    return !scratch->native_complete;
}

void scope_verify(struct access_thread *at, uintptr_t innermost_slot)
{
    const struct watch_register *reg = slot_register(at);
    if (reg->kind == WATCH_WRITE && reg->address != innermost_slot &&
        (innermost_slot > reg->address || !is_live(at->thread->scratch, reg->address))) {
        scope_close(at);
    }
}

void scope_close(struct access_thread *at)
{
    struct watch_register *reg = slot_register(at);
    if (reg->kind != WATCH_OFF) {
        watch_register_disarm(reg);
        verdict_call_ended(at);
        search_call_ended(at);
    }
}

void scope_release(struct access_thread *at)
{
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        if (at->watches[i].phase != WATCH_FREE && at->watches[i].scope_known) {
            return;
        }
    }
    watch_register_disarm(slot_register(at));
}
