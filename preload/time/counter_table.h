/* Finds the counter record of a context and an event, in handlers and without a lock. */
#ifndef PIEPROF_PRELOAD_COUNTER_TABLE_H
#define PIEPROF_PRELOAD_COUNTER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Maps the table. Outside handlers. */
bool counter_table_start(void);
void counter_table_reset_child(void);

/* Adds to the record, making it at first use. False when nothing was added (counted). Signal-safe. */
bool counter_table_add(uint32_t node, uint32_t event, uint64_t amount);

#endif
