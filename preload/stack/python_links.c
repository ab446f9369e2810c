/* The quick walk: the frames as they lie in memory, for those who look at the same stack again and again. */
#include "stack/guard.h"
#include "stack/python.h"
#include "stack/python_probe.h"

#define NO_OWNER 256u

_Static_assert(sizeof(struct python_link) == 3 * sizeof(uintptr_t), "guard_chain() writes links");

size_t python_links(struct python_link *links, size_t capacity)
{
    uintptr_t frame = python_top_frame();
    if (frame == 0) {
        return 0;
    }
    const struct python_layout *layout = &python_probed()->layout;
    struct guard_chain_layout chain = {.left = (uint64_t)layout->frame_code,
                                       .right = (uint64_t)layout->frame_instruction,
                                       .next = (uint64_t)layout->frame_previous,
                                       .kind = layout->frame_owner >= 0 ? (uint64_t)layout->frame_owner : 0,
                                       .kind_skipped = layout->frame_owner >= 0 ? PYTHON_OWNER_SHIM : NO_OWNER};
    return guard_chain(&links[0].frame, frame, &chain, capacity);
}
