/* DWARF expressions as unwind tables use them (DWARF 5, 2.5): PLT stubs, signal frames, realigned stacks. Signal-safe. */
#ifndef PIEPROF_PRELOAD_DWARF_EXPRESSION_H
#define PIEPROF_PRELOAD_DWARF_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/native_step.h"

/* Evaluates the block at `block` (its length first). `first` is pushed before when `has_first`. False: cannot. */
bool dwarf_expression_evaluate(uintptr_t block, const struct native_registers *registers, bool has_first,
                               uintptr_t first, uintptr_t *result);

#endif
