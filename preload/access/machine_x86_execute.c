/*
 * The integer instructions that decide addresses and branches, computed; everything else makes what it writes unknown.
 * Semantics: Intel SDM volume 2.
 */
#include "access/machine_x86.h"

#define FLAG_CARRY 0x001u
#define FLAG_PARITY 0x004u
#define FLAG_ADJUST 0x010u
#define FLAG_ZERO 0x040u
#define FLAG_SIGN 0x080u
#define FLAG_DIRECTION 0x400u
#define FLAG_OVERFLOW 0x800u
#define FLAGS_STATUS (FLAG_CARRY | FLAG_PARITY | FLAG_ADJUST | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)

#define UNKNOWN ((struct x86_value){0, false})

static uint64_t mask_of_width(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    unsigned shift = 64 - bits;
    return bits >= 64 ? value : (uint64_t)((int64_t)(value << shift) >> shift);
}

static uint32_t flags_of_result(uint64_t result, unsigned bits)
{
    uint32_t flags = (result & mask_of_width(bits)) == 0 ? FLAG_ZERO : 0;
    flags |= (result >> (bits - 1) & 1) != 0 ? FLAG_SIGN : 0;
    return flags | ((__builtin_popcountll(result & 0xff) & 1) == 0 ? FLAG_PARITY : 0);
}

static void set_flags(struct x86_state *state, uint32_t which, uint32_t flags)
{
    state->flags = (state->flags & ~which) | (flags & which);
    state->flags_known |= which;
}

static uint64_t add(struct x86_state *state, uint64_t a, uint64_t b, unsigned carry, unsigned bits, uint32_t which)
{
    uint64_t mask = mask_of_width(bits), sign = UINT64_C(1) << (bits - 1);
    a &= mask;
    b &= mask;
    uint64_t result = (a + b + carry) & mask;
    uint32_t flags = flags_of_result(result, bits);
    flags |= result < a || (carry != 0 && result == a) ? FLAG_CARRY : 0;
    flags |= (~(a ^ b) & (a ^ result) & sign) != 0 ? FLAG_OVERFLOW : 0;
    flags |= ((a ^ b ^ result) & 0x10) != 0 ? FLAG_ADJUST : 0;
    set_flags(state, which, flags);
    return result;
}

static uint64_t subtract(struct x86_state *state, uint64_t a, uint64_t b, unsigned borrow, unsigned bits,
                         uint32_t which)
{
    uint64_t mask = mask_of_width(bits), sign = UINT64_C(1) << (bits - 1);
    a &= mask;
    b &= mask;
    uint64_t result = (a - b - borrow) & mask;
    uint32_t flags = flags_of_result(result, bits);
    flags |= a < b || (borrow != 0 && a == b) ? FLAG_CARRY : 0;
    flags |= ((a ^ b) & (a ^ result) & sign) != 0 ? FLAG_OVERFLOW : 0;
    flags |= ((a ^ b ^ result) & 0x10) != 0 ? FLAG_ADJUST : 0;
    set_flags(state, which, flags);
    return result;
}

static uint64_t logic(struct x86_state *state, uint64_t result, unsigned bits)
{
    set_flags(state, FLAGS_STATUS & ~FLAG_ADJUST, flags_of_result(result, bits));
    return result & mask_of_width(bits);
}

/* Carry and overflow of shifts are left unknown: no compiler branches on them after a variable one. */
static uint64_t shift(struct x86_state *state, ZydisMnemonic mnemonic, uint64_t a, uint64_t count, unsigned bits)
{
    count &= bits == 64 ? 63 : 31;
    if (count == 0) {
        return a;
    }
    uint64_t mask = mask_of_width(bits), result;
    if (mnemonic == ZYDIS_MNEMONIC_SHL) {
        result = (a << count) & mask;
    } else if (mnemonic == ZYDIS_MNEMONIC_SHR) {
        result = (a & mask) >> count;
    } else {
        result = (uint64_t)((int64_t)sign_extend(a, bits) >> count) & mask;
    }
    set_flags(state, FLAG_ZERO | FLAG_SIGN | FLAG_PARITY, flags_of_result(result, bits));
    state->flags_known &= ~(FLAG_CARRY | FLAG_OVERFLOW | FLAG_ADJUST);
    return result;
}

