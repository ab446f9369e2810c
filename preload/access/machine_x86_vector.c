/*
 * Accesses whose bytes a mask chooses, and those whose addresses lie in a vector: from the vector and k registers of the
 * interrupted context, as long as the walked path has not overwritten them. Intel SDM volume 1, 13.4 and 13.5.
 */
#include <cpuid.h>
#include <string.h>

#include "access/machine_x86.h"

#define XSAVE_LEAF 0xdu
#define XSAVE_HEADER_OFFSET 512u
#define XSAVE_XMM_OFFSET 160u

enum component {
    COMPONENT_XMM = 1,
    COMPONENT_YMM_HIGH = 2, /* upper halves of ymm0-15 */
    COMPONENT_MASKS = 5,    /* k0-k7 */
    COMPONENT_ZMM_HIGH = 6, /* upper halves of zmm0-15 */
    COMPONENT_ZMM_MORE = 7, /* zmm16-31 */
    COMPONENTS
};

static uint32_t offsets[COMPONENTS]; /* in the XSAVE area, 0 where the processor has none */

void x86_vector_start(void)
{
    offsets[COMPONENT_XMM] = XSAVE_XMM_OFFSET;
    for (unsigned i = COMPONENT_YMM_HIGH; i < COMPONENTS; i++) {
        unsigned size = 0, offset = 0, flags, unused;
        bool there = __get_cpuid_count(XSAVE_LEAF, i, &size, &offset, &flags, &unused) != 0 && size != 0;
        offsets[i] = there ? offset : 0;
    }
}

/* Bytes of a component; zero, its initial state, where the processor did not need to save it. */
static struct x86_value component_read(const struct x86_state *state, enum component component, unsigned at,
                                       unsigned size_bytes)
{
    const uint8_t *area = (const uint8_t *)state->uc->uc_mcontext.fpregs;
    struct x86_value value = {0, area != NULL && offsets[component] != 0};
    if (!value.known) {
        return value;
    }
    uint64_t saved;
    memcpy(&saved, area + XSAVE_HEADER_OFFSET, sizeof saved);
    if ((saved >> component & 1) != 0) {
        memcpy(&value.bits, area + offsets[component] + at, size_bytes);
    }
    return value;
}

struct x86_value x86_mask_register(const struct x86_state *state, unsigned number)
{
    struct x86_value mask = component_read(state, COMPONENT_MASKS, 8 * number, 8);
    mask.known &= (state->masks_known >> number & 1) != 0;
    return mask;
}

static unsigned vector_number(ZydisRegister reg)
{
    if (reg >= ZYDIS_REGISTER_XMM0 && reg <= ZYDIS_REGISTER_XMM31) {
        return reg - ZYDIS_REGISTER_XMM0;
    }
    if (reg >= ZYDIS_REGISTER_YMM0 && reg <= ZYDIS_REGISTER_YMM31) {
        return reg - ZYDIS_REGISTER_YMM0;
    }
    if (reg >= ZYDIS_REGISTER_ZMM0 && reg <= ZYDIS_REGISTER_ZMM31) {
        return reg - ZYDIS_REGISTER_ZMM0;
    }
    return X86_VECTORS;
}

void x86_vector_forget(struct x86_state *state, ZydisRegister reg)
{
    unsigned number = vector_number(reg);
    if (number < X86_VECTORS) {
        state->vectors_known &= ~(UINT32_C(1) << number);
    }
}

/* `size_bytes` (1, 4 or 8) from byte `at` of a vector register. */
static struct x86_value vector_read(const struct x86_state *state, ZydisRegister reg, unsigned at, unsigned size_bytes)
{
    unsigned number = vector_number(reg);
    struct x86_value value = {0, false};
    if (number >= X86_VECTORS || (state->vectors_known >> number & 1) == 0) {
        return value;
    }
    if (number >= 16) {
        return component_read(state, COMPONENT_ZMM_MORE, 64 * (number - 16) + at, size_bytes);
    }
    if (at < 16) {
        return component_read(state, COMPONENT_XMM, 16 * number + at, size_bytes);
    }
    return at < 32 ? component_read(state, COMPONENT_YMM_HIGH, 16 * number + at - 16, size_bytes)
                   : component_read(state, COMPONENT_ZMM_HIGH, 32 * number + at - 32, size_bytes);
}

