/* Code objects: recorded at first sight, recognised after. Signal-safe but for python_code_start(). */
#ifndef PIEPROF_PRELOAD_PYTHON_CODE_H
#define PIEPROF_PRELOAD_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python_probe;
struct source_file;

bool python_code_start(void);
void python_code_reset_child(void);

/*
 * Fills in code and module of the frame whose code object is at `address`. False: it is no readable code object. `code` is 0
 * (and counted) when it is one but could not be recorded.
 */
struct python_frame;
bool python_code_find(const struct python_probe *probe, uintptr_t address, struct python_frame *frame);

/* Tells code objects that live at one address one after the other from each other; 0: unreadable. Signal-safe. */
uint64_t python_code_mark(const struct python_probe *probe, uintptr_t address);

/* Calls `visit` with each code object of the file recorded so far. */
typedef void (*python_code_visitor)(uint32_t code_id, struct source_file *file);
void python_code_visit(struct source_file *file, python_code_visitor visit);

#endif
