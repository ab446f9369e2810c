/* Registers, flags and memory as far as a walk over code that has not run yet can know them. */
#include <string.h>

#include "access/machine_x86.h"
#include "access/watch.h"

#define RED_ZONE_BYTES 128u
#define STACK_BELOW_BYTES 65536u /* calls on the path push below the interrupted stack pointer */

uint64_t x86_main_stack_high;

/*
 * The C library puts a thread's control block at the top of its stack, the program's own or not; only the main thread's
 * lies elsewhere. So the stack reaches from the stack pointer up to it.
 */
static uint64_t stack_high_of(uint64_t stack_pointer)
{
    uint64_t main_high = x86_main_stack_high;
    uint64_t block = (uint64_t)(uintptr_t)__builtin_thread_pointer();
    bool below_main = stack_pointer < main_high;
    bool below_block = stack_pointer < block;
    if (below_main && (!below_block || main_high < block)) {
        return main_high;
    }
    return below_block ? block : stack_pointer;
}

void x86_state_begin(struct x86_state *state, const ucontext_t *uc)
{
    static const uint8_t order[X86_GENERAL_REGISTERS] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                                         REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                         REG_R12, REG_R13, REG_R14, REG_R15};
    const greg_t *registers = uc->uc_mcontext.gregs;
    for (unsigned i = 0; i < X86_GENERAL_REGISTERS; i++) {
        state->general[i] = (uint64_t)registers[order[i]];
    }
    state->uc = uc;
    state->instruction = (uint64_t)registers[REG_RIP];
    state->general_known = 0xffff;
    state->flags = (uint32_t)registers[REG_EFL];
    state->flags_known = UINT32_MAX;
    state->masks_known = 0xff;
    state->vectors_known = UINT32_MAX;
    state->stack_low_slack = state->general[X86_RSP] - RED_ZONE_BYTES - STACK_BELOW_BYTES;
    state->stack_high = stack_high_of(state->general[X86_RSP]);
    state->writes = 0;
    state->writes_lost = false;
}

bool x86_on_stack(const struct x86_state *state, uint64_t address)
{
    return address >= state->stack_low_slack && address < state->stack_high;
}

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

struct x86_value x86_memory_read(const struct x86_state *state, uint64_t address, uint32_t size_bytes)
{
    struct x86_value value = {0, false};
    if (size_bytes == 0 || size_bytes > sizeof value.bits || state->writes_lost) {
        return value;
    }
    for (uint32_t i = state->writes; i-- > 0;) {
        const struct x86_write *write = &state->write[i];
        if (address + size_bytes <= write->address || write->address + write->size_bytes <= address) {
            continue;
        }
        bool covers = address >= write->address && address + size_bytes <= write->address + write->size_bytes;
        if (!write->known || !covers) {
            return value;
        }
        value.bits = low_bits(write->value >> (8 * (address - write->address)), 8 * size_bytes);
        value.known = true;
        return value;
    }
    value.known = watch_read_memory(&value.bits, (uintptr_t)address, size_bytes);
    return value;
}

void x86_memory_write(struct x86_state *state, uint64_t address, uint64_t size_bytes, struct x86_value value)
{
    if (state->writes == X86_WRITES_MAX) {
        state->writes_lost = true;
        return;
    }
    bool known = value.known && size_bytes <= sizeof value.bits;
    state->write[state->writes++] = (struct x86_write){address, size_bytes, value.bits, known};
}

/* Where a register lies: its number, width and position in the full one. False: no general register. */
struct place {
    unsigned number, bits, shift;
};

static bool register_place(ZydisRegister reg, struct place *place)
{
    if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15) {
        *place = (struct place){reg - ZYDIS_REGISTER_RAX, 64, 0};
    } else if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D) {
        *place = (struct place){reg - ZYDIS_REGISTER_EAX, 32, 0};
    } else if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W) {
        *place = (struct place){reg - ZYDIS_REGISTER_AX, 16, 0};
    } else if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL) {
        *place = (struct place){reg - ZYDIS_REGISTER_AL, 8, 0};
    } else if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH) {
        *place = (struct place){reg - ZYDIS_REGISTER_AH, 8, 8};
    } else if (reg >= ZYDIS_REGISTER_SPL && reg <= ZYDIS_REGISTER_R15B) {
        *place = (struct place){reg - ZYDIS_REGISTER_SPL + 4, 8, 0};
    } else {
        return false;
    }
    return true;
}

