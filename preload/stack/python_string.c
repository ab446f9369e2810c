#include "stack/python_string.h"

#include "process.h"
#include "stack/guard.h"
#include "stack/python_probe.h"

struct text { /* one str object: characters of `kind` bytes each at `data` */
    uintptr_t data;
    size_t length;
    unsigned kind;
    bool ascii;
};

/* Bits of `state` above `interned`: kind (3), compact, ascii. */
static bool read_text(const struct python_probe *probe, uintptr_t address, struct text *text)
{
    const struct python_layout *layout = &probe->layout;
    uintptr_t type = 0;
    uintptr_t length = 0;
    uint32_t state = 0;
    if (address % 8 != 0 || !guard_word(&type, address + (uintptr_t)layout->object_type) ||
        type != probe->string_type || !guard_word(&length, address + (uintptr_t)layout->string_length) ||
        !guard_read(&state, (const uint32_t *)(address + (uintptr_t)layout->string_state))) {
        return false;
    }
    state >>= layout->string_kind_bit;
    text->kind = state & 7;
    bool compact = (state >> 3 & 1) != 0;
    text->ascii = (state >> 4 & 1) != 0;
    text->length = length;
    text->data = address + (uintptr_t)(text->ascii ? layout->string_ascii_data : layout->string_compact_data);
    return compact && (text->kind == 1 || text->kind == 2 || text->kind == 4);
}

bool python_string_end(const struct python_probe *probe, uintptr_t address, uintptr_t end[PYTHON_STRING_END_WORDS])
{
    const size_t room = PYTHON_STRING_END_WORDS * sizeof *end;
    struct text text;
    __builtin_memset(end, 0, room);
    if (!read_text(probe, address, &text)) {
        return false;
    }
    size_t bytes = text.length * text.kind, part = bytes < room ? bytes : room;
    return guard_copy(end, (const void *)(text.data + bytes - part), part);
}

static size_t encode(uint32_t character, uint8_t *to)
{
    if (character < 0x80) {
        to[0] = (uint8_t)character;
        return 1;
    }
    if (character < 0x800) {
        to[0] = (uint8_t)(0xC0 | character >> 6);
        to[1] = (uint8_t)(0x80 | (character & 0x3F));
        return 2;
    }
    if (character < 0x10000) {
        to[0] = (uint8_t)(0xE0 | character >> 12);
        to[1] = (uint8_t)(0x80 | (character >> 6 & 0x3F));
        to[2] = (uint8_t)(0x80 | (character & 0x3F));
        return 3;
    }
    to[0] = (uint8_t)(0xF0 | (character >> 18 & 7));
    to[1] = (uint8_t)(0x80 | (character >> 12 & 0x3F));
    to[2] = (uint8_t)(0x80 | (character >> 6 & 0x3F));
    to[3] = (uint8_t)(0x80 | (character & 0x3F));
    return 4;
}

/* Bytes that are not UTF-8 stand in a str as lone surrogates (PEP 383, "surrogateescape"): 0xDC80 to 0xDCFF are one each. */
static size_t encode_any(uint32_t character, uint8_t *to)
{
    if (character < 0xD800 || character >= 0xE000) {
        return encode(character, to);
    }
    to[0] = character >= 0xDC80 && character < 0xDD00 ? (uint8_t)character : '?';
    return 1;
}

static bool copy_encoded(const struct text *text, char *to, size_t room, size_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < text->length; i++) {
        uint32_t character = 0; /* little-endian: the low bytes are the character */
        uint8_t encoded[4];
        if (!guard_copy(&character, (const void *)(text->data + i * text->kind), text->kind)) {
            return false;
        }
        size_t length = encode_any(character, encoded);
        if (*bytes + length > room) {
            process_drop(DB_DROP_BLOB_TOO_LARGE);
            return true;
        }
        __builtin_memcpy(to + *bytes, encoded, length);
        *bytes += length;
    }
    return true;
}

bool python_string_copy(const struct python_probe *probe, uintptr_t address, char *to, size_t room, size_t *bytes)
{
    struct text text;
    if (!read_text(probe, address, &text)) {
        return false;
    }
    if (!text.ascii) {
        return copy_encoded(&text, to, room, bytes);
    }
    if (text.length > room) {
        process_drop(DB_DROP_BLOB_TOO_LARGE);
    }
    *bytes = text.length > room ? room : text.length;
    return guard_copy(to, (const void *)text.data, *bytes);
}
