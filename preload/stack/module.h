/* The ELF objects mapped in this process: by address, readable in a handler without a lock. */
#ifndef PIEPROF_PRELOAD_MODULE_H
#define PIEPROF_PRELOAD_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
    uintptr_t low, high;           /* mapped range */
    uintptr_t text_low, text_high; /* executable part */
    uintptr_t load_bias;
    const uint8_t *unwind_header; /* .eh_frame_hdr in memory, NULL when absent */
    size_t unwind_header_bytes;
    uint32_t flags; /* enum db_module_flag */
    uint32_t id;    /* db_module record */
};

/* Bumped when an object was unloaded: what was learned by address before may describe other code now. Signal-safe. */
uint32_t module_generation(void);

/* Scans the loaded objects, records new ones. Start, fork children and CHORE_MODULES; outside handlers. False: as before. */
bool module_scan(void);
void module_reset_child(void);

/* The module whose mapped range holds `address`, NULL when unknown (native_unwind then wants CHORE_MODULES). Signal-safe, lock-free. */
const struct module *module_find(uintptr_t address);

/* Its file's name, "" when it has none. Signal-safe. */
const char *module_path(const struct module *module);

/* In the python executable's or libpython's text? Signal-safe, a few compares. */
bool module_is_interpreter(uintptr_t address);

/* In the dynamic loader's text? Signal-safe, a few compares. */
bool module_is_loader(uintptr_t address);

/* In the C library's text? Signal-safe, a few compares. */
bool module_is_c_library(uintptr_t address);

/* In the text of greenlet, which runs Python on parts of one stack by turns? Signal-safe, two compares. */
bool module_is_greenlet(uintptr_t address);

/* Lies a call instruction right before `address`? What is not behind a call is no return address. Signal-safe. */
bool module_is_behind_call(uintptr_t address);

/* In _PyEval_EvalFrameDefault (its .cold part too where symbols tell)? Signal-safe. */
bool module_is_eval_loop(uintptr_t address);

#endif