static struct x86_value register_read(const struct x86_state *state, const struct x86_instruction *instruction,
                                      ZydisRegister reg)
{
    struct place place;
    if (reg == ZYDIS_REGISTER_NONE) {
        return (struct x86_value){0, true};
    }
    if (reg == ZYDIS_REGISTER_RIP) {
        return (struct x86_value){instruction->address + instruction->head.length, true};
    }
    if (!register_place(reg, &place)) {
        return (struct x86_value){0, false};
    }
    return (struct x86_value){low_bits(state->general[place.number] >> place.shift, place.bits),
                              (state->general_known >> place.number & 1) != 0};
}

static void register_write(struct x86_state *state, ZydisRegister reg, struct x86_value value)
{
    struct place place;
    if (reg >= ZYDIS_REGISTER_K0 && reg <= ZYDIS_REGISTER_K7) {
        state->masks_known &= ~(1u << (reg - ZYDIS_REGISTER_K0));
    }
    if (!register_place(reg, &place)) {
        x86_vector_forget(state, reg);
        return;
    }
    uint32_t bit = 1u << place.number;
    bool whole = place.bits >= 32; /* a 32-bit result clears the upper half */
    bool known = value.known && (whole || (state->general_known & bit) != 0);
    state->general_known = known ? state->general_known | bit : state->general_known & ~bit;
    uint64_t mask = whole ? UINT64_MAX : low_bits(UINT64_MAX, place.bits) << place.shift;
    uint64_t bits = low_bits(value.bits, place.bits) << place.shift;
    state->general[place.number] = (state->general[place.number] & ~mask) | bits;
}

struct x86_value x86_operand_address(const struct x86_state *state, const struct x86_instruction *instruction,
                                     const struct x86_operand *operand)
{
    struct x86_value base = register_read(state, instruction, operand->mem.base);
    struct x86_value index = register_read(state, instruction, operand->mem.index);
    uint64_t scale = operand->mem.scale == 0 ? 1 : operand->mem.scale;
    struct x86_value address = {base.bits + index.bits * scale + (uint64_t)operand->mem.displacement,
                                base.known && index.known};
    if (instruction->head.address_width == 32) {
        address.bits = low_bits(address.bits, 32);
    }
    if (operand->mem.segment == ZYDIS_REGISTER_FS) {
        address.bits += (uint64_t)(uintptr_t)__builtin_thread_pointer();
    } else if (operand->mem.segment == ZYDIS_REGISTER_GS) {
        address.known = false;
    }
    return address;
}

struct x86_value x86_operand_read(const struct x86_state *state, const struct x86_instruction *instruction,
                                  const struct x86_operand *operand)
{
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        return register_read(state, instruction, operand->reg.value);
    }
    if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        return (struct x86_value){operand->imm.value, true};
    }
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type == ZYDIS_MEMOP_TYPE_MEM) {
        struct x86_value address = x86_operand_address(state, instruction, operand);
        if (address.known) {
            return x86_memory_read(state, address.bits, operand->size / 8u);
        }
    }
    return (struct x86_value){0, false};
}

void x86_operand_write(struct x86_state *state, const struct x86_instruction *instruction,
                       const struct x86_operand *operand, struct x86_value value)
{
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        register_write(state, operand->reg.value, value);
    } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type == ZYDIS_MEMOP_TYPE_MEM) {
        struct x86_value address = x86_operand_address(state, instruction, operand);
        if (address.known) {
            x86_memory_write(state, address.bits, operand->size / 8u, value);
        }
    }
}

#define FLAG_CARRY 0x001u
#define FLAG_PARITY 0x004u
#define FLAG_ZERO 0x040u
#define FLAG_SIGN 0x080u
#define FLAG_OVERFLOW 0x800u

struct x86_value x86_condition(const struct x86_state *state, unsigned code)
{
    static const uint32_t needed[8] = {FLAG_OVERFLOW,
                                       FLAG_CARRY,
                                       FLAG_ZERO,
                                       FLAG_CARRY | FLAG_ZERO,
                                       FLAG_SIGN,
                                       FLAG_PARITY,
                                       FLAG_SIGN | FLAG_OVERFLOW,
                                       FLAG_SIGN | FLAG_OVERFLOW | FLAG_ZERO};
    uint32_t need = needed[code >> 1 & 7];
    bool less = ((state->flags & FLAG_SIGN) != 0) != ((state->flags & FLAG_OVERFLOW) != 0);
    bool holds = (state->flags & need) != 0;
    if ((code >> 1 & 7) == 6) {
        holds = less;
    } else if ((code >> 1 & 7) == 7) {
        holds = less || (state->flags & FLAG_ZERO) != 0;
    }
    return (struct x86_value){holds != ((code & 1) != 0), (state->flags_known & need) == need};
}
