/*
 * What the instruction before a trap did. Data breakpoints report behind the access (Intel SDM volume 3, 17.2.5), and
 * instructions cannot be decoded backwards for certain: a byte too few or too many turns a load into a store. So the
 * boundary is found by decoding forward from a known one, and remembered; only without one, by trying lengths.
 */
#include <string.h>

#include "access/machine.h"
#include "access/machine_x86.h"
#include "access/watch.h"

#define INSTRUCTION_BYTES_MAX 15u
#define FORWARD_BYTES_MAX 16384u
#define NEAR_BYTES 512u
#define SETTLE_BYTES 160u
#define CHUNK_BYTES 256u
#define BOUNDARIES 1024u

/* Last instruction's length before an address, and a check of its bytes: code made at run time may change. */
static _Atomic uint64_t boundaries[BOUNDARIES];

static _Atomic uint64_t *boundary_slot(uintptr_t next)
{
    return &boundaries[(next ^ next >> 10) % BOUNDARIES];
}

/* Packs address (48 bits), length (4) and 12 bits of its content into a word that is read and written in one piece. */
static uint64_t boundary_pack(uintptr_t next, unsigned length)
{
    uint8_t bytes[INSTRUCTION_BYTES_MAX] = {0};
    if (!watch_read_memory(bytes, next - length, length)) {
        return 0;
    }
    uint32_t sum = 0;
    for (unsigned i = 0; i < length; i++) {
        sum = sum * 31 + bytes[i];
    }
    return ((uint64_t)next << 16) | (uint64_t)(length << 12) | (sum & 0xfff);
}

static unsigned boundary_recall(uintptr_t next)
{
    uint64_t packed = *boundary_slot(next);
    unsigned length = packed >> 12 & 15;
    return length != 0 && boundary_pack(next, length) == packed ? length : 0;
}

static void boundary_keep(uintptr_t next, unsigned length)
{
    *boundary_slot(next) = boundary_pack(next, length);
}

/* Length of the instruction that ends at `next`, decoding from `start`; 0 when decoding does not come by. */
static unsigned length_forward(uintptr_t start, uintptr_t next)
{
    uint8_t bytes[CHUNK_BYTES];
    uintptr_t chunk = 0;
    size_t held = 0;
    for (uintptr_t at = start; at < next;) {
        if (held == 0 || at - chunk + INSTRUCTION_BYTES_MAX > held) {
            chunk = at;
            held = next - at < CHUNK_BYTES ? next - at : CHUNK_BYTES;
            if (!watch_read_memory(bytes, at, held)) {
                return 0;
            }
        }
        unsigned length = x86_length(bytes + (at - chunk), held - (at - chunk));
        if (length == 0) {
            return 0;
        }
        if (at + length == next) {
            return length;
        }
        at += length;
    }
    return 0;
}

/*
 * The same in a long function. Decoding that starts at a wrong place falls into step after a few instructions, so two starts a
 * good way back that agree on the last instruction have; where they differ the whole function is decoded.
 */
static unsigned length_from(uintptr_t start, uintptr_t next)
{
    if (next - start > NEAR_BYTES) {
        unsigned length = length_forward(next - SETTLE_BYTES, next);
        if (length != 0 && length == length_forward(next - SETTLE_BYTES - 1, next)) {
            return length;
        }
    }
    return next - start <= FORWARD_BYTES_MAX ? length_forward(start, next) : 0;
}

/*
 * Does the instruction at `address` touch the watched bytes? Registers are those after it ran: where it overwrote what its
 * own address came from, its only memory operand must be the one that trapped.
 */
