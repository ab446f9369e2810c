/* Code objects: recorded at first sight, recognised after. Signal-safe but for python_code_start(). */
#ifndef PIEPROF_PRELOAD_PYTHON_CODE_H
#define PIEPROF_PRELOAD_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python_probe;

bool python_code_start(void);
void python_code_reset_child(void);

/*
 * The id of the db_code of the object at `address`. False: it is no readable code object. `id` is 0 (and counted) when it
 * is one but could not be recorded.
 */
bool python_code_find(const struct python_probe *probe, uintptr_t address, uint32_t *id);

/* Calls `visit` with the file of each code object recorded so far. Outside handlers. */
typedef void (*python_code_visitor)(uint32_t code_id, uint32_t file);
void python_code_visit(python_code_visitor visit);

#endif