static bool is_binary(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_ADC:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_SBB:
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SHL:
    case ZYDIS_MNEMONIC_SHR:
    case ZYDIS_MNEMONIC_SAR:
        return true;
    default:
        return false;
    }
}

/* Two operands, the first also the destination (except for CMP and TEST). False: an operand is not known. */
static bool execute_binary(struct x86_state *state, const struct x86_instruction *instruction)
{
    const struct x86_operand *first = &instruction->operand[0], *second = &instruction->operand[1];
    unsigned bits = first->size;
    struct x86_value a = x86_operand_read(state, instruction, first);
    struct x86_value b = x86_operand_read(state, instruction, second);
    ZydisMnemonic mnemonic = instruction->head.mnemonic;
    bool same = first->type == ZYDIS_OPERAND_TYPE_REGISTER && second->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                first->reg.value == second->reg.value;
    if (same && (mnemonic == ZYDIS_MNEMONIC_XOR || mnemonic == ZYDIS_MNEMONIC_SUB)) {
        a.known = b.known = true; /* zero whatever it was */
    }
    bool carry_needed = mnemonic == ZYDIS_MNEMONIC_ADC || mnemonic == ZYDIS_MNEMONIC_SBB;
    unsigned carry = carry_needed && (state->flags & FLAG_CARRY) != 0;
    if (!a.known || !b.known || (carry_needed && (state->flags_known & FLAG_CARRY) == 0)) {
        return false;
    }
    struct x86_value result = {0, true};
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_ADC:
        result.bits = add(state, a.bits, b.bits, carry, bits, FLAGS_STATUS);
        break;
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_SBB:
        result.bits = subtract(state, a.bits, b.bits, carry, bits, FLAGS_STATUS);
        break;
    case ZYDIS_MNEMONIC_CMP:
        subtract(state, a.bits, b.bits, 0, bits, FLAGS_STATUS);
        return true;
    case ZYDIS_MNEMONIC_TEST:
        logic(state, a.bits & b.bits, bits);
        return true;
    case ZYDIS_MNEMONIC_AND:
        result.bits = logic(state, a.bits & b.bits, bits);
        break;
    case ZYDIS_MNEMONIC_OR:
        result.bits = logic(state, a.bits | b.bits, bits);
        break;
    case ZYDIS_MNEMONIC_XOR:
        result.bits = logic(state, a.bits ^ b.bits, bits);
        break;
    case ZYDIS_MNEMONIC_SHL:
    case ZYDIS_MNEMONIC_SHR:
    case ZYDIS_MNEMONIC_SAR:
        result.bits = shift(state, mnemonic, a.bits, b.bits, bits);
        break;
    default:
        return false;
    }
    x86_operand_write(state, instruction, first, result);
    return true;
}

static bool execute_unary(struct x86_state *state, const struct x86_instruction *instruction)
{
    const struct x86_operand *operand = &instruction->operand[0];
    unsigned bits = operand->size;
    struct x86_value a = x86_operand_read(state, instruction, operand);
    if (!a.known) {
        return false;
    }
    switch (instruction->head.mnemonic) {
    case ZYDIS_MNEMONIC_INC:
        a.bits = add(state, a.bits, 1, 0, bits, FLAGS_STATUS & ~FLAG_CARRY);
        break;
    case ZYDIS_MNEMONIC_DEC:
        a.bits = subtract(state, a.bits, 1, 0, bits, FLAGS_STATUS & ~FLAG_CARRY);
        break;
    case ZYDIS_MNEMONIC_NEG:
        a.bits = subtract(state, 0, a.bits, 0, bits, FLAGS_STATUS);
        break;
    case ZYDIS_MNEMONIC_NOT:
        a.bits = ~a.bits & mask_of_width(bits);
        break;
    default:
        return false;
    }
    x86_operand_write(state, instruction, operand, a);
    return true;
}

