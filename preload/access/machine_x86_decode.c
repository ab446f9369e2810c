/*
 * The decoder. Most samples meet the same loops again, and Zydis is cold each time: its tables make an instruction cost half
 * a microsecond. So a thread remembers what it decoded, by address and bytes: code made at run time may change.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "access/machine.h"
#include "access/machine_x86.h"
#include "access/watch.h"
#include "gate.h"
#include "memory.h"
#include "pieprof/zydis_name.h"

#define INSTRUCTION_BYTES_MAX 15u
#define PAGE_BYTES 4096u
#define KNOWN_OPERANDS_MAX 5u /* one that has more is decoded each time */
#define KNOWN_BITS 11u

typedef ZyanStatus decode_full(const ZydisDecoder *, const void *, ZyanUSize, ZydisDecodedInstruction *,
                               ZydisDecodedOperand *);
typedef ZyanStatus decode_head(const ZydisDecoder *, ZydisDecoderContext *, const void *, ZyanUSize,
                               ZydisDecodedInstruction *);

struct known {
    uintptr_t address; /* 0: none */
    uint8_t bytes[INSTRUCTION_BYTES_MAX + 1];
    struct x86_head head;
    struct x86_operand operand[KNOWN_OPERANDS_MAX];
};

static ZydisDecoder decoder;
static decode_full *decode_instruction;
static decode_head *decode_length;
static SHIM_THREAD_LOCAL struct known *known; /* by address; NULL: the thread has not begun, or there was no memory */

bool x86_decoder_start(char *why_off, size_t bytes)
{
    const struct zydis_name name = zydis_name();
    void *library = dlopen(name.library, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(why_off, bytes, "%s, which it was built with, cannot be loaded: apt-get install %s, or build it here",
                 name.library, name.package);
        return false;
    }
    __typeof__(&ZydisDecoderInit) initialise;
    *(void **)&initialise = dlsym(library, "ZydisDecoderInit");
    *(void **)&decode_instruction = dlsym(library, "ZydisDecoderDecodeFull");
    *(void **)&decode_length = dlsym(library, "ZydisDecoderDecodeInstruction");
    bool ready = initialise != NULL && decode_instruction != NULL && decode_length != NULL &&
                 ZYAN_SUCCESS(initialise(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
    if (!ready) {
        snprintf(why_off, bytes, "%s lacks the decoder's functions: reinstall %s", name.library, name.package);
    }
    return ready;
}

void machine_thread_begin(void)
{
    if (known == NULL) {
        known = memory_map(sizeof *known << KNOWN_BITS);
    }
}

void machine_thread_end(void)
{
    if (known != NULL) {
        memory_unmap(known, sizeof *known << KNOWN_BITS);
    }
    known = NULL;
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

static void take_operand(struct x86_operand *to, const ZydisDecodedOperand *from)
{
    *to = (struct x86_operand){.type = (uint8_t)from->type,
                               .actions = from->actions,
                               .element_type = (uint8_t)from->element_type,
                               .size = from->size,
                               .element_size = from->element_size,
                               .element_count = from->element_count};
    switch (from->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        to->reg.value = (uint16_t)from->reg.value;
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        to->mem.type = (uint8_t)from->mem.type;
        to->mem.scale = from->mem.scale;
        to->mem.segment = (uint16_t)from->mem.segment;
        to->mem.base = (uint16_t)from->mem.base;
        to->mem.index = (uint16_t)from->mem.index;
        to->mem.displacement = from->mem.disp.has_displacement ? from->mem.disp.value : 0;
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        to->imm.value = from->imm.value.u;
        to->imm.is_relative = from->imm.is_relative;
        break;
    default:
        break;
    }
}

static void take_head(struct x86_head *to, const ZydisDecodedInstruction *from)
{
    *to = (struct x86_head){.mnemonic = (uint16_t)from->mnemonic,
                            .category = (uint16_t)from->meta.category,
                            .mask_register = (uint16_t)from->avx.mask.reg,
                            .length = from->length,
                            .encoding = (uint8_t)from->encoding,
                            .opcode_map = (uint8_t)from->opcode_map,
                            .opcode = from->opcode,
                            .address_width = from->address_width,
                            .operand_width = from->operand_width,
                            .operand_count = from->operand_count,
                            .operand_count_visible = from->operand_count_visible,
                            .mask_mode = (uint8_t)from->avx.mask.mode,
                            .broadcast_mode = (uint8_t)from->avx.broadcast.mode,
                            .attributes = from->attributes,
                            .cpu_flags = from->cpu_flags};
}

static bool decode(const uint8_t *bytes, size_t available, struct x86_instruction *instruction)
{
    ZydisDecodedInstruction head;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    if (decode_instruction == NULL || !ZYAN_SUCCESS(decode_instruction(&decoder, bytes, available, &head, operand))) {
        return false;
    }
    take_head(&instruction->head, &head);
    for (unsigned i = 0; i < head.operand_count; i++) {
        take_operand(&instruction->operand[i], &operand[i]);
    }
    return true;
}

static struct known *known_at(uintptr_t address)
{
    return known != NULL ? &known[(address ^ address >> KNOWN_BITS) & ((1u << KNOWN_BITS) - 1)] : NULL;
}

static bool recall(const struct known *entry, const uint8_t *bytes, size_t available,
                   struct x86_instruction *instruction)
{
    if (entry == NULL || entry->address != instruction->address || entry->head.length > available ||
        memcmp(entry->bytes, bytes, entry->head.length) != 0) {
        return false;
    }
    instruction->head = entry->head;
    memcpy(instruction->operand, entry->operand, sizeof *entry->operand * entry->head.operand_count);
    return true;
}

static void keep(struct known *entry, const uint8_t *bytes, const struct x86_instruction *instruction)
{
    if (entry == NULL || instruction->head.operand_count > KNOWN_OPERANDS_MAX) {
        return;
    }
    entry->address = instruction->address;
    memcpy(entry->bytes, bytes, instruction->head.length);
    entry->head = instruction->head;
    memcpy(entry->operand, instruction->operand, sizeof *entry->operand * entry->head.operand_count);
}

enum x86_decoded x86_decode(uintptr_t address, struct x86_instruction *instruction)
{
    uint8_t bytes[INSTRUCTION_BYTES_MAX];
    size_t available = fetch(address, bytes);
    if (available == 0) {
        return X86_UNREADABLE;
    }
    struct known *entry = known_at(address);
    *instruction = (struct x86_instruction){.address = address};
    if (recall(entry, bytes, available, instruction)) {
        return X86_DECODED;
    }
    if (!decode(bytes, available, instruction)) {
        return X86_UNDECODED;
    }
    keep(entry, bytes, instruction);
    return X86_DECODED;
}

unsigned x86_length(const uint8_t *bytes, size_t available)
{
    ZydisDecodedInstruction head;
    return ZYAN_SUCCESS(decode_length(&decoder, NULL, bytes, available, &head)) ? head.length : 0;
}
