/* The quick walk: the frames as they lie in memory, for those who look at the same stack again and again. */
#include "stack/guard.h"
#include "stack/python.h"
#include "stack/python_probe.h"
#include "stack/python_trampoline.h"

_Static_assert(sizeof(struct python_link) == 3 * sizeof(uintptr_t), "guard_chain() writes links");

static size_t drop_trampolines(struct python_link *links, size_t count, uintptr_t trampoline)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if ((links[i].code & ~(uintptr_t)PYTHON_TAG_BITS) == trampoline) {
            continue;
        }
        if (kept != i) {
            links[kept] = links[i];
        }
        kept++;
    }
    return kept;
}

size_t python_links(struct python_link *links, size_t capacity)
{
    const struct python_probe *probe = python_probed();
    uintptr_t state = probe != NULL ? (uintptr_t)probe->this_thread_state() : 0;
    size_t count = state != 0 ? guard_chain(&links[0].frame, state, &probe->chain, capacity) : 0;
    uintptr_t trampoline = python_trampoline();
    return trampoline != 0 ? drop_trampolines(links, count, trampoline) : count;
}

uintptr_t python_link_values(const struct python_link *link)
{
    const struct python_probe *probe = python_probed();
    const struct python_layout *layout = probe != NULL ? &probe->layout : NULL;
    uintptr_t code = link->code & ~(uintptr_t)PYTHON_TAG_BITS, values = 0;
    int32_t slots = 0;
    if (layout == NULL || layout->free_threaded) {
        return 0;
    }
    if (layout->frame_stack != PYTHON_ABSENT) {
        return guard_word(&values, link->frame + (uintptr_t)layout->frame_stack) ? values : 0;
    }
    if (layout->frame_slots < 0 || !guard_read(&slots, (const int32_t *)(code + (uintptr_t)layout->code_slots)) ||
        slots < 0) {
        return 0;
    }
    return link->frame + (uintptr_t)layout->frame_slots + (uintptr_t)slots * sizeof(uintptr_t);
}
