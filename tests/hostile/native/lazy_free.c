/* A preloaded free() that looks for the real one at its first call, as many such libraries do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static void (*real_free)(void *);
static _Atomic long releases;

void free(void *start)
{
    if (real_free == NULL) {
        real_free = dlsym(RTLD_NEXT, "free");
    }
    releases++;
    real_free(start);
}

long lazy_free_calls(void)
{
    return releases;
}
