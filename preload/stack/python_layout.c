#include "stack/python_layout.h"

#include <stddef.h>
#include <string.h>

#include "stack/guard.h"

#define NONE PYTHON_ABSENT
/* What all GIL builds share: object header, bytes, the strings of 3.8 to 3.11 and of 3.12 on. */
#define COMMON                                                                                                         \
    .object_type = 8, .bytes_size = 16, .bytes_data = 32, .string_length = 16, .string_state = 32,                     \
    .string_kind_bit = 2, .frame_copy_index = NONE, .code_copies = NONE
#define WIDE_STRINGS .string_ascii_data = 48, .string_compact_data = 72
#define NARROW_STRINGS .string_ascii_data = 40, .string_compact_data = 56

#define OLD_CODE .code_bytecode = 48, .code_first_line = 40, .code_file = 104, .code_name = 112, .code_lines = 120
#define NEW_CODE .code_first_line = 68, .code_slots = 72, .code_file = 112, .code_name = 128, .code_lines = 136
#define OLD_FRAME                                                                                                      \
    .frame_code = 32, .frame_previous = 24, .frame_stack = 64, .frame_entry = NONE, .frame_owner = NONE,               \
    .frame_slots = NONE, .code_slots = NONE
#define NEW_FRAME                                                                                                      \
    .frame_bytes = 72, .frame_slots = 72, .frame_instruction = 56, .frame_stack = NONE,                                \
    .instruction = PYTHON_INSTRUCTION_POINTER
#define NO_CFRAME .thread_cframe = NONE, .cframe_current = NONE, .cframe_previous = NONE

/* offsetof against each version's own headers, x86-64 release builds. */
static const struct python_layout rows[] = {
    {COMMON, WIDE_STRINGS, OLD_CODE, OLD_FRAME, NO_CFRAME, .version = 0x308, .thread_frame = 24, .frame_bytes = 112,
     .frame_instruction = 104, .instruction = PYTHON_INSTRUCTION_BYTES},
    {COMMON, WIDE_STRINGS, OLD_CODE, OLD_FRAME, NO_CFRAME, .version = 0x309, .thread_frame = 24, .frame_bytes = 112,
     .frame_instruction = 104, .instruction = PYTHON_INSTRUCTION_BYTES},
    {COMMON, WIDE_STRINGS, OLD_CODE, OLD_FRAME, .version = 0x30a, .thread_cframe = 48, .cframe_current = NONE,
     .cframe_previous = NONE, .thread_frame = 24, .frame_bytes = 104, .frame_instruction = 96,
     .instruction = PYTHON_INSTRUCTION_UNITS},
    {COMMON, WIDE_STRINGS, NEW_FRAME, .version = 0x30b, .thread_cframe = 56, .cframe_current = 8, .cframe_previous = 16,
     .thread_frame = NONE, .frame_code = 32, .frame_previous = 48, .frame_entry = 68, .frame_owner = NONE,
     .code_bytecode = 184, .code_first_line = 72, .code_slots = 76, .code_file = 112, .code_name = 128,
     .code_lines = 136},
    {COMMON, NARROW_STRINGS, NEW_CODE, NEW_FRAME, .version = 0x30c, .thread_cframe = 56, .cframe_current = 0,
     .cframe_previous = 8, .thread_frame = NONE, .frame_code = 0, .frame_previous = 8, .frame_entry = NONE,
     .frame_owner = 70, .code_bytecode = 192},
    {COMMON, NARROW_STRINGS, NEW_CODE, NEW_FRAME, NO_CFRAME, .version = 0x30d, .thread_frame = 72, .frame_code = 0,
     .frame_previous = 8, .frame_entry = NONE, .frame_owner = 70, .code_bytecode = 200},
};

const struct python_layout *python_layout_row(uint32_t version_hex)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].version == version_hex >> 16) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Byte positions inside _PyRuntime of the fields read here; the table's own layout differs with each minor. */
struct runtime_places {
    uint32_t version;
    int thread_frame, frame_size, frame_previous, frame_code, frame_instruction, frame_slots, frame_owner,
        frame_copy_index;
    int code_file, code_name, code_lines, code_first_line, code_bytecode, code_copies;
    int object_type, bytes_size, bytes_data, string_state, string_length, string_ascii_bytes;
};