/* Moves and conversions: operand 0 receives a function of operand 1. */
static bool execute_move(struct x86_state *state, const struct x86_instruction *instruction)
{
    const struct x86_operand *to = &instruction->operand[0], *from = &instruction->operand[1];
    struct x86_value value;
    switch (instruction->head.mnemonic) {
    case ZYDIS_MNEMONIC_LEA:
        value = x86_operand_address(state, instruction, from);
        break;
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
        value = x86_operand_read(state, instruction, from);
        break;
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
        value = x86_operand_read(state, instruction, from);
        value.bits = sign_extend(value.bits, from->size);
        break;
    default:
        return false;
    }
    x86_operand_write(state, instruction, to, value);
    return true;
}

static bool execute_conditional(struct x86_state *state, const struct x86_instruction *instruction)
{
    struct x86_value condition = x86_condition(state, instruction->head.opcode & 15u);
    const struct x86_operand *to = &instruction->operand[0];
    if (!condition.known) {
        return false;
    }
    if (instruction->head.category == ZYDIS_CATEGORY_SETCC) {
        x86_operand_write(state, instruction, to, condition);
        return true;
    }
    /* A 32-bit CMOV clears the upper half even where it does not move. */
    const struct x86_operand *from = condition.bits != 0 ? &instruction->operand[1] : to;
    x86_operand_write(state, instruction, to, x86_operand_read(state, instruction, from));
    return true;
}

static bool execute_multiply(struct x86_state *state, const struct x86_instruction *instruction)
{
    unsigned visible = instruction->head.operand_count_visible;
    if (visible != 2 && visible != 3) {
        return false;
    }
    struct x86_value a = x86_operand_read(state, instruction, &instruction->operand[visible - 2]);
    struct x86_value b = x86_operand_read(state, instruction, &instruction->operand[visible - 1]);
    unsigned bits = instruction->operand[0].size;
    struct x86_value product = {sign_extend(a.bits, bits) * sign_extend(b.bits, bits), a.known && b.known};
    state->flags_known &= ~FLAGS_STATUS;
    x86_operand_write(state, instruction, &instruction->operand[0], product);
    return true;
}

static bool execute_stack(struct x86_state *state, const struct x86_instruction *instruction)
{
    uint64_t *stack_pointer = &state->general[X86_RSP];
    if ((state->general_known & 1u << X86_RSP) == 0 || instruction->head.operand_width != 64) {
        return false;
    }
    struct x86_value value;
    switch (instruction->head.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
        value = x86_operand_read(state, instruction, &instruction->operand[0]);
        *stack_pointer -= 8;
        x86_memory_write(state, *stack_pointer, 8, value);
        return true;
    case ZYDIS_MNEMONIC_POP:
        value = x86_memory_read(state, *stack_pointer, 8);
        *stack_pointer += 8;
        x86_operand_write(state, instruction, &instruction->operand[0], value);
        return true;
    default:
        return false;
    }
}

static bool execute_extend(struct x86_state *state, ZydisMnemonic mnemonic)
{
    uint64_t *rax = &state->general[0], *rdx = &state->general[2];
    if ((state->general_known & 1) == 0) {
        return false;
    }
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CDQE:
        *rax = sign_extend(*rax, 32);
        return true;
    case ZYDIS_MNEMONIC_CWDE:
        *rax = (uint32_t)sign_extend(*rax, 16);
        return true;
    case ZYDIS_MNEMONIC_CQO:
        *rdx = (uint64_t)((int64_t)*rax >> 63);
        break;
    case ZYDIS_MNEMONIC_CDQ:
        *rdx = (uint32_t)((int32_t)(uint32_t)*rax >> 31);
        break;
    default:
        return false;
    }
    state->general_known |= 1u << 2;
    return true;
}

