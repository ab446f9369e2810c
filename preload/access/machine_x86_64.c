/* What the machine is asked of a whole thread, and which bytes an instruction's memory operand really touches. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "access/machine.h"
#include "access/machine_x86.h"
#include "stack/guard.h"

#define TOUCHED_BYTES_MAX 64u /* beyond one vector: FXSAVE, XSAVE and their like are no data access */

bool machine_start(char *why_off, size_t bytes)
{
    if (!x86_decoder_start(why_off, bytes)) {
        return false;
    }
    /* Looked up, not linked: the loader exports it, and the shim needs libc alone. */
    void **stack_end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
    x86_main_stack_high = stack_end != NULL ? (uint64_t)(uintptr_t)*stack_end : 0;
    x86_vector_start();
    return true;
}

uintptr_t machine_instruction_pointer(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

uintptr_t machine_stack_pointer(const ucontext_t *uc)
{
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
}

bool x86_repeats(const struct x86_instruction *instruction)
{
    return (instruction->head.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) !=
           0;
}

bool machine_in_string_operation(const ucontext_t *uc)
{
    struct x86_instruction instruction;
    return x86_decode(machine_instruction_pointer(uc), &instruction) == X86_DECODED &&
           instruction.head.category == ZYDIS_CATEGORY_STRINGOP &&
           (instruction.head.attributes & ZYDIS_ATTRIB_HAS_REP) != 0;
}

#define EPILOGUE_INSTRUCTIONS_MAX 16u /* more than there are registers to be restored */

/* LEA accesses nothing, whatever it computes. */
static bool is_of_epilogue(const struct x86_instruction *instruction)
{
    bool is_plain = instruction->head.category != ZYDIS_CATEGORY_CALL &&
                    instruction->head.category != ZYDIS_CATEGORY_COND_BR &&
                    instruction->head.category != ZYDIS_CATEGORY_UNCOND_BR;
    for (unsigned i = 0; is_plain && i < instruction->head.operand_count_visible; i++) {
        const struct x86_operand *operand = &instruction->operand[i];
        is_plain = operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.base == ZYDIS_REGISTER_RSP ||
                   instruction->head.mnemonic == ZYDIS_MNEMONIC_LEA;
    }
    return is_plain;
}

bool machine_is_returning(uintptr_t at)
{
    struct x86_instruction instruction;
    for (unsigned i = 0; i < EPILOGUE_INSTRUCTIONS_MAX && x86_decode(at, &instruction) == X86_DECODED; i++) {
        if (instruction.head.category == ZYDIS_CATEGORY_RET) {
            return true;
        }
        if (!is_of_epilogue(&instruction)) {
            return false;
        }
        at += instruction.head.length;
    }
    return false;
}

bool machine_is_stub(uintptr_t at)
{
    struct x86_instruction instruction;
    if (x86_decode(at, &instruction) == X86_DECODED && instruction.head.mnemonic == ZYDIS_MNEMONIC_ENDBR64) {
        at += instruction.head.length;
    }
    return x86_decode(at, &instruction) == X86_DECODED && instruction.head.mnemonic == ZYDIS_MNEMONIC_JMP &&
           instruction.operand[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
           instruction.operand[0].mem.base == ZYDIS_REGISTER_RIP;
}

#define SYSCALL_BYTES 2u

bool machine_call_starts_again(const ucontext_t *uc, struct machine_call *call)
{
    static const uint8_t instruction[SYSCALL_BYTES] = {0x0f, 0x05}; /* syscall: Intel SDM, volume 2 */
    uint8_t code[SYSCALL_BYTES];
    if (!guard_copy(code, (const void *)machine_instruction_pointer(uc), sizeof code) ||
        memcmp(code, instruction, sizeof code) != 0) {
        return false;
    }
    *call = (struct machine_call){(long)uc->uc_mcontext.gregs[REG_RAX], (long)uc->uc_mcontext.gregs[REG_RSI]};
    return true;
}

void machine_call_fail(ucontext_t *uc)
{
    uc->uc_mcontext.gregs[REG_RAX] = -EINTR;
    uc->uc_mcontext.gregs[REG_RIP] += SYSCALL_BYTES;
}

static bool is_no_access(const struct x86_head *head)
{
    switch (head->category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
    case ZYDIS_CATEGORY_CLDEMOTE:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
    case ZYDIS_CATEGORY_MPX:
        return true;
    default:
        break;
    }
    switch (head->mnemonic) {
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_INVLPG:
        return true;
    default:
        return false;
    }
}

bool x86_operand_touches(const struct x86_state *state, const struct x86_instruction *instruction,
                         const struct x86_operand *operand, uint64_t *address, uint64_t *size_bytes, bool *unknown)
{
    *unknown = false;
    bool gathers = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM && !gathers) ||
        is_no_access(&instruction->head)) {
        return false;
    }
    if (gathers) {
        return x86_masked_touches(state, instruction, operand, address, size_bytes, unknown);
    }
    struct x86_value start = x86_operand_address(state, instruction, operand);
    *address = start.bits;
    *size_bytes = operand->size / 8u;
    *unknown = !start.known;
    if (!start.known || *size_bytes == 0 || *size_bytes > TOUCHED_BYTES_MAX) {
        return false;
    }
    if (x86_is_masked(instruction, operand)) {
        return x86_masked_touches(state, instruction, operand, address, size_bytes, unknown);
    }
    if (x86_repeats(instruction) && instruction->head.category == ZYDIS_CATEGORY_STRINGOP) {
        if ((state->general_known & 1u << X86_RCX) == 0) {
            *unknown = true;
            return false;
        }
        uint64_t elements = state->general[X86_RCX];
        bool compares = (instruction->head.attributes & ZYDIS_ATTRIB_HAS_REP) == 0; /* REPE, REPNE: may stop early */
        *size_bytes *= compares && elements > 1 ? 1 : elements < TOUCHED_BYTES_MAX ? elements : TOUCHED_BYTES_MAX;
        return elements != 0;
    }
    return true;
}
