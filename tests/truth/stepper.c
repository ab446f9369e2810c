#include "stepper.h"

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "counter.h"

#define TRAP_FLAG 0x100u
#define PIECE_BYTES 8u
/* Of the XSAVE area (Intel's manual, volume 1, chapter 13): what it holds, and the component of the mask registers. */
#define XSTATE_HELD_OFFSET 512u
#define XSTATE_MASKS 5u
#define XSTATE_LEAF 0xdu

static ZydisDecoder decoder;
static uint64_t missed;

/* Where the kernel keeps the 64-bit registers, in the order of ZYDIS_REGISTER_RAX and those behind it. */
static const int SAVED[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* `wanted`: by byte; all of an access of up to eight bytes are. */
static void announce(uintptr_t address, size_t bytes, uint64_t wanted, bool is_store)
{
    for (uintptr_t at = address, end = address + bytes; at < end;) {
        size_t piece = bytes <= PIECE_BYTES ? bytes : PIECE_BYTES - at % PIECE_BYTES;
        piece = piece < end - at ? piece : end - at;
        if ((wanted >> (at - address) & ((UINT64_C(1) << piece) - 1)) != 0)
            counter_access((const void *)at, piece, is_store);
        at += piece;
    }
}

/* Prefetches and wide no-operations name memory and access none. */
static bool accesses_memory(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
        return false;
    default:
        return true;
    }
}

/* What a vector register says which parts of are accessed: these are not looked at. */
static bool is_masked_by_vector(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
        return true;
    default:
        return false;
    }
}

/* A mask register's value, a bit for each element. */
static uint64_t mask_value(const ucontext_t *interrupted, ZydisRegister mask)
{
    const char *area = (const char *)interrupted->uc_mcontext.fpregs;
    uint64_t held, value = 0;
    uint32_t size = 0, offset = 0, flags = 0, unused = 0;
    memcpy(&held, area + XSTATE_HELD_OFFSET, sizeof held);
    __cpuid_count(XSTATE_LEAF, XSTATE_MASKS, size, offset, flags, unused);
    if ((held >> XSTATE_MASKS & 1) != 0)
        memcpy(&value, area + offset + sizeof value * (size_t)(mask - ZYDIS_REGISTER_K0), sizeof value);
    return value;
}

/* The operand's bytes that are accessed, a bit for each. */
static uint64_t bytes_wanted(const ucontext_t *interrupted, const ZydisDecodedInstruction *instruction,
                             const ZydisDecodedOperand *operand)
{
    ZydisRegister mask = instruction->avx.mask.reg;
    if (mask <= ZYDIS_REGISTER_K0 || mask > ZYDIS_REGISTER_K7)
        return UINT64_MAX;
    uint64_t value = mask_value(interrupted, mask), wanted = 0;
    size_t element_bytes = operand->element_size / 8u;
    for (size_t i = 0; i < operand->size / 8u; i++)
        wanted |= (value >> i / element_bytes & 1) << i;
    return wanted;
}

static void operand_announce(const ucontext_t *interrupted, const ZydisDecodedInstruction *instruction,
                             const ZydisDecodedOperand *operand, const ZydisRegisterContext *registers)
{
    ZyanU64 address = 0;
    bool is_vector = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    if (is_vector)
        address = registers->values[operand->mem.base];
    else if (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM ||
             !ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(instruction, operand, registers->values[ZYDIS_REGISTER_RIP],
                                                      registers, &address)))
        return;
    if (!counter_knows((const void *)address))
        return;
    if (is_vector || is_masked_by_vector(instruction)) {
        missed++;
        return;
    }
    uint64_t wanted = bytes_wanted(interrupted, instruction, operand);
    if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0)
        announce(address, operand->size / 8u, wanted, false);
    if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
        announce(address, operand->size / 8u, wanted, true);
}

static void instruction_announce(const ucontext_t *interrupted, const ZydisRegisterContext *registers)
{
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const void *code = (const void *)registers->values[ZYDIS_REGISTER_RIP];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, ZYDIS_MAX_INSTRUCTION_LENGTH, &instruction, operands)))
        abort(); /* the processor is about to run it */
    bool is_repeated =
        (instruction.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
    if (!accesses_memory(&instruction) || (is_repeated && registers->values[ZYDIS_REGISTER_RCX] == 0))
        return;
    for (size_t i = 0; i < instruction.operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && operands[i].mem.segment != ZYDIS_REGISTER_FS &&
            operands[i].mem.segment != ZYDIS_REGISTER_GS)
            operand_announce(interrupted, &instruction, &operands[i], registers);
}

/* Comes before each instruction; of a repeated one before each of its rounds. */
static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    static ZydisRegisterContext registers;
    const ucontext_t *interrupted = context;
    for (size_t i = 0; i < sizeof SAVED / sizeof SAVED[0]; i++)
        registers.values[ZYDIS_REGISTER_RAX + i] = (ZyanU64)interrupted->uc_mcontext.gregs[SAVED[i]];
    registers.values[ZYDIS_REGISTER_RIP] = (ZyanU64)interrupted->uc_mcontext.gregs[REG_RIP];
    counter_settle();
    instruction_announce(interrupted, &registers);
}

static void flag_set(bool on)
{
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}

void stepper_call(uint32_t line)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        sigaction(SIGTRAP, &action, NULL) != 0)
        abort();
    counter_call(line);
    flag_set(true);
}

void stepper_return(void)
{
    flag_set(false);
    counter_return();
}

uint64_t stepper_missed(void)
{
    return missed;
}
