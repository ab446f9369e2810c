/* What the probe found: read by the walker and the recorder of code objects. */
#ifndef PIEPROF_PRELOAD_PYTHON_PROBE_H
#define PIEPROF_PRELOAD_PYTHON_PROBE_H

#include <stdint.h>

#include "stack/guard.h"
#include "stack/python_layout.h"

struct python_probe {
    struct python_layout layout;
    uint32_t version_hex;
    void *(*this_thread_state)(
        void); /* PyGILState_GetThisThreadState: holds while the GIL is released, takes no lock */
    uintptr_t code_type, string_type, bytes_type;
    struct guard_chain_layout chain; /* from a thread's state over its frames */
};

/* The innermost frame of the calling thread, be it one that only marks the C stack; 0 when there is none. Signal-safe. */
uintptr_t python_top_frame(void);

/* NULL until python_probe() chose a row. Signal-safe. */
const struct python_probe *python_probed(void);

#endif
