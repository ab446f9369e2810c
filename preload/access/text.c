#include "access/text.h"

#include <dlfcn.h>
#include <stddef.h>

#include "launch/caller_real.h"
#include "pieprof/db.h"
#include "stack/module.h"

#define PAGE_BYTES 4096u
/* malloc.o's static functions stand before its first exported one: 0x4720 bytes in glibc 2.41. Before these lie timers. */
#define ALLOCATOR_LEAD_BYTES 0x5000u
#define ALLOCATOR_TAIL_BYTES 0x40u

/*
 * The C library is flagged as allocator as a whole, but most of its accesses (memcpy, memset) are the program's own. Its
 * allocator is one object file, laid out in one piece: from below `malloc` to `malloc_info`.
 */
static uintptr_t allocator_low, allocator_high;

void text_start(void)
{
    static const char *const names[] = {"malloc",   "free",           "calloc",      "realloc",
                                        "memalign", "posix_memalign", "malloc_info", "mallopt"};
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL);
    if (library == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uintptr_t address = (uintptr_t)dlsym(library, names[i]);
        if (address != 0 && (allocator_low == 0 || address - ALLOCATOR_LEAD_BYTES < allocator_low)) {
            allocator_low = address - ALLOCATOR_LEAD_BYTES;
        }
        if (address + ALLOCATOR_TAIL_BYTES > allocator_high && address != 0) {
            allocator_high = address + ALLOCATOR_TAIL_BYTES;
        }
    }
    dlclose(library);
}

static enum text_owner owner_of_flags(uint32_t flags)
{
    if ((flags & DB_MODULE_INTERPRETER) != 0) {
        return TEXT_INTERPRETER;
    }
    return (flags & DB_MODULE_SHIM) != 0 ? TEXT_SHIM : TEXT_NATIVE;
}

/* Narrows a module's range to the part on this side of the C library's allocator. */
static void split_at_allocator(uintptr_t address, struct text_range *range)
{
    if (address < allocator_low) {
        range->high = allocator_low;
    } else if (address >= allocator_high) {
        range->low = allocator_high;
    } else {
        *range = (struct text_range){allocator_low, allocator_high, TEXT_ALLOCATOR};
    }
}

void text_find(uintptr_t address, struct text_range *range)
{
    const struct module *module = module_find(address);
    if (module == NULL) {
        uintptr_t page = address & ~(uintptr_t)(PAGE_BYTES - 1);
        *range = (struct text_range){page, page + PAGE_BYTES, TEXT_NATIVE};
        return;
    }
    *range = (struct text_range){module->low, module->high, owner_of_flags(module->flags)};
    if (range->owner == TEXT_NATIVE && caller_real_is_runtime(address)) {
        range->owner = TEXT_ALLOCATOR; /* paths lead through it, and what it touches is not judged */
    }
    if (range->owner != TEXT_NATIVE) {
        return;
    }
    if (module->low <= allocator_low && allocator_low < module->high) {
        split_at_allocator(address, range);
    } else if ((module->flags & DB_MODULE_ALLOCATOR) != 0) {
        range->owner = TEXT_ALLOCATOR; /* a malloc of its own: jemalloc, tcmalloc */
    }
}

enum text_owner text_owner_of(uintptr_t address)
{
    struct text_range range;
    text_find(address, &range);
    return range.owner;
}
