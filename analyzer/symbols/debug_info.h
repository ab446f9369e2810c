/* Symbols and DWARF of one binary through libdw; separate debug files by build-id or link, debuginfod where DEBUGINFOD_URLS is set. */
#ifndef PIEPROF_ANALYZER_DEBUG_INFO_H
#define PIEPROF_ANALYZER_DEBUG_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/binary.h"

struct debug_info;

/* NULL when the file is no ELF file libdw takes. */
struct debug_info *debug_info_open(const char *path);
void debug_info_close(struct debug_info *info);

/*
 * Calls `take` for each function symbol: of .symtab in the file or its separate debug file, with MiniDebugInfo's, or of
 * .dynsym where there is nothing else. Names live as long as `info`.
 */
void debug_info_symbols(struct debug_info *info,
                        void (*take)(void *to, const char *name, uint64_t start, uint64_t size, bool local), void *to);

/* Fills `place` (innermost first). False when the address is in no known function. */
bool debug_info_find(struct debug_info *info, uint64_t address, struct binary_place *place);

#endif
