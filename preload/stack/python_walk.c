#include <string.h>

#include "stack/guard.h"
#include "stack/python.h"
#include "stack/python_code.h"
#include "stack/python_probe.h"
#include "stack/python_trampoline.h"
#include "stack/source.h"

#define OFFSET_MAX (1 << 28)
#define STEPS_MAX                                                                                                      \
    (8 * PYTHON_DEPTH_MAX)     /* frames of both kinds: what is left of another thread's may lead in circles */
#define OFFSET_INCOMPLETE (-2) /* the frame's first instruction has not begun: "at the def line" */

/* The fields of one frame, copied at once so that they belong together. */
struct fields {
    uintptr_t code, previous, instruction;
    uint8_t entry, owner;
    uint32_t copy_index;
};

static uintptr_t word_at(const uint8_t *bytes, int offset)
{
    uintptr_t word = 0;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

static bool read_fields(const struct python_layout *layout, uintptr_t frame, struct fields *fields)
{
    uint8_t bytes[PYTHON_FRAME_BYTES_MAX];
    memset(fields, 0, sizeof *fields);
    if (frame % 8 != 0 || !guard_copy(bytes, (const void *)frame, (size_t)layout->frame_bytes)) {
        return false;
    }
    fields->code = word_at(bytes, layout->frame_code) & ~(uintptr_t)PYTHON_TAG_BITS;
    fields->previous = word_at(bytes, layout->frame_previous);
    if (layout->instruction == PYTHON_INSTRUCTION_POINTER) {
        fields->instruction = word_at(bytes, layout->frame_instruction);
    } else {
        int32_t last = 0;
        memcpy(&last, bytes + layout->frame_instruction, sizeof last);
        fields->instruction = (uintptr_t)(intptr_t)last;
    }
    fields->entry = layout->frame_entry >= 0 ? bytes[layout->frame_entry] : 0;
    fields->owner = layout->frame_owner >= 0 ? bytes[layout->frame_owner] : 0;
    if (layout->frame_copy_index >= 0 && layout->free_threaded) {
        memcpy(&fields->copy_index, bytes + layout->frame_copy_index, sizeof fields->copy_index);
    }
    return true;
}

static bool is_shim(const struct python_layout *layout, const struct fields *fields)
{
    return layout->frame_owner >= 0 && fields->owner >= PYTHON_OWNER_SHIM;
}

/* From 3.15 on the chain of a thread's frames ends in one that is there always, and that no evaluation loop runs. */
static bool is_base(const struct python_layout *layout, const struct fields *fields)
{
    enum { PYTHON_3_15 = 0x30f };
    return layout->version >= PYTHON_3_15 && fields->previous == 0;
}

/* Start of the bytecode that runs: free-threaded 3.14 gives each thread its own copy. */
static bool bytecode_start(const struct python_layout *layout, const struct fields *fields, uintptr_t *start)
{
    *start = fields->code + (uintptr_t)layout->code_bytecode;
    if (fields->copy_index == 0 || layout->code_copies < 0) {
        return true;
    }
    uintptr_t copies = 0; /* struct { Py_ssize_t size; char *entries[]; } */
    return guard_word(&copies, fields->code + (uintptr_t)layout->code_copies) &&
           guard_word(start, copies + 8 + (uintptr_t)fields->copy_index * 8);
}

static int32_t offset_of(const struct python_layout *layout, const struct fields *fields)
{
    uintptr_t start = 0;
    intptr_t offset = (intptr_t)fields->instruction;
    if (layout->instruction == PYTHON_INSTRUCTION_UNITS) {
        offset *= 2;
    } else if (layout->instruction == PYTHON_INSTRUCTION_POINTER) {
        if (!bytecode_start(layout, fields, &start)) {
            return OFFSET_INCOMPLETE;
        }
        offset -= (intptr_t)start;
    }
    return offset < OFFSET_INCOMPLETE || offset > OFFSET_MAX ? OFFSET_INCOMPLETE : (int32_t)offset;
}

/* The address the thread state keeps of the top frame or of the C frame before it; `retry` asks one C frame further. */
static bool top_frame(const struct python_layout *layout, uintptr_t state, bool retry, uintptr_t *frame)
{
    if (layout->cframe_current < 0) {
        return !retry && guard_word(frame, state + (uintptr_t)layout->thread_frame);
    }
    uintptr_t cframe = 0;
    return guard_word(&cframe, state + (uintptr_t)layout->thread_cframe) &&
           (!retry || guard_word(&cframe, cframe + (uintptr_t)layout->cframe_previous)) && cframe != 0 &&
           guard_word(frame, cframe + (uintptr_t)layout->cframe_current);
}

struct walk {
    struct python_frame *frames;
    size_t capacity, count;
    bool truncated;
};

static void close_run(struct walk *walk)
{
    if (walk->count > 0) {
        walk->frames[walk->count - 1].entry = true;
    }
}

/*
 * Each loop has one. Where two follow one another the outer one's frame has left the chain, and is being cleared (_PyEval_FrameClearAndPop
 * in Python/ceval.c): what its locals held calls Python code as it is freed.
 */
static void pass_shim(struct walk *walk)
{
    struct python_frame *last = walk->count > 0 ? &walk->frames[walk->count - 1] : NULL;
    if (last != NULL && last->entry && last->ended_around < UINT8_MAX) {
        last->ended_around++;
    }
    close_run(walk);
}

static bool walk_from(const struct python_probe *probe, uintptr_t frame, struct walk *walk)
{
    const struct python_layout *layout = &probe->layout;
    bool one_each = layout->frame_entry < 0 && layout->frame_owner < 0;
    walk->count = 0;
    walk->truncated = false;
    for (unsigned steps = 0; frame != 0; steps++) {
        struct fields fields;
        if (steps == STEPS_MAX || !read_fields(layout, frame, &fields) || fields.previous == frame) {
            return false;
        }
        frame = fields.previous;
        if (is_shim(layout, &fields)) {
            if (!is_base(layout, &fields)) {
                pass_shim(walk);
            }
            continue;
        }
        if (walk->count == walk->capacity) {
            walk->truncated = true;
            return true;
        }
        struct python_frame *to = &walk->frames[walk->count];
        if (!python_code_find(probe, fields.code, to)) {
            return false;
        }
        if (fields.code == python_trampoline()) {
            continue;
        }
        to->offset = offset_of(layout, &fields);
        to->entry = one_each || fields.entry != 0;
        to->ended_around = 0;
        walk->count++;
    }
    close_run(walk);
    return true;
}

static uintptr_t this_state(const struct python_probe *probe)
{
    return probe != NULL ? (uintptr_t)probe->this_thread_state() : 0;
}

uintptr_t python_this_state(void)
{
    return this_state(python_probed());
}

enum python_walk_result python_walk_from(uintptr_t frame, struct python_frame *frames, size_t capacity, size_t *count,
                                         bool *truncated)
{
    struct walk walk = {.frames = frames, .capacity = capacity};
    bool walked = walk_from(python_probed(), frame, &walk);
    *count = walked ? walk.count : 0;
    *truncated = walk.truncated;
    return walked ? PYTHON_WALK_OK : PYTHON_WALK_FAULT;
}

/*
 * On 3.11 and 3.12 the evaluation loop publishes its C frame before that points anywhere: there the first try reads
 * stack garbage, and the C frame before it has the truth.
 */
enum python_walk_result python_walk(struct python_frame *frames, size_t capacity, size_t *count, bool *truncated)
{
    const struct python_probe *probe = python_probed();
    uintptr_t state = this_state(probe);
    *count = 0;
    *truncated = false;
    if (state == 0) {
        return PYTHON_WALK_NO_STATE;
    }
    struct walk walk = {.frames = frames, .capacity = capacity};
    for (int retry = 0; retry < 2; retry++) {
        uintptr_t frame = 0;
        if (top_frame(&probe->layout, state, retry != 0, &frame) && walk_from(probe, frame, &walk)) {
            *count = walk.count;
            *truncated = walk.truncated;
            return PYTHON_WALK_OK;
        }
    }
    return PYTHON_WALK_FAULT;
}

uintptr_t python_top_frame(void)
{
    const struct python_probe *probe = python_probed();
    uintptr_t state = this_state(probe);
    uintptr_t frame = 0;
    return state != 0 && top_frame(&probe->layout, state, false, &frame) ? frame : 0;
}

bool python_top(struct python_top *top)
{
    return python_top_of(python_this_state(), top);
}

bool python_top_of(uintptr_t state, struct python_top *top)
{
    const struct python_probe *probe = python_probed();
    uintptr_t frame = 0;
    struct fields fields;
    if (state == 0 || !top_frame(&probe->layout, state, false, &frame)) {
        return false;
    }
    for (unsigned steps = 0; frame != 0 && steps < STEPS_MAX && read_fields(&probe->layout, frame, &fields); steps++) {
        if (!is_shim(&probe->layout, &fields)) {
            top->frame = frame;
            top->instruction = fields.instruction;
            return true;
        }
        frame = fields.previous != frame ? fields.previous : 0;
    }
    return false;
}

/* Opcodes of CPython 3.11 (Include/opcode.h): PRECALL and its specialisations, bit n of word n / 64. */
static bool is_precall(uint8_t opcode)
{
    static const uint64_t bits[4] = {
        0,
        UINT64_C(1) << (64 - 64) | UINT64_C(1) << (65 - 64) | UINT64_C(1) << (66 - 64) | UINT64_C(1) << (67 - 64) |
            UINT64_C(1) << (72 - 64) | UINT64_C(1) << (73 - 64) | UINT64_C(0x3f) << (76 - 64) |
            UINT64_C(1) << (113 - 64) | UINT64_C(1) << (121 - 64) | UINT64_C(1) << (127 - 64),
        UINT64_C(1) << (141 - 128) | UINT64_C(1) << (143 - 128) | UINT64_C(1) << (166 - 128),
        0,
    };
    return (bits[opcode / 64] >> opcode % 64 & 1) != 0;
}

/* From a PRECALL to the CALL behind it and its one cache entry. */
static int32_t settled_offset(const struct python_layout *layout, const struct fields *fields, int32_t offset)
{
    enum { PYTHON_3_11 = 0x30b, PRECALL_BYTES = 4 };
    uint8_t opcode = 0;
    bool may = layout->version == PYTHON_3_11 && offset >= 0;
    return may && guard_read(&opcode, (const uint8_t *)fields->instruction) && is_precall(opcode)
               ? offset + PRECALL_BYTES
               : offset;
}

bool python_link_resolve(const struct python_link *link, struct python_frame *frame)
{
    const struct python_probe *probe = python_probed();
    struct fields fields;
    if (probe == NULL || !read_fields(&probe->layout, link->frame, &fields) ||
        !python_code_find(probe, fields.code, frame)) {
        return false;
    }
    frame->offset = settled_offset(&probe->layout, &fields, offset_of(&probe->layout, &fields));
    frame->entry = false;
    frame->ended_around = 0;
    return true;
}

uint64_t python_link_mark(const struct python_link *link)
{
    return python_code_mark(python_probed(), link->code & ~(uintptr_t)PYTHON_TAG_BITS);
}

uintptr_t python_anchor(void)
{
    const struct python_probe *probe = python_probed();
    uintptr_t state = this_state(probe);
    uintptr_t anchor = 0;
    if (state == 0) {
        return 0;
    }
    if (probe->layout.thread_cframe >= 0) {
        return guard_word(&anchor, state + (uintptr_t)probe->layout.thread_cframe) ? anchor : 0;
    }
    struct fields fields;
    if (probe->layout.frame_owner < 0 || !top_frame(&probe->layout, state, false, &anchor)) {
        return 0;
    }
    for (unsigned depth = 0; depth < PYTHON_DEPTH_MAX && anchor != 0; depth++) {
        if (!read_fields(&probe->layout, anchor, &fields)) {
            return 0;
        }
        if (is_shim(&probe->layout, &fields)) {
            return anchor;
        }
        anchor = fields.previous;
    }
    return 0;
}

void python_reset_child(void)
{
    python_code_reset_child();
    source_reset_child();
}
