/* DWARF of one binary through libdw; separate debug files by build-id or link, debuginfod where DEBUGINFOD_URLS is set. */
#ifndef PIEPROF_ANALYZER_DEBUG_INFO_H
#define PIEPROF_ANALYZER_DEBUG_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/binary.h"

struct debug_info;

/* NULL when the file cannot be opened or has no debug information anywhere. */
struct debug_info *debug_info_open(const char *path);
void debug_info_close(struct debug_info *info);

/* Fills `place` (innermost first). False when the address is in no known function. */
bool debug_info_find(struct debug_info *info, uint64_t address, struct binary_place *place);

#endif
