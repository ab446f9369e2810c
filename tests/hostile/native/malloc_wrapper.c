/* Another preloaded library that wraps the allocator, finding the next one by dlsym as such libraries do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static void *(*real_malloc)(size_t);
static void (*real_free)(void *);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static _Atomic long allocations, releases;
static _Thread_local int resolving;
static char early[65536];
static size_t early_used;

static void resolve(void)
{
    resolving = 1;
    real_malloc = dlsym(RTLD_NEXT, "malloc");
    real_free = dlsym(RTLD_NEXT, "free");
    real_calloc = dlsym(RTLD_NEXT, "calloc");
    real_realloc = dlsym(RTLD_NEXT, "realloc");
    resolving = 0;
}

static void *allocate_early(size_t bytes)
{
    void *start = early + early_used;
    early_used += (bytes + 15) & ~(size_t)15;
    return early_used <= sizeof early ? start : NULL;
}

static int is_early(const void *start)
{
    return (const char *)start >= early && (const char *)start < early + sizeof early;
}

void *malloc(size_t bytes)
{
    if (real_malloc == NULL) {
        if (resolving) {
            return allocate_early(bytes);
        }
        resolve();
    }
    allocations++;
    return real_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (real_calloc == NULL) {
        if (resolving) {
            return allocate_early(count * bytes);
        }
        resolve();
    }
    allocations++;
    return real_calloc(count, bytes);
}

void *realloc(void *start, size_t bytes)
{
    if (real_realloc == NULL) {
        resolve();
    }
    if (is_early(start)) {
        void *moved = malloc(bytes);
        memcpy(moved, start, bytes);
        return moved;
    }
    return real_realloc(start, bytes);
}

void free(void *start)
{
    if (start == NULL || is_early(start)) {
        return;
    }
    if (real_free == NULL) {
        resolve();
    }
    releases++;
    real_free(start);
}

int wrapper_calls(void)
{
    return (int)allocations;
}

/* Memory that came by ways this library does not wrap may be freed through it: few blocks, never most. */
int wrapper_balance_is_sound(void)
{
    return releases > allocations / 4 && releases < allocations * 2;
}
