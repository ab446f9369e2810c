/* The quick walk: the frames as they lie in memory, for those who look at the same stack again and again. */
#include "stack/guard.h"
#include "stack/python.h"
#include "stack/python_probe.h"

#define WORD_BYTES 8
#define TAG_BITS 3u /* 3.14 tags f_executable; objects are 8-byte aligned in every version */

static bool is_shim(const struct python_layout *layout, uintptr_t frame, bool *shim)
{
    *shim = false;
    if (layout->frame_owner < 0) {
        return true;
    }
    uintptr_t word = 0;
    int start = layout->frame_owner / WORD_BYTES * WORD_BYTES;
    if (!guard_word(&word, frame + (uintptr_t)start)) {
        return false;
    }
    *shim = (word >> (8 * (layout->frame_owner - start)) & 0xff) >= PYTHON_OWNER_SHIM;
    return true;
}

/* Frames before 3.11 keep an int where later ones keep a pointer. */
static uintptr_t instruction_in(const struct python_layout *layout, uintptr_t word)
{
    return layout->instruction == PYTHON_INSTRUCTION_POINTER ? word : (uintptr_t)(uint32_t)word;
}

static bool read_link(const struct python_layout *layout, uintptr_t frame, struct python_link *link,
                      uintptr_t *previous)
{
    uintptr_t instruction = 0;
    link->frame = frame;
    if (!guard_word(&link->code, frame + (uintptr_t)layout->frame_code) ||
        !guard_word(&instruction, frame + (uintptr_t)layout->frame_instruction) ||
        !guard_word(previous, frame + (uintptr_t)layout->frame_previous)) {
        return false;
    }
    link->code &= ~(uintptr_t)TAG_BITS;
    link->instruction = instruction_in(layout, instruction);
    return *previous != frame;
}

size_t python_links(struct python_link *links, size_t capacity)
{
    size_t count = 0;
    uintptr_t frame = python_top_frame();
    const struct python_layout *layout = frame != 0 ? &python_probed()->layout : NULL;
    while (frame != 0 && count < capacity) {
        uintptr_t previous = 0;
        bool shim = false;
        if (!is_shim(layout, frame, &shim) || !read_link(layout, frame, &links[count], &previous)) {
            return 0;
        }
        count += shim ? 0 : 1;
        frame = previous;
    }
    return count;
}