static bool execute_leave(struct x86_state *state)
{
    if ((state->general_known & 1u << 5) == 0) {
        return false;
    }
    uint64_t frame = state->general[5];
    struct x86_value saved = x86_memory_read(state, frame, 8);
    state->general[X86_RSP] = frame + 8;
    state->general[5] = saved.bits;
    state->general_known |= 1u << X86_RSP;
    state->general_known = saved.known ? state->general_known : state->general_known & ~(1u << 5);
    return true;
}

/* MOVS and STOS: where the registers end, and that the bytes written are not known. */
static bool execute_string(struct x86_state *state, const struct x86_instruction *instruction)
{
    const unsigned rsi = 6, rdi = 7;
    bool moves =
        instruction->head.mnemonic >= ZYDIS_MNEMONIC_MOVSB && instruction->head.mnemonic <= ZYDIS_MNEMONIC_MOVSW;
    uint32_t needed = 1u << rdi | (moves ? 1u << rsi : 0) | (x86_repeats(instruction) ? 1u << X86_RCX : 0);
    if ((state->general_known & needed) != needed || (state->flags & FLAG_DIRECTION) != 0) {
        return false;
    }
    uint64_t element = instruction->operand[0].size / 8u;
    uint64_t count = x86_repeats(instruction) ? state->general[X86_RCX] : 1;
    x86_memory_write(state, state->general[rdi], element * count, UNKNOWN);
    state->general[rdi] += element * count;
    state->general[rsi] += moves ? element * count : 0;
    state->general[X86_RCX] = x86_repeats(instruction) ? 0 : state->general[X86_RCX];
    return true;
}

static void forget_results(struct x86_state *state, const struct x86_instruction *instruction)
{
    ZydisMnemonic mnemonic = instruction->head.mnemonic;
    if (mnemonic == ZYDIS_MNEMONIC_VZEROUPPER || mnemonic == ZYDIS_MNEMONIC_VZEROALL) {
        state->vectors_known = 0; /* no operand says so */
    }
    for (unsigned i = 0; i < instruction->head.operand_count; i++) {
        const struct x86_operand *operand = &instruction->operand[i];
        if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) {
            x86_operand_write(state, instruction, operand, UNKNOWN);
        }
    }
    const ZydisAccessedFlags *flags = instruction->head.cpu_flags;
    if (flags != NULL) {
        state->flags_known &= ~(uint32_t)(flags->modified | flags->set_0 | flags->set_1 | flags->undefined);
    }
}

static bool emulate(struct x86_state *state, const struct x86_instruction *instruction)
{
    ZydisMnemonic mnemonic = instruction->head.mnemonic;
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
        return execute_move(state, instruction);
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
    case ZYDIS_MNEMONIC_NEG:
    case ZYDIS_MNEMONIC_NOT:
        return execute_unary(state, instruction);
    case ZYDIS_MNEMONIC_IMUL:
        return execute_multiply(state, instruction);
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP:
        return execute_stack(state, instruction);
    case ZYDIS_MNEMONIC_CDQE:
    case ZYDIS_MNEMONIC_CWDE:
    case ZYDIS_MNEMONIC_CQO:
    case ZYDIS_MNEMONIC_CDQ:
        return execute_extend(state, mnemonic);
    case ZYDIS_MNEMONIC_LEAVE:
        return execute_leave(state);
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSQ:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ:
    case ZYDIS_MNEMONIC_STOSW:
        return instruction->head.category == ZYDIS_CATEGORY_STRINGOP && execute_string(state, instruction);
    default:
        break;
    }
    ZydisInstructionCategory category = instruction->head.category;
    if (category == ZYDIS_CATEGORY_SETCC || category == ZYDIS_CATEGORY_CMOV) {
        return execute_conditional(state, instruction);
    }
    return is_binary(mnemonic) && execute_binary(state, instruction);
}

void x86_execute(struct x86_state *state, const struct x86_instruction *instruction)
{
    if (!emulate(state, instruction)) {
        forget_results(state, instruction);
    }
}
