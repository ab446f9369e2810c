/* Where PyTorch records no graph for backward(), by the text. `code`: source_code(). */
#ifndef PIEPROF_ANALYZER_GRADIENTS_H
#define PIEPROF_ANALYZER_GRADIENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/source.h"

/*
 * Does the row stand in a `with torch.no_grad():`, or in a function that is marked so? Likewise inference_mode() and
 * set_grad_enabled(False). The nearest says; who calls the function is not asked. False where there is no code.
 */
bool gradients_are_off(const struct source *code, int32_t row);

#endif
