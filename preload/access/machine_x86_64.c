/* The decoder, and which bytes an instruction's memory operand really touches. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "access/machine.h"
#include "access/machine_x86.h"
#include "access/watch.h"

#define INSTRUCTION_BYTES_MAX 15u
#define PAGE_BYTES 4096u
#define TOUCHED_BYTES_MAX 64u /* beyond one vector: FXSAVE, XSAVE and their like are no data access */

typedef ZyanStatus decode_full(const ZydisDecoder *, const void *, ZyanUSize, ZydisDecodedInstruction *,
                               ZydisDecodedOperand *);
typedef ZyanStatus decode_head(const ZydisDecoder *, ZydisDecoderContext *, const void *, ZyanUSize,
                               ZydisDecodedInstruction *);

static ZydisDecoder decoder;
static decode_full *decode_instruction;
static decode_head *decode_length;

bool machine_start(char *why_off, size_t bytes)
{
    /* The structs' layout belongs to the soname that the headers came with: no other version will do. */
    void *library = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(why_off, bytes, "libZydis.so.4.0 cannot be loaded: apt-get install libzydis4.0");
        return false;
    }
    __typeof__(&ZydisDecoderInit) initialise;
    *(void **)&initialise = dlsym(library, "ZydisDecoderInit");
    *(void **)&decode_instruction = dlsym(library, "ZydisDecoderDecodeFull");
    *(void **)&decode_length = dlsym(library, "ZydisDecoderDecodeInstruction");
    bool ready = initialise != NULL && decode_instruction != NULL && decode_length != NULL &&
                 ZYAN_SUCCESS(initialise(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
    if (!ready) {
        snprintf(why_off, bytes, "libZydis.so.4.0 lacks the decoder's functions: reinstall libzydis4.0");
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

/* An instruction may end right before an unmapped page: then as many bytes as there are. */
static size_t fetch(uintptr_t address, uint8_t bytes[INSTRUCTION_BYTES_MAX])
{
    if (watch_read_memory(bytes, address, INSTRUCTION_BYTES_MAX)) {
        return INSTRUCTION_BYTES_MAX;
    }
    size_t to_page_end = PAGE_BYTES - address % PAGE_BYTES;
    if (to_page_end < INSTRUCTION_BYTES_MAX && watch_read_memory(bytes, address, to_page_end)) {
        return to_page_end;
    }
    return 0;
}

enum x86_decoded x86_decode(uintptr_t address, struct x86_instruction *instruction)
{
    uint8_t bytes[INSTRUCTION_BYTES_MAX];
    size_t available = fetch(address, bytes);
    if (available == 0) {
        return X86_UNREADABLE;
    }
    instruction->address = address;
    ZyanStatus status = decode_instruction(&decoder, bytes, available, &instruction->head, instruction->operand);
    return ZYAN_SUCCESS(status) ? X86_DECODED : X86_UNDECODED;
}

unsigned x86_length(const uint8_t *bytes, size_t available)
{
    ZydisDecodedInstruction head;
    return ZYAN_SUCCESS(decode_length(&decoder, NULL, bytes, available, &head)) ? head.length : 0;
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
           instruction.head.meta.category == ZYDIS_CATEGORY_STRINGOP &&
           (instruction.head.attributes & ZYDIS_ATTRIB_HAS_REP) != 0;
}

static bool is_no_access(const ZydisDecodedInstruction *head)
{
    switch (head->meta.category) {
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
                         const ZydisDecodedOperand *operand, uint64_t *address, uint64_t *size_bytes, bool *unknown)
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
    if (x86_repeats(instruction) && instruction->head.meta.category == ZYDIS_CATEGORY_STRINGOP) {
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
