#include "objects/bootstrap.h"

#include <stdatomic.h>

#define BLOCK_ALIGNMENT 16u

_Alignas(4096) char bootstrap_arena[BOOTSTRAP_BYTES];
static _Atomic size_t used_bytes;

void *bootstrap_allocate(size_t bytes, size_t alignment)
{
    size_t grain = alignment > BLOCK_ALIGNMENT ? alignment : BLOCK_ALIGNMENT;
    size_t used = atomic_load(&used_bytes), start;
    do {
        start = (used + grain - 1) & ~(grain - 1);
        if (start > BOOTSTRAP_BYTES || bytes > BOOTSTRAP_BYTES - start) {
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&used_bytes, &used, start + bytes));
    return bootstrap_arena + start;
}

size_t bootstrap_readable(const void *block)
{
    return BOOTSTRAP_BYTES - ((uintptr_t)block - (uintptr_t)bootstrap_arena);
}
