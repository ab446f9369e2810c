#include "stack/module_eval.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "stack/eh_frame.h"
#include "stack/guard.h"

#define COLD_CANDIDATES 32u
#define COLD_JUMPS_MIN 4u

static _Atomic uintptr_t body_low, body_high, cold_low, cold_high;

bool module_is_eval_loop(uintptr_t address)
{
    return (address >= atomic_load_explicit(&body_low, memory_order_relaxed) &&
            address < atomic_load_explicit(&body_high, memory_order_relaxed)) ||
           (address >= atomic_load_explicit(&cold_low, memory_order_relaxed) &&
            address < atomic_load_explicit(&cold_high, memory_order_relaxed));
}

/* The symbol's size as the mapped .dynsym gives it; the unwind table's range of the function where it gives none. */
static uintptr_t body_end(const struct module *module, uintptr_t start)
{
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (dladdr1((const void *)start, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL &&
        symbol->st_size != 0 && (uintptr_t)info.dli_saddr == start) {
        return start + symbol->st_size;
    }
    struct eh_frame_function function;
    return eh_frame_find_function(module, start, &function) ? function.high : start;
}

struct cold {
    uintptr_t low, high;
    unsigned jumps;
};

static void count_jump(struct cold *candidates, const struct eh_frame_function *function)
{
    for (unsigned i = 0; i < COLD_CANDIDATES; i++) {
        if (candidates[i].low == function->low || candidates[i].jumps == 0) {
            candidates[i].low = function->low;
            candidates[i].high = function->high;
            candidates[i].jumps++;
            return;
        }
    }
}

/*
 * Symbols of the cold part are stripped from most builds. But a conditional jump that leaves a function goes to its own
 * cold part (tail calls are plain jumps): the piece of code that most of them enter is it. Reading opcodes at every
 * offset also sees jumps that are none; those scatter and stay below the threshold.
 */
static void find_cold(const struct module *module, uintptr_t low, uintptr_t high)
{
    struct cold candidates[COLD_CANDIDATES];
    memset(candidates, 0, sizeof candidates);
    for (uintptr_t at = low; at + 6 <= high; at++) {
        uint8_t code[6];
        int32_t distance = 0;
        if (!guard_copy(code, (const void *)at, sizeof code)) {
            return;
        }
        if (code[0] != 0x0F || (code[1] & 0xF0) != 0x80) {
            continue;
        }
        memcpy(&distance, code + 2, sizeof distance);
        uintptr_t target = at + 6 + (uintptr_t)(intptr_t)distance;
        bool outside = target < low || target >= high;
        struct eh_frame_function function;
        if (outside && target >= module->text_low && target < module->text_high &&
            eh_frame_find_function(module, target, &function)) {
            count_jump(candidates, &function);
        }
    }
    const struct cold *best = &candidates[0];
    for (unsigned i = 1; i < COLD_CANDIDATES; i++) {
        best = candidates[i].jumps > best->jumps ? &candidates[i] : best;
    }
    if (best->jumps >= COLD_JUMPS_MIN) {
        atomic_store_explicit(&cold_low, best->low, memory_order_relaxed);
        atomic_store_explicit(&cold_high, best->high, memory_order_relaxed);
    }
}

void module_eval_start(const struct module *module, uintptr_t start)
{
    uintptr_t end = body_end(module, start);
    atomic_store_explicit(&body_low, start, memory_order_relaxed);
    atomic_store_explicit(&body_high, end, memory_order_relaxed);
    find_cold(module, start, end);
}
