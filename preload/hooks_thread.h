/* The hook that sets each new thread up. */
#ifndef PIEPROF_PRELOAD_HOOKS_THREAD_H
#define PIEPROF_PRELOAD_HOOKS_THREAD_H

#include <stdbool.h>

/* Makes the key whose destructor tears threads down; done at the first pthread_create else. False: threads are not sampled. */
bool hooks_thread_start(void);

#endif
