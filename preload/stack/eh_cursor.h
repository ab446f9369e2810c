/* A bounded reader over memory that may vanish: little windows are copied behind the fault guard. Signal-safe. */
#ifndef PIEPROF_PRELOAD_EH_CURSOR_H
#define PIEPROF_PRELOAD_EH_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#define EH_CURSOR_WINDOW_BYTES 64u

/* Once `bad`, every read yields 0 and `at` stands at the end: loops over a cursor end by themselves. */
struct eh_cursor {
    uintptr_t at, end;
    uintptr_t window_low, window_high;
    bool bad;
    uint8_t window[EH_CURSOR_WINDOW_BYTES];
};

void eh_cursor_open(struct eh_cursor *cursor, uintptr_t start, uintptr_t end);
uint8_t eh_cursor_byte(struct eh_cursor *cursor);
uint64_t eh_cursor_fixed(struct eh_cursor *cursor, unsigned bytes); /* little-endian, 1 to 8 bytes */
uint64_t eh_cursor_uleb(struct eh_cursor *cursor);
int64_t eh_cursor_sleb(struct eh_cursor *cursor);
void eh_cursor_skip(struct eh_cursor *cursor, uint64_t bytes);

/* A pointer encoded as DW_EH_PE_*. `data_base` is the base of datarel. Indirect ones come back as the slot's address. */
uintptr_t eh_cursor_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data_base);

#endif
