/* Where the evaluation loop's code lies: its body, and the cold part the compiler may have split off. */
#ifndef PIEPROF_PRELOAD_MODULE_EVAL_H
#define PIEPROF_PRELOAD_MODULE_EVAL_H

#include <stdint.h>

#include "stack/module.h"

/* `start` is _PyEval_EvalFrameDefault in `module`. Outside handlers, once. */
void module_eval_start(const struct module *module, uintptr_t start);

#endif
