/* The function that an interposed one stands in front of: the next of its name in the search order. */
#ifndef PIEPROF_PRELOAD_REAL_H
#define PIEPROF_PRELOAD_REAL_H

#include <dlfcn.h>

/*
 * Pointer to the next `function`, looked up once at first use. May be NULL where no library has it. The look-up may
 * allocate and lock; once done this is one load. Threads that race find the same.
 */
#define REAL(function)                                                                                                 \
    __extension__({                                                                                                    \
        static __typeof__(&function) found_;                                                                           \
        __typeof__(&function) real_ = __atomic_load_n(&found_, __ATOMIC_ACQUIRE);                                      \
        if (__builtin_expect(real_ == NULL, 0)) {                                                                      \
            *(void **)&real_ = dlsym(RTLD_NEXT, #function);                                                            \
            __atomic_store_n(&found_, real_, __ATOMIC_RELEASE);                                                        \
        }                                                                                                              \
        real_;                                                                                                         \
    })

/* An interposed function: exported although the shim hides its own symbols. */
#define INTERPOSED __attribute__((visibility("default")))

#endif
