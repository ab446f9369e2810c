/* What kind of memory an address is. */
#include <stdint.h>
#include <sys/auxv.h>

#include "objects/object_map.h"
#include "pieprof/db.h"
#include "stack/guard.h"
#include "stack/module.h"
#include "thread.h"

#define RED_ZONE_BYTES 128u /* System V ABI for x86-64, 3.2.2: leaf functions use it without moving the pointer */
#define POOL_ALIGNMENT 16u

/*
 * One end of the thread's stack: the kernel places the program's name at the top of the main thread's, glibc a thread's
 * control block at the top of any other's.
 */
static uintptr_t stack_top(void)
{
    return thread_self != NULL && thread_self->main ? (uintptr_t)getauxval(AT_EXECFN)
                                                    : (uintptr_t)__builtin_thread_pointer();
}

static bool in_stack(uintptr_t address, uintptr_t stack_pointer)
{
    return address >= stack_pointer - RED_ZONE_BYTES && address < stack_top();
}

/* CPython's struct pool_header (Objects/obmalloc.c, the same from 3.8 to 3.15). */
struct pool_header {
    uint32_t used;
    uint32_t padding;
    uintptr_t free_block, next_pool, previous_pool;
    uint32_t arena, size_index;
    uint32_t next_offset, max_next_offset;
};

/*
 * The interpreter maps its arenas by itself, unseen by the allocation hooks. A pool in one is known by its header, where
 * the last offset must equal the pool's size less the block's: 4 KiB pools before 3.10, 16 KiB since.
 */
static bool in_pool(uintptr_t address, uintptr_t pool_bytes)
{
    struct pool_header pool;
    if (!guard_read(&pool, (const void *)(address & ~(pool_bytes - 1)))) {
        return false;
    }
    uintptr_t block_bytes = ((uintptr_t)pool.size_index + 1) * POOL_ALIGNMENT;
    return pool.size_index < 512 / POOL_ALIGNMENT && pool.max_next_offset == pool_bytes - block_bytes &&
           pool.next_offset <= pool_bytes && pool.next_offset >= sizeof pool && pool.used <= pool_bytes / block_bytes;
}

uint32_t object_map_class(uintptr_t address, uintptr_t stack_pointer)
{
    struct object object;
    if (in_stack(address, stack_pointer)) {
        return DB_CLASS_STACK;
    }
    if (object_map_find(address, &object)) {
        return DB_CLASS_OBJECT;
    }
    if (module_find(address) != NULL) {
        return DB_CLASS_MODULE_DATA;
    }
    return in_pool(address, 16384) || in_pool(address, 4096) ? DB_CLASS_ARENA : DB_CLASS_OTHER_HEAP;
}
