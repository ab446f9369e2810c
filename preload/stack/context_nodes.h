/* The calling context tree: nodes interned by (parent, frame, value). Signal-safe but for the start. */
#ifndef PIEPROF_PRELOAD_CONTEXT_NODES_H
#define PIEPROF_PRELOAD_CONTEXT_NODES_H

#include <stdbool.h>
#include <stdint.h>

bool context_nodes_start(void);
void context_nodes_reset_child(void);

/* The node's id; 0 when the table or the file is full (counted). `frame` is enum db_frame. A parent of 0 makes a root. */
uint32_t context_nodes_intern(uint32_t parent, uint32_t frame, uint64_t value);

#endif
