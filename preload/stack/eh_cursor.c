#include "stack/eh_cursor.h"

#include "stack/guard.h"

enum { ENCODING_OMIT = 0xff, FORMAT_MASK = 0x0f, BASE_MASK = 0x70, BASE_PLACE = 0x10, BASE_DATA = 0x30 };

static void fail(struct eh_cursor *cursor)
{
    cursor->bad = true;
    cursor->at = cursor->end;
}

void eh_cursor_open(struct eh_cursor *cursor, uintptr_t start, uintptr_t end)
{
    cursor->at = start;
    cursor->end = end > start ? end : start;
    cursor->window_low = cursor->window_high = 0;
    cursor->bad = end < start;
}

static bool refill(struct eh_cursor *cursor)
{
    uintptr_t left = cursor->end - cursor->at;
    uintptr_t bytes = left < EH_CURSOR_WINDOW_BYTES ? left : EH_CURSOR_WINDOW_BYTES;
    if (bytes == 0 || !guard_copy(cursor->window, (const void *)cursor->at, bytes)) {
        fail(cursor);
        return false;
    }
    cursor->window_low = cursor->at;
    cursor->window_high = cursor->at + bytes;
    return true;
}

uint8_t eh_cursor_byte(struct eh_cursor *cursor)
{
    bool inside = cursor->at >= cursor->window_low && cursor->at < cursor->window_high;
    if (!inside && !refill(cursor)) {
        return 0;
    }
    return cursor->window[cursor->at++ - cursor->window_low];
}

uint64_t eh_cursor_fixed(struct eh_cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)eh_cursor_byte(cursor) << (8 * i);
    }
    return value;
}

uint64_t eh_cursor_uleb(struct eh_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = eh_cursor_byte(cursor);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return value;
        }
    }
    fail(cursor);
    return 0;
}

int64_t eh_cursor_sleb(struct eh_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
        uint8_t byte = eh_cursor_byte(cursor);
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if ((byte & 0x80) == 0) {
            bool negative = (byte & 0x40) != 0 && shift < 64;
            return (int64_t)(negative ? value | (~UINT64_C(0) << shift) : value);
        }
    }
    fail(cursor);
    return 0;
}

void eh_cursor_skip(struct eh_cursor *cursor, uint64_t bytes)
{
    if (bytes > cursor->end - cursor->at) {
        fail(cursor);
        return;
    }
    cursor->at += bytes;
}

static uint64_t read_format(struct eh_cursor *cursor, uint8_t format)
{
    switch (format) {
    case 0x01:
        return eh_cursor_uleb(cursor);
    case 0x02:
        return eh_cursor_fixed(cursor, 2);
    case 0x03:
        return eh_cursor_fixed(cursor, 4);
    case 0x00:
    case 0x04:
    case 0x0c:
        return eh_cursor_fixed(cursor, 8);
    case 0x09:
        return (uint64_t)eh_cursor_sleb(cursor);
    case 0x0a:
        return (uint64_t)(int64_t)(int16_t)eh_cursor_fixed(cursor, 2);
    case 0x0b:
        return (uint64_t)(int64_t)(int32_t)eh_cursor_fixed(cursor, 4);
    default:
        fail(cursor);
        return 0;
    }
}

uintptr_t eh_cursor_pointer(struct eh_cursor *cursor, uint8_t encoding, uintptr_t data_base)
{
    if (encoding == ENCODING_OMIT) {
        return 0;
    }
    uintptr_t place = cursor->at;
    uintptr_t value = (uintptr_t)read_format(cursor, encoding & FORMAT_MASK);
    switch (encoding & BASE_MASK) {
    case BASE_PLACE:
        return value + place;
    case BASE_DATA:
        return value + data_base;
    default:
        return value;
    }
}
