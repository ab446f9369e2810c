/*
 * Where CPython keeps what a frame walk reads: one struct, filled from a row a version or from the interpreter's own
 * _Py_DebugOffsets (3.13 and later). All offsets in bytes; PYTHON_ABSENT where a version has no such field.
 */
#ifndef PIEPROF_PRELOAD_PYTHON_LAYOUT_H
#define PIEPROF_PRELOAD_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define PYTHON_ABSENT (-1)
#define PYTHON_FRAME_BYTES_MAX 128
#define PYTHON_TAG_BITS 3   /* of f_executable from 3.14 on; objects are 8-byte aligned in every version */
#define PYTHON_OWNER_SHIM 3 /* owners from here on are no Python frames but close a run of them (3.12 and later) */

enum python_instruction {
    PYTHON_INSTRUCTION_BYTES,   /* int, bytes into the bytecode */
    PYTHON_INSTRUCTION_UNITS,   /* int, code units of two bytes */
    PYTHON_INSTRUCTION_POINTER, /* into the bytecode that lies in the code object */
};

struct python_layout {
    uint32_t version;  /* major << 8 | minor */
    int thread_cframe; /* thread state -> C frame, whose `current` is the top frame */
    int cframe_current, cframe_previous;
    int thread_frame; /* thread state -> top frame, where there is no C frame between */
    int frame_bytes;  /* as much of a frame as is read */
    int frame_code, frame_previous, frame_instruction;
    enum python_instruction instruction;
    int frame_entry; /* byte flag of 3.11 */
    int frame_owner; /* byte of 3.12 and later; 3.11's says nothing about runs */
    int frame_stack; /* a pointer to where the values begin that instructions work on; PYTHON_ABSENT from 3.11 on */
    int frame_slots; /* from 3.11 on: those of names, `code_slots` of them (int), and behind them these values */
    int code_slots;
    int frame_copy_index; /* free-threaded 3.14: which copy of the bytecode runs */
    int code_copies;
    int code_bytecode, code_first_line, code_file, code_name, code_lines;
    int object_type; /* ob_type */
    int bytes_size, bytes_data;
    int string_length, string_state, string_ascii_data, string_compact_data;
    int string_kind_bit; /* lowest of the three bits of `kind`; compact and ascii follow */
    bool free_threaded;
};

/* The row of `version_hex` (PY_VERSION_HEX); NULL when there is none. */
const struct python_layout *python_layout_row(uint32_t version_hex);

/* Fills `layout` from the table at the start of _PyRuntime (`runtime`). False: no cookie, or an unknown minor. */
bool python_layout_from_runtime(const void *runtime, struct python_layout *layout, uint32_t *version_hex);

#endif
