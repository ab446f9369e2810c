/* Unwind rules in the short form that nearly all code has, cached by instruction. Signal-safe but for native_rule_start(). */
#ifndef PIEPROF_PRELOAD_NATIVE_RULE_H
#define PIEPROF_PRELOAD_NATIVE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#define NATIVE_RULE_SAVED 6u          /* rbx, rbp, r12 to r15: what a callee keeps for its caller */
#define NATIVE_RULE_UNSAVED INT16_MIN /* still holds the caller's value */

enum native_rule_kind {
    NATIVE_RULE_NONE = 1, /* no description */
    NATIVE_RULE_END,      /* outermost frame: the return address is undefined */
    NATIVE_RULE_REGISTER, /* CFA = register + offset */
    NATIVE_RULE_DEREF,    /* CFA = word at register + offset (functions that realign their stack) */
    NATIVE_RULE_COMPLEX,  /* ask eh_frame: expressions, signal frames, odd places */
};

struct native_rule {
    uint8_t kind; /* enum native_rule_kind */
    uint8_t cfa_register;
    uint8_t returnable; /* the address behind the looked-up one follows a call, or this is a signal frame */
    uint8_t reserved;
    int32_t cfa_offset;
    int16_t saved[NATIVE_RULE_SAVED]; /* offset from the CFA in words, NATIVE_RULE_UNSAVED when not saved */
    uint32_t check;                   /* the cache's */
};

extern const uint8_t native_rule_registers[NATIVE_RULE_SAVED]; /* DWARF numbers of `saved` */

bool native_rule_start(void);

/* The rule at `address` (for callers: return address - 1). */
void native_rule_find(uintptr_t address, struct native_rule *rule);

#endif
