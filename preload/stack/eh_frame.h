/*
 * Unwind rules of one instruction, read from .eh_frame in place (DWARF 5 section 6.4; Linux Standard Base, "Exception
 * Frames"). Everything is read behind the fault guard, so it may run in handlers and beside dlclose.
 */
#ifndef PIEPROF_PRELOAD_EH_FRAME_H
#define PIEPROF_PRELOAD_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/module.h"

/* DWARF's register numbers on x86-64: 0 to 15, then the return address. */
#define EH_FRAME_REGISTERS 17u
#define EH_FRAME_RBX 3u
#define EH_FRAME_RBP 6u
#define EH_FRAME_RSP 7u
#define EH_FRAME_RETURN 16u

enum eh_frame_rule {
    EH_FRAME_SAME = 0,         /* holds the caller's value */
    EH_FRAME_UNDEFINED,        /* lost; for the return address: outermost frame */
    EH_FRAME_OFFSET,           /* saved at CFA + value */
    EH_FRAME_VALUE_OFFSET,     /* is CFA + value */
    EH_FRAME_REGISTER,         /* is in register `value` */
    EH_FRAME_EXPRESSION,       /* saved where the expression at address `value` says */
    EH_FRAME_VALUE_EXPRESSION, /* is what the expression at address `value` says */
};

struct eh_frame_register {
    int64_t value; /* expressions: address of the block (length first) */
    uint8_t rule;  /* enum eh_frame_rule */
};

struct eh_frame_row {
    uintptr_t cfa_expression; /* address of the block (length first), 0 when the CFA is a register plus an offset */
    int64_t cfa_offset;
    uint8_t cfa_register;
    bool signal_frame;
    struct eh_frame_register registers[EH_FRAME_REGISTERS];
};

struct eh_frame_function {
    uintptr_t low, high;
};

/* The rules in force at `address`. False: no description, or one that makes no sense. Signal-safe. */
bool eh_frame_find_row(const struct module *module, uintptr_t address, struct eh_frame_row *row);

/* The described piece of code that holds `address`. Signal-safe. */
bool eh_frame_find_function(const struct module *module, uintptr_t address, struct eh_frame_function *function);

#endif