static const struct runtime_places places[] = {
    {.version = 0x30d,
     .thread_frame = 184,
     .frame_size = 224,
     .frame_previous = 232,
     .frame_code = 240,
     .frame_instruction = 248,
     .frame_slots = 256,
     .frame_owner = 264,
     .frame_copy_index = NONE,
     .code_file = 280,
     .code_name = 296,
     .code_lines = 304,
     .code_first_line = 312,
     .code_bytecode = 344,
     .code_copies = NONE,
     .object_type = 360,
     .bytes_size = 520,
     .bytes_data = 528,
     .string_state = 544,
     .string_length = 552,
     .string_ascii_bytes = 560},
    {.version = 0x30e,
     .thread_frame = 208,
     .frame_size = 248,
     .frame_previous = 256,
     .frame_code = 264,
     .frame_instruction = 272,
     .frame_slots = 280,
     .frame_owner = 288,
     .frame_copy_index = 304,
     .code_file = 320,
     .code_name = 336,
     .code_lines = 344,
     .code_first_line = 352,
     .code_bytecode = 384,
     .code_copies = 392,
     .object_type = 408,
     .bytes_size = 600,
     .bytes_data = 608,
     .string_state = 624,
     .string_length = 632,
     .string_ascii_bytes = 640},
    {.version = 0x30f,
     .thread_frame = 208,
     .frame_size = 312,
     .frame_previous = 320,
     .frame_code = 328,
     .frame_instruction = 336,
     .frame_slots = 344,
     .frame_owner = 352,
     .frame_copy_index = 368,
     .code_file = 384,
     .code_name = 400,
     .code_lines = 408,
     .code_first_line = 416,
     .code_bytecode = 448,
     .code_copies = 456,
     .object_type = 472,
     .bytes_size = 696,
     .bytes_data = 704,
     .string_state = 720,
     .string_length = 728,
     .string_ascii_bytes = 736},
};

/* One u64 of the table. Absent places and values no struct of CPython's could have yield PYTHON_ABSENT. */
static int offset_at(const uint8_t *runtime, int place)
{
    uint64_t value = 0;
    if (place == NONE || !guard_read(&value, (const uint64_t *)(const void *)(runtime + place)) || value > 4096) {
        return NONE;
    }
    return (int)value;
}

static void fill(const uint8_t *runtime, const struct runtime_places *from, struct python_layout *to)
{
    *to = (struct python_layout){.version = from->version,
                                 .thread_cframe = NONE,
                                 .cframe_current = NONE,
                                 .cframe_previous = NONE,
                                 .frame_entry = NONE,
                                 .frame_stack = NONE,
                                 .instruction = PYTHON_INSTRUCTION_POINTER};
    to->thread_frame = offset_at(runtime, from->thread_frame);
    to->frame_bytes = offset_at(runtime, from->frame_size);
    to->frame_previous = offset_at(runtime, from->frame_previous);
    to->frame_code = offset_at(runtime, from->frame_code);
    to->frame_instruction = offset_at(runtime, from->frame_instruction);
    to->frame_slots = offset_at(runtime, from->frame_slots);
    to->frame_owner = offset_at(runtime, from->frame_owner);
    to->frame_copy_index = offset_at(runtime, from->frame_copy_index);
    to->code_file = offset_at(runtime, from->code_file);
    to->code_name = offset_at(runtime, from->code_name);
    to->code_lines = offset_at(runtime, from->code_lines);
    to->code_first_line = offset_at(runtime, from->code_first_line);
    to->code_slots = to->code_first_line + 4; /* the int behind it, in all of these */
    to->code_bytecode = offset_at(runtime, from->code_bytecode);
    to->code_copies = offset_at(runtime, from->code_copies);
    to->object_type = offset_at(runtime, from->object_type);
    to->bytes_size = offset_at(runtime, from->bytes_size);
    to->bytes_data = offset_at(runtime, from->bytes_data);
    to->string_state = offset_at(runtime, from->string_state);
    to->string_length = offset_at(runtime, from->string_length);
    to->string_ascii_data = offset_at(runtime, from->string_ascii_bytes);
    to->string_compact_data = to->string_ascii_data + 16; /* utf8_length and utf8 stand between */
}

static bool is_sane(const struct python_layout *layout)
{
    const int frame[] = {layout->frame_previous, layout->frame_code, layout->frame_instruction, layout->frame_owner};
    for (size_t i = 0; i < sizeof frame / sizeof frame[0]; i++) {
        if (frame[i] < 0 || frame[i] > layout->frame_bytes - 1) {
            return false;
        }
    }
    return layout->thread_frame > 0 && layout->code_file > 0 && layout->code_name > 0 && layout->code_lines > 0 &&
           layout->code_first_line > 0 && layout->code_bytecode > 0 && layout->bytes_data > 0 &&
           layout->bytes_size > 0 && layout->string_state > 0 && layout->string_length > 0 &&
           layout->string_ascii_data > 0 && (layout->object_type == 8 || layout->object_type == 24);
}

bool python_layout_from_runtime(const void *runtime, struct python_layout *layout, uint32_t *version_hex)
{
    struct {
        char cookie[8];
        uint64_t version, free_threaded;
    } head;
    if (!guard_copy(&head, runtime, sizeof head) || memcmp(head.cookie, "xdebugpy", sizeof head.cookie) != 0) {
        return false;
    }
    *version_hex = (uint32_t)head.version;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].version != *version_hex >> 16) {
            continue;
        }
        fill(runtime, &places[i], layout);
        layout->free_threaded = head.free_threaded != 0;
        layout->string_kind_bit = layout->free_threaded ? 8 : 2; /* there `interned` has a byte of its own */
        if (layout->frame_bytes > PYTHON_FRAME_BYTES_MAX) {
            layout->frame_bytes = PYTHON_FRAME_BYTES_MAX;
        }
        return is_sane(layout);
    }
    return false;
}
