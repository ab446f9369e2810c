/* The rows from which trigger_choose() takes the first that can run. */
#ifndef PIEPROF_PRELOAD_TRIGGERS_H
#define PIEPROF_PRELOAD_TRIGGERS_H

#include "time/trigger.h"

/* In a forked child, where PAPI does not count: the clock takes over. */
void trigger_forget_papi(void);

extern const struct trigger trigger_papi;
extern const struct trigger trigger_perf;
extern const struct trigger trigger_timer;

#endif
