/* One step of the unwinder: from a frame's registers to its caller's. Signal-safe but for native_step_start(). */
#ifndef PIEPROF_PRELOAD_NATIVE_STEP_H
#define PIEPROF_PRELOAD_NATIVE_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "stack/eh_frame.h"

struct native_registers {
    uintptr_t value[EH_FRAME_REGISTERS]; /* by DWARF number; [EH_FRAME_RETURN] is the instruction pointer */
    uint32_t known;                      /* bit n: value[n] is this frame's */
    bool exact;                          /* the instruction itself, not the return address behind a call */
};

enum native_step {
    NATIVE_STEP_OK,    /* registers are the caller's now */
    NATIVE_STEP_END,   /* this was the outermost frame */
    NATIVE_STEP_STUCK, /* no rules, or rules that lead nowhere: registers are unchanged */
};

bool native_step_start(void); /* maps the cache of rules */

void native_registers_take(struct native_registers *registers, const ucontext_t *context);

/* `cfa` is set unless stuck (0 at the end of the stack). A caller found this way is behind a call or is a signal's
 * interrupted instruction: anything else counts as stuck. */
enum native_step native_step(struct native_registers *registers, uintptr_t *cfa);

/* Could a function return to `address`, for it lies right behind a call? */
bool native_is_return_address(uintptr_t address);

/* Has the code at the frame's instruction any unwind description? */
bool native_is_described(const struct native_registers *registers);

#endif
