/* Who gets a debug register: free ones first, then by reservoir, so that an address nobody touches blocks nothing. */
#include "access/engine.h"
#include "objects/object_map.h"
#include "process.h"

#define PATIENCE 12u
#define AGE_MAX 5000u /* samples after which a watch is given up: 20 s of CPU time at the default rate */

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

void registers_age(struct access_thread *at)
{
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        struct watch *watch = &at->watches[i];
        if (watch->phase != WATCH_FREE && ++watch->samples > AGE_MAX) {
            verdict_end(at, watch, DB_DROP_WATCH_EXPIRED);
        }
    }
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
        if (best == 0 || watch->samples > at->watches[best - 1].samples) {
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

/* Does what the watch waits for no longer exist? Its bytes may be reused, or never touched again. */
static bool is_orphan(const struct watch *watch)
{
    struct object object;
    return watch->object_serial != 0 && !object_map_find(watch->address, &object);
}

/*
 * Witch's rule (Wen et al., ASPLOS 2018): the n-th newcomer takes a register with probability 1/n. That protects an
 * address that is never touched again just as well, for ever; so only one register keeps the rule (the watch that may see an
 * epoch go by), the others' occupants stand at most one chance in PATIENCE to stay on.
 */
static bool gives_way(struct access_thread *at, struct watch *watch)
{
    watch->challenges++;
    uint32_t odds = watch->challenges + 1;
    bool patient = watch == &at->watches[0];
    if (is_orphan(watch)) {
        odds = 2;
    } else if (!patient && odds > PATIENCE) {
        odds = PATIENCE;
    }
    return access_random(at) % odds == 0;
}

struct watch *registers_take(struct access_thread *at, bool only_free)
{
    for (unsigned i = access_data_registers(at); i-- > 0;) {
        if (at->watches[i].phase == WATCH_FREE && !is_borrowed(at, i + 1)) {
            return &at->watches[i];
        }
    }
    for (unsigned i = access_data_registers(at); i-- > 0 && !only_free;) {
        struct watch *watch = &at->watches[i];
        if (watch->phase != WATCH_FREE && !watch->lent && gives_way(at, watch)) {
            verdict_end(at, watch, DB_DROP_WATCH_REPLACED);
            return watch;
        }
    }
    return NULL;
}