static bool touches_watched(struct x86_state *state, const struct x86_instruction *instruction, uintptr_t address,
                            uint32_t size_bytes, struct machine_access *access)
{
    unsigned memory_operands = 0;
    const struct x86_operand *only = NULL;
    *access = (struct machine_access){.instruction = instruction->address};
    for (unsigned i = 0; i < instruction->head.operand_count; i++) {
        const struct x86_operand *operand = &instruction->operand[i];
        bool candidate = operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
                         operand->mem.base != ZYDIS_REGISTER_RSP;
        if (!candidate) {
            continue;
        }
        memory_operands++;
        only = operand;
        struct x86_value start = x86_operand_address(state, instruction, operand);
        uint64_t bytes = operand->size / 8u;
        if (operand->mem.type == ZYDIS_MEMOP_TYPE_MEM && start.known && start.bits < address + size_bytes &&
            address < start.bits + bytes) {
            access->address = (uintptr_t)start.bits;
            access->size_bytes = (uint32_t)bytes;
            access->load |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
            access->store |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        }
    }
    if (access->load || access->store) {
        return true;
    }
    if (memory_operands != 1) {
        return false;
    }
    access->size_bytes = only->size / 8u;
    access->load = (only->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    access->store = (only->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    return (only->mem.type == ZYDIS_MEMOP_TYPE_VSIB || /* its addresses lie in a vector */
            !x86_operand_address(state, instruction, only).known) &&
           (access->load || access->store);
}

/* What the instruction overwrote is not what it computed its addresses from. */
static void forget_written(struct x86_state *state, const struct x86_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->head.operand_count; i++) {
        const struct x86_operand *operand = &instruction->operand[i];
        bool writes = (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        if (writes && operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            x86_operand_write(state, instruction, operand, (struct x86_value){0, false});
        }
    }
}

/* A string instruction moves its pointers after each element: it touched the one before where they point now. */
static bool string_touches(const struct x86_state *state, const struct x86_instruction *instruction, uintptr_t address,
                           uint32_t size_bytes, struct machine_access *access)
{
    const int64_t element = instruction->operand[0].size / 8;
    const int64_t step = (state->flags & 0x400u) != 0 ? -element : element;
    *access = (struct machine_access){.instruction = instruction->address};
    for (unsigned i = 0; i < instruction->head.operand_count; i++) {
        const struct x86_operand *operand = &instruction->operand[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY) {
            continue;
        }
        /* Fast string operation reports up to a vector's width late: any element just passed may be the one. */
        const int64_t late = 128;
        uint64_t now = x86_operand_address(state, instruction, operand).bits;
        uint64_t low = step > 0 ? now - (uint64_t)late : now, high = step > 0 ? now : now + (uint64_t)late;
        if (low < address + size_bytes && address < high) {
            access->address = (uintptr_t)(now - (uint64_t)step);
            access->size_bytes = (uint32_t)(operand->size / 8u);
            access->load |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
            bool stores = (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
            bool ahead = step > 0 ? now < address + size_bytes : now + (uint64_t)element > address;
            access->store |= stores;
            access->unfinished |= stores && ahead;
        }
    }
    return access->load || access->store;
}

static bool explain_at(const ucontext_t *uc, uintptr_t instruction_address, uintptr_t address, uint32_t size_bytes,
                       struct machine_access *access)
{
    struct x86_instruction instruction;
    struct x86_state state;
    uintptr_t now = machine_instruction_pointer(uc);
    if (x86_decode(instruction_address, &instruction) != X86_DECODED) {
        return false;
    }
    x86_state_begin(&state, uc);
    if (instruction.head.category == ZYDIS_CATEGORY_STRINGOP) {
        bool ends_here = instruction_address + instruction.head.length == now;
        bool goes_on = x86_repeats(&instruction) && instruction_address == now;
        bool touches = (ends_here || goes_on) && string_touches(&state, &instruction, address, size_bytes, access);
        access->repeats_left = touches && goes_on ? state.general[X86_RCX] : 0;
        access->unfinished &= access->repeats_left > 0;
        return touches;
    }
    if (instruction_address + instruction.head.length != now) {
        return false;
    }
    forget_written(&state, &instruction);
    return touches_watched(&state, &instruction, address, size_bytes, access);
}

bool machine_trap_is_of(const ucontext_t *uc, uintptr_t instruction, uintptr_t address, uint32_t size_bytes,
                        struct machine_access *access)
{
    return explain_at(uc, instruction, address, size_bytes, access);
}

/* Calls and jumps through memory land elsewhere: the instruction before is not the one that ran. */
static bool explain_transfer(uintptr_t known_start, uintptr_t now, struct machine_access *access)
{
    if (known_start == 0 || known_start != now) {
        return false;
    }
    *access = (struct machine_access){.instruction = now, .load = true, .size_bytes = 8};
    return true;
}

bool machine_explain_trap(const ucontext_t *uc, uintptr_t known_start, uintptr_t address, uint32_t size_bytes,
                          struct machine_access *access)
{
    uintptr_t now = machine_instruction_pointer(uc);
    struct x86_instruction at_now; /* one that repeats, on its way, may be its function's first */
    if (x86_decode(now, &at_now) == X86_DECODED && x86_repeats(&at_now) &&
        explain_at(uc, now, address, size_bytes, access)) {
        return true;
    }
    if (explain_transfer(known_start, now, access)) {
        return true;
    }
    unsigned length = boundary_recall(now);
    if (length == 0 && known_start != 0) {
        length = length_from(known_start, now);
        if (length != 0) {
            boundary_keep(now, length);
        }
    }
    if (length != 0) {
        return explain_at(uc, now - length, address, size_bytes, access);
    }
    for (length = INSTRUCTION_BYTES_MAX; length > 0; length--) {
        if (explain_at(uc, now - length, address, size_bytes, access) && access->address != 0) {
            return true;
        }
    }
    return false;
}
