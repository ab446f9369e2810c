/* Who gets a debug register. None is taken from a watch that waits, but lent for a moment: patience.c ends the waiting. */
#include "access/engine.h"

/* xorshift32 (Marsaglia, 2003). */
uint32_t access_random(struct access_thread *at)
{
    uint32_t x = at->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    at->random = x;
    return x;
}

static bool is_borrowed(const struct access_thread *at, unsigned index)
{
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        if (at->searches[i].active && at->searches[i].register_index == index) {
            return true;
        }
    }
    return false;
}

/* The watch that has waited longest is the least likely to be hit in the moment that its register is away. */
unsigned registers_lend(struct access_thread *at)
{
    unsigned best = 0;
    for (unsigned index = 1; index < at->register_count; index++) {
        const struct watch *watch = &at->watches[index - 1];
        if (is_borrowed(at, index) || watch->phase == WATCH_BIRTH) {
            continue;
        }
        if (watch->phase == WATCH_FREE) {
            return index;
        }
        if (best == 0 || watch->armed_at_ns < at->watches[best - 1].armed_at_ns) {
            best = index;
        }
    }
    if (best != 0) {
        watch_register_disarm(&at->registers[best]);
        at->watches[best - 1].lent = true;
    }
    return best;
}

void registers_return(struct access_thread *at, unsigned index)
{
    struct watch *watch = &at->watches[index - 1];
    bool lent = watch->lent;
    watch->lent = false;
    if (!lent || watch->phase == WATCH_FREE || watch->phase == WATCH_ASLEEP) {
        return;
    }
    watch->slept = true;
    if (!verdict_read_value(watch, &watch->current)) {
        verdict_end(at, watch, DB_DROP_WATCH_UNREADABLE);
    } else if (!watch_register_arm(&at->registers[index], WATCH_ACCESS, watch->address, watch->size_bytes)) {
        verdict_end(at, watch, DB_DROP_NO_REGISTER);
    }
}

struct watch *registers_take(struct access_thread *at)
{
    for (unsigned i = access_data_registers(at); i-- > 0;) {
        if (at->watches[i].phase == WATCH_FREE && !is_borrowed(at, i + 1)) {
            return &at->watches[i];
        }
    }
    return NULL;
}
