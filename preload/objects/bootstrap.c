#include "objects/bootstrap.h"

#include <stdatomic.h>
#include <stdint.h>

#define ARENA_BYTES 65536u
#define BLOCK_ALIGNMENT 16u

static _Alignas(4096) char arena[ARENA_BYTES];
static _Atomic size_t used_bytes;

void *bootstrap_allocate(size_t bytes, size_t alignment)
{
    size_t grain = alignment > BLOCK_ALIGNMENT ? alignment : BLOCK_ALIGNMENT;
    size_t used = atomic_load(&used_bytes), start;
    do {
        start = (used + grain - 1) & ~(grain - 1);
        if (start > ARENA_BYTES || bytes > ARENA_BYTES - start) {
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&used_bytes, &used, start + bytes));
    return arena + start;
}

bool bootstrap_owns(const void *block)
{
    return (uintptr_t)block - (uintptr_t)arena < ARENA_BYTES;
}

size_t bootstrap_readable(const void *block)
{
    return ARENA_BYTES - ((uintptr_t)block - (uintptr_t)arena);
}
