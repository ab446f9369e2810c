#include "stack/slot.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "stack/guard.h"
#include "stack/module.h"
#include "stack/python.h"

#define CANDIDATES 4u
#define VOTES_MIN 3u
#define SCAN_WORDS_MAX 4096u
#define REACH_BYTES ((uintptr_t)64 << 20)

/*
 * The compiler gives the evaluation loop one stack frame, so the slot lies at a constant distance from the variable
 * whose address the thread state publishes. The number belongs to the build of Python: it is learned from stacks that
 * unwound, by majority. A candidate packs distance and votes in one word, so votes are single atomic steps.
 */
static _Atomic uint64_t candidates[CANDIDATES];

#define DISTANCE_OF(word) ((int32_t)(uint32_t)((word) >> 32))
#define VOTES_OF(word) ((uint32_t)(word))

static void vote(int32_t distance)
{
    for (unsigned i = 0; i < CANDIDATES; i++) {
        uint64_t word = atomic_load_explicit(&candidates[i], memory_order_relaxed);
        uint64_t fresh = (uint64_t)(uint32_t)distance << 32 | 1;
        if (word == 0 && atomic_compare_exchange_strong(&candidates[i], &word, fresh)) {
            return;
        }
        if (DISTANCE_OF(word) == distance) {
            if (VOTES_OF(word) < INT32_MAX) {
                atomic_fetch_add_explicit(&candidates[i], 1, memory_order_relaxed);
            }
            return;
        }
    }
}

static bool learned(int32_t *distance)
{
    uint64_t votes = 0;
    uint64_t best = 0;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        uint64_t word = atomic_load_explicit(&candidates[i], memory_order_relaxed);
        votes += VOTES_OF(word);
        best = VOTES_OF(word) > VOTES_OF(best) ? word : best;
    }
    *distance = DISTANCE_OF(best);
    return VOTES_OF(best) >= VOTES_MIN && VOTES_OF(best) * UINT64_C(2) > votes;
}

/* The word that a call from the innermost evaluation loop pushed, by the frames; 0 when a gap makes it uncertain. */
static uintptr_t slot_of(const struct native_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (frames[i].gap) {
            return 0;
        }
        if (module_is_eval_loop(frames[i].address)) {
            return i > 0 ? frames[i - 1].cfa - 8 : 0;
        }
    }
    return 0;
}

static void learn(uintptr_t slot, uintptr_t anchor)
{
    intptr_t distance = (intptr_t)(slot - anchor);
    if (distance == (int16_t)distance) {
        vote((int32_t)distance);
    }
}

void slot_learn(const struct native_frame *frames, size_t count)
{
    uintptr_t slot = slot_of(frames, count);
    uintptr_t anchor = slot != 0 ? python_anchor() : 0;
    if (anchor != 0) {
        learn(slot, anchor);
    }
}

static bool holds_return_address(uintptr_t slot)
{
    uintptr_t word = 0;
    return guard_word(&word, slot) && module_is_eval_loop(word) && module_is_behind_call(word);
}

/*
 * The words up the live stack that return into the loop. What earlier calls left there may be among them, so below a published
 * anchor the only one is certain, and of several none; without an anchor the first is taken.
 */
static uintptr_t scan(uintptr_t stack_pointer, uintptr_t anchor)
{
    uintptr_t found = 0;
    uintptr_t place = (stack_pointer + 7) & ~(uintptr_t)7;
    for (unsigned i = 0; i < SCAN_WORDS_MAX && (anchor == 0 || place < anchor); i++, place += 8) {
        uintptr_t word = 0;
        if (!guard_word(&word, place)) {
            return 0;
        }
        bool returns = module_is_eval_loop(word) && module_is_behind_call(word);
        if (returns && (anchor == 0 || found != 0)) {
            return anchor == 0 ? place : 0;
        }
        found = returns ? place : found;
    }
    return place >= anchor ? found : 0;
}

uintptr_t slot_find(const ucontext_t *context, const struct native_frame *frames, size_t count)
{
    uintptr_t stack_pointer = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    uintptr_t instruction = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    if (module_is_eval_loop(instruction)) {
        return 0;
    }
    int32_t distance = 0;
    uintptr_t anchor = python_anchor();
    bool anchored = anchor != 0 && learned(&distance);
    if (anchored) {
        uintptr_t slot = anchor + (uintptr_t)(intptr_t)distance;
        if (slot >= stack_pointer && slot - stack_pointer < REACH_BYTES && holds_return_address(slot)) {
            return slot;
        }
    }
    uintptr_t slot = slot_of(frames, count);
    if (slot != 0 && holds_return_address(slot)) {
        return slot;
    }
    struct python_top top;
    slot = !anchored && python_top(&top) ? scan(stack_pointer, anchor) : 0;
    if (slot != 0 && anchor != 0) {
        learn(slot, anchor);
    }
    return slot;
}
