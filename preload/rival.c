#include "rival.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

/* As the unit tests are built by SAN=address: the sanitizer is their own. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* Exported by the runtimes, be they libraries or part of the program. AddressSanitizer's holds LeakSanitizer's. */
static const char *sanitizer_name(void)
{
    static const struct {
        const char *symbol, *name;
    } sanitizers[] = {{"__asan_init", "AddressSanitizer"},
                      {"__hwasan_init", "HWAddressSanitizer"},
                      {"__tsan_init", "ThreadSanitizer"},
                      {"__msan_init", "MemorySanitizer"},
                      {"__lsan_init", "LeakSanitizer"}};
    for (size_t i = 0; i < sizeof sanitizers / sizeof sanitizers[0]; i++) {
        if (dlsym(RTLD_DEFAULT, sanitizers[i].symbol) != NULL) {
            return sanitizers[i].name;
        }
    }
    return NULL;
}

/* Valgrind preloads a library of its own into its client, whatever the tool. */
static bool under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded != NULL && strstr(preloaded, "vgpreload") != NULL;
}

const char *rival_name(void)
{
    const char *sanitizer = IS_SANITIZED ? NULL : sanitizer_name();
    if (sanitizer != NULL) {
        return sanitizer;
    }
    return under_valgrind() ? "Valgrind" : NULL;
}

/*
 * AddressSanitizer ends a program in which another library is initialised before it; that is what a preloaded one is. It
 * asks here first (sanitizer/asan_interface.h): the program, where it has options, still has the first word, for it comes
 * before in the search order, and ASAN_OPTIONS the last. Called before any constructor; only returns.
 */
const char *__asan_default_options(void);
INTERPOSED const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
