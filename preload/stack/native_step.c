#include "stack/native_step.h"

#include <stddef.h>

#include "stack/dwarf_expression.h"
#include "stack/guard.h"
#include "stack/native_rule.h"

#define FRAME_BYTES_MAX (UINT64_C(1) << 26) /* more than any one frame, arrays on the stack included */
#define BIT(number) (UINT32_C(1) << (number))
/* What a call keeps: the stack pointer, the instruction pointer and the callee-saved registers. */
#define KEPT (BIT(3) | BIT(6) | BIT(7) | BIT(12) | BIT(13) | BIT(14) | BIT(15) | BIT(16))

/* ucontext's places of DWARF's registers 0 to 16. */
static const uint8_t places[EH_FRAME_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                   REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                   REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

bool native_step_start(void)
{
    return native_rule_start();
}

void native_registers_take(struct native_registers *registers, const ucontext_t *context)
{
    for (unsigned i = 0; i < EH_FRAME_REGISTERS; i++) {
        registers->value[i] = (uintptr_t)context->uc_mcontext.gregs[places[i]];
    }
    registers->known = BIT(EH_FRAME_REGISTERS) - 1;
    registers->exact = true;
}

static uintptr_t lookup_address(const struct native_registers *registers)
{
    return registers->value[EH_FRAME_RETURN] - (registers->exact ? 0 : 1);
}

bool native_is_return_address(uintptr_t address)
{
    struct native_rule rule;
    native_rule_find(address - 1, &rule);
    return rule.returnable;
}

bool native_is_described(const struct native_registers *registers)
{
    struct native_rule rule;
    native_rule_find(lookup_address(registers), &rule);
    return rule.kind != NATIVE_RULE_NONE;
}

/*
 * A caller's frame lies up the same stack. What a rule makes of a register that holds something else - a guess did, or code
 * without rules - must not be read: those may be watched bytes, and a watch hit in a handler is a watch lost.
 */
static bool is_up_the_stack(const struct native_registers *from, uintptr_t cfa)
{
    uintptr_t stack = from->value[EH_FRAME_RSP];
    return cfa > stack && cfa - stack <= FRAME_BYTES_MAX;
}

static bool step_short(const struct native_registers *from, const struct native_rule *rule, struct native_registers *to,
                       uintptr_t *cfa)
{
    if ((from->known & BIT(rule->cfa_register)) == 0) {
        return false;
    }
    *cfa = from->value[rule->cfa_register] + (uintptr_t)(intptr_t)rule->cfa_offset;
    if ((rule->kind == NATIVE_RULE_DEREF && (!is_up_the_stack(from, *cfa) || !guard_word(cfa, *cfa))) ||
        !is_up_the_stack(from, *cfa) || !guard_word(&to->value[EH_FRAME_RETURN], *cfa - 8)) {
        return false;
    }
    to->known = from->known & KEPT;
    for (unsigned i = 0; i < NATIVE_RULE_SAVED; i++) {
        unsigned number = native_rule_registers[i];
        to->value[number] = from->value[number];
        if (rule->saved[i] == NATIVE_RULE_UNSAVED) {
            continue;
        }
        if (!guard_word(&to->value[number], *cfa + (uintptr_t)((intptr_t)rule->saved[i] * 8))) {
            return false;
        }
        to->known |= BIT(number);
    }
    to->value[EH_FRAME_RSP] = *cfa;
    to->known |= BIT(EH_FRAME_RSP) | BIT(EH_FRAME_RETURN);
    to->exact = false;
    return true;
}

static bool find_cfa(const struct native_registers *from, const struct eh_frame_row *row, uintptr_t *cfa)
{
    if (row->cfa_expression != 0) {
        return dwarf_expression_evaluate(row->cfa_expression, from, false, 0, cfa);
    }
    *cfa = from->value[row->cfa_register] + (uintptr_t)row->cfa_offset;
    return (from->known & BIT(row->cfa_register)) != 0;
}

/* The caller's value of one register by its rule; false when it cannot be told. */
static bool apply(const struct native_registers *from, const struct eh_frame_register *by, unsigned number,
                  uintptr_t cfa, uintptr_t *value)
{
    uintptr_t place = 0;
    uintptr_t operand = (uintptr_t)by->value;
    switch (by->rule) {
    case EH_FRAME_SAME:
        *value = from->value[number];
        return (from->known & BIT(number)) != 0;
    case EH_FRAME_OFFSET:
        return guard_word(value, cfa + operand);
    case EH_FRAME_VALUE_OFFSET:
        *value = cfa + operand;
        return true;
    case EH_FRAME_REGISTER:
        *value = operand < EH_FRAME_REGISTERS ? from->value[operand] : 0;
        return operand < EH_FRAME_REGISTERS && (from->known & BIT(operand)) != 0;
    case EH_FRAME_EXPRESSION:
        return dwarf_expression_evaluate(operand, from, true, cfa, &place) && guard_word(value, place);
    case EH_FRAME_VALUE_EXPRESSION:
        return dwarf_expression_evaluate(operand, from, true, cfa, value);
    default:
        return false;
    }
}

static bool step_complex(const struct native_registers *from, struct native_registers *to, uintptr_t *cfa)
{
    struct eh_frame_row row;
    uintptr_t address = lookup_address(from);
    const struct module *module = module_find(address);
    if (module == NULL || !eh_frame_find_row(module, address, &row) || !find_cfa(from, &row, cfa) ||
        (!row.signal_frame && !is_up_the_stack(from, *cfa))) {
        return false;
    }
    to->known = 0;
    for (unsigned i = 0; i < EH_FRAME_REGISTERS; i++) {
        bool lost = row.registers[i].rule == EH_FRAME_SAME && !row.signal_frame && (KEPT & BIT(i)) == 0;
        if (!lost && apply(from, &row.registers[i], i, *cfa, &to->value[i])) {
            to->known |= BIT(i);
        }
    }
    if (row.registers[EH_FRAME_RSP].rule == EH_FRAME_SAME) {
        to->value[EH_FRAME_RSP] = *cfa;
        to->known |= BIT(EH_FRAME_RSP);
    }
    to->exact = row.signal_frame;
    return row.registers[EH_FRAME_RETURN].rule != EH_FRAME_SAME && (to->known & BIT(EH_FRAME_RETURN)) != 0;
}

enum native_step native_step(struct native_registers *registers, uintptr_t *cfa)
{
    struct native_rule rule;
    struct native_registers next;
    native_rule_find(lookup_address(registers), &rule);
    *cfa = 0;
    if (rule.kind == NATIVE_RULE_END) {
        return NATIVE_STEP_END;
    }
    bool short_form = rule.kind == NATIVE_RULE_REGISTER || rule.kind == NATIVE_RULE_DEREF;
    if (rule.kind == NATIVE_RULE_NONE ||
        !(short_form ? step_short(registers, &rule, &next, cfa) : step_complex(registers, &next, cfa))) {
        return NATIVE_STEP_STUCK;
    }
    uintptr_t caller = next.value[EH_FRAME_RETURN];
    if (caller == 0) {
        return NATIVE_STEP_END;
    }
    bool grows = *cfa > registers->value[EH_FRAME_RSP] || next.exact;
    if (!grows || (!next.exact && !native_is_return_address(caller))) {
        return NATIVE_STEP_STUCK;
    }
    *registers = next;
    return NATIVE_STEP_OK;
}
