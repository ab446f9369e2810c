/* What the files of hooks on input and output share: see io_hooks.c. */
#ifndef PIEPROF_PRELOAD_IO_HOOK_H
#define PIEPROF_PRELOAD_IO_HOOK_H

#include "access/io_marks.h"
#include "real.h"

#define IO_WATCHED() (__builtin_expect(atomic_load_explicit(&io_watched, memory_order_relaxed) != 0, 0))

#define IO_FIND(function) (*(void **)&real_##function = dlsym(RTLD_NEXT, #function))

/* A library that is initialised before this one may call already. */
#define IO_REAL(function)                                                                                              \
    (__builtin_expect(real_##function == NULL, 0) ? (IO_FIND(function), real_##function) : real_##function)

/*
 * From a list of hooks, in rows of: result, function, parameters, arguments, what to mark while something is watched. The real
 * functions are looked up before the program runs: a signal handler may be the first to call one.
 */
#define IO_POINTER(result, function, parameters, arguments, marking) static __typeof__(&function) real_##function;
#define IO_FIND_ROW(result, function, parameters, arguments, marking) IO_FIND(function);
#define IO_HOOK(result, function, parameters, arguments, marking)                                                      \
    INTERPOSED result function parameters                                                                              \
    {                                                                                                                  \
        if (IO_WATCHED()) {                                                                                            \
            marking;                                                                                                   \
        }                                                                                                              \
        return IO_REAL(function) arguments;                                                                            \
    }

#endif
