#include "gate.h"

#include <stddef.h>
#include <sys/mman.h>

#include "hot.h"
#include "memory.h"
#include "process.h"

static const volatile uint32_t gate_closed_word = GATE_CLOSED;
const volatile uint32_t *gate_phase_word = &gate_closed_word;
SHIM_THREAD_LOCAL uint32_t gate_depth;
SHIM_THREAD_LOCAL int *gate_errno_place;

/* One page that the kernel fills with zeros (GATE_WIPED) in a forked child, and leaves shared under vfork. */
static volatile uint32_t *gate_page;

/* The phase once more, in memory that a child inherits: it goes on only where its parent was recording. */
static enum gate_phase gate_inherited = GATE_CLOSED;

bool gate_start(void)
{
    const size_t page_bytes = 4096;
    volatile uint32_t *page = memory_map(page_bytes);
    if (page == NULL) {
        return false;
    }
    if (madvise((void *)page, page_bytes, MADV_WIPEONFORK) != 0) {
        memory_unmap((void *)page, page_bytes);
        return false;
    }
    *page = GATE_CLOSED;
    gate_page = page;
    gate_phase_word = page;
    return true;
}

void gate_set_phase(enum gate_phase phase)
{
    if (gate_page != NULL) {
        gate_inherited = phase;
        __atomic_store_n(gate_page, (uint32_t)phase, __ATOMIC_RELEASE);
    }
}

OFF_HOT_PATH bool gate_enter_wiped(void)
{
    gate_set_depth(1);
    if (gate_inherited == GATE_OPEN && process_adopt_child()) {
        gate_set_phase(GATE_OPEN);
        return true;
    }
    gate_set_phase(GATE_CLOSED);
    gate_set_depth(0);
    return false;
}