/* The register that masks, by the sign bits of its elements; NONE when no vector does. */
static ZydisRegister mask_vector(const struct x86_instruction *instruction)
{
    switch (instruction->head.mnemonic) {
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVQ: /* of MMX, whose registers are not read here: never known */
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
        return instruction->operand[1].reg.value;
    default:
        break;
    }
    bool gathers = instruction->head.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX &&
                   instruction->operand[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
                   instruction->operand[1].mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    return gathers ? instruction->operand[2].reg.value : ZYDIS_REGISTER_NONE;
}

static bool is_masked_by_k(const struct x86_instruction *instruction)
{
    return instruction->head.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
           instruction->head.mask_mode > ZYDIS_MASK_MODE_DISABLED &&
           instruction->head.mask_register > ZYDIS_REGISTER_K0;
}

bool x86_is_masked(const struct x86_instruction *instruction, const struct x86_operand *operand)
{
    return operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB || is_masked_by_k(instruction) ||
           mask_vector(instruction) != ZYDIS_REGISTER_NONE;
}

/* One bit for each of `count` elements that takes part. */
static struct x86_value active_elements(const struct x86_state *state, const struct x86_instruction *instruction,
                                        unsigned count, unsigned element_bytes)
{
    struct x86_value active = {0, true};
    ZydisRegister vector = mask_vector(instruction);
    if (vector == ZYDIS_REGISTER_NONE) {
        active = x86_mask_register(state, (unsigned)(instruction->head.mask_register - ZYDIS_REGISTER_K0));
        active.bits &= count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
        return active;
    }
    for (unsigned i = 0; i < count && active.known; i++) {
        struct x86_value element = vector_read(state, vector, i * element_bytes, element_bytes);
        active.known = element.known;
        active.bits |= (element.bits >> (8 * element_bytes - 1) & 1) << i;
    }
    return active;
}

static bool indices_are_64_bits(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_VGATHERQPS:
    case ZYDIS_MNEMONIC_VGATHERQPD:
    case ZYDIS_MNEMONIC_VPGATHERQD:
    case ZYDIS_MNEMONIC_VPGATHERQQ:
    case ZYDIS_MNEMONIC_VSCATTERQPS:
    case ZYDIS_MNEMONIC_VSCATTERQPD:
    case ZYDIS_MNEMONIC_VPSCATTERQD:
    case ZYDIS_MNEMONIC_VPSCATTERQQ:
        return true;
    default:
        return false;
    }
}

/* Of a gather or scatter: the operand itself is described as one element. */
static unsigned elements_addressed(const struct x86_instruction *instruction, const struct x86_operand *operand)
{
    const struct x86_operand *data = operand == &instruction->operand[0] ? operand + 2 : &instruction->operand[0];
    ZydisRegister index = operand->mem.index;
    unsigned index_bytes = index >= ZYDIS_REGISTER_ZMM0 ? 64 : index >= ZYDIS_REGISTER_YMM0 ? 32 : 16;
    unsigned indices = index_bytes / (indices_are_64_bits(instruction->head.mnemonic) ? 8 : 4);
    return data->element_count < indices ? data->element_count : indices;
}

static struct x86_value element_address(const struct x86_state *state, const struct x86_instruction *instruction,
                                        const struct x86_operand *operand, unsigned element)
{
    unsigned bytes = indices_are_64_bits(instruction->head.mnemonic) ? 8 : 4;
    struct x86_operand plain = *operand;
    plain.mem.index = ZYDIS_REGISTER_NONE;
    struct x86_value address = x86_operand_address(state, instruction, &plain);
    struct x86_value index = vector_read(state, operand->mem.index, element * bytes, bytes);
    uint64_t offset = bytes == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)index.bits : index.bits;
    address.bits += offset * (operand->mem.scale == 0 ? 1u : operand->mem.scale);
    address.known &= index.known;
    return address;
}

static bool packs(const struct x86_instruction *instruction)
{
    return instruction->head.category == ZYDIS_CATEGORY_COMPRESS || instruction->head.category == ZYDIS_CATEGORY_EXPAND;
}

bool x86_masked_touches(const struct x86_state *state, const struct x86_instruction *instruction,
                        const struct x86_operand *operand, uint64_t *address, uint64_t *size_bytes, bool *unknown)
{
    unsigned element = operand->element_size / 8u, count = operand->element_count;
    bool bytewise = instruction->head.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
                    instruction->head.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU;
    if (bytewise) {
        element = 1;
        count = 16;
    }
    bool gathers = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    count = gathers ? elements_addressed(instruction, operand) : count;
    bool broadcasts = instruction->head.broadcast_mode != ZYDIS_BROADCAST_MODE_INVALID;
    count = broadcasts ? 64 : count; /* one in memory, many in the vector */
    struct x86_value active = active_elements(state, instruction, count, element);
    *unknown = !active.known || element == 0 || element > 8 || count == 0;
    if (*unknown || active.bits == 0) {
        return false;
    }
    unsigned first = (unsigned)__builtin_ctzll(active.bits);
    if (gathers) {
        struct x86_value start = element_address(state, instruction, operand, first);
        *address = start.bits;
        *size_bytes = element;
        *unknown = !start.known;
        return start.known;
    }
    if (broadcasts) {
        return true;
    }
    if (packs(instruction)) {
        *size_bytes = element * (uint64_t)__builtin_popcountll(active.bits);
        return true;
    }
    uint64_t run = ~(active.bits >> first);
    *address += (uint64_t)element * first;
    *size_bytes = element * (run == 0 ? 64u - first : (uint64_t)__builtin_ctzll(run));
    return true;
}
