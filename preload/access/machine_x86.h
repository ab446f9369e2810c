/* Between the files of the x86-64 machine: decoded instructions and the state that a walk knows. */
#ifndef PIEPROF_PRELOAD_MACHINE_X86_H
#define PIEPROF_PRELOAD_MACHINE_X86_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Of what Zydis tells of an instruction that which is asked here, by its names and in its enumerations: a tenth of the bytes. */
struct x86_operand {
    uint8_t type, actions, element_type;
    uint16_t size, element_size; /* bits */
    uint16_t element_count;
    union {
        struct {
            uint16_t value;
        } reg;
        struct {
            uint8_t type, scale;
            uint16_t segment, base, index;
            int64_t displacement;
        } mem;
        struct {
            uint64_t value;
            bool is_relative;
        } imm;
    };
};

struct x86_head {
    uint16_t mnemonic, category, mask_register;
    uint8_t length, encoding, opcode_map, opcode, address_width, operand_width;
    uint8_t operand_count, operand_count_visible; /* the visible ones come first */
    uint8_t mask_mode, broadcast_mode;
    uint64_t attributes;
    const ZydisAccessedFlags *cpu_flags;
};

struct x86_instruction {
    uintptr_t address;
    struct x86_head head;
    struct x86_operand operand[ZYDIS_MAX_OPERAND_COUNT];
};

enum x86_decoded { X86_DECODED, X86_UNREADABLE, X86_UNDECODED };

/* machine_x86_decode.c: loads the decoder; outside handlers. False with the reason when there is none. */
bool x86_decoder_start(char *why_off, size_t bytes);
/*
 * Signal-safe. Reads around armed watches. A thread that has begun (machine_thread_begin()) remembers what it decoded, as long as
 * the bytes there are the same.
 */
enum x86_decoded x86_decode(uintptr_t address, struct x86_instruction *instruction);
/* Length alone, 0 when it does not decode: about half the work. */
unsigned x86_length(const uint8_t *bytes, size_t available);

#define X86_GENERAL_REGISTERS 16u /* in the order of the encoding: rax rcx rdx rbx rsp rbp rsi rdi r8 ... */
#define X86_VECTORS 32u
#define X86_RSP 4u
#define X86_RCX 1u
#define X86_WRITES_MAX 48u

/* A store that the walked path makes: later loads of it must see it, though it has not happened yet. */
struct x86_write {
    uint64_t address, size_bytes, value;
    bool known;
};

/* What is known of the processor at a point of a path that has not been executed yet. */
struct x86_state {
    const ucontext_t *uc;
    uint64_t instruction; /* address of the next instruction */
    uint64_t general[X86_GENERAL_REGISTERS];
    uint32_t general_known; /* bit per register */
    uint32_t flags, flags_known;
    uint32_t masks_known;   /* bit per k register that still holds what `uc` holds */
    uint32_t vectors_known; /* bit per vector register, likewise */
    uint64_t stack_low_slack, stack_high;
    uint32_t writes;
    bool writes_lost; /* more than the log holds: memory is not known any more */
    struct x86_write write[X86_WRITES_MAX];
};

struct x86_value {
    uint64_t bits;
    bool known;
};

/* Where the main thread's stack began; set by machine_start. */
extern uint64_t x86_main_stack_high;

void x86_state_begin(struct x86_state *state, const ucontext_t *uc);

/* Address of a memory operand; unknown when a register it needs is. */
struct x86_value x86_operand_address(const struct x86_state *state, const struct x86_instruction *instruction,
                                     const struct x86_operand *operand);
/* An operand's value, up to 8 bytes. Memory is read behind the path's own stores. */
struct x86_value x86_operand_read(const struct x86_state *state, const struct x86_instruction *instruction,
                                  const struct x86_operand *operand);
void x86_operand_write(struct x86_state *state, const struct x86_instruction *instruction,
                       const struct x86_operand *operand, struct x86_value value);
struct x86_value x86_memory_read(const struct x86_state *state, uint64_t address, uint32_t size_bytes);
void x86_memory_write(struct x86_state *state, uint64_t address, uint64_t size_bytes, struct x86_value value);

/* Executes all of an instruction but its transfer of control: what is not emulated makes its results unknown. */
void x86_execute(struct x86_state *state, const struct x86_instruction *instruction);

/* Does condition `code` (low four bits of Jcc, SETcc, CMOVcc) hold? */
struct x86_value x86_condition(const struct x86_state *state, unsigned code);

/* Is the address on the interrupted thread's stack? */
bool x86_on_stack(const struct x86_state *state, uint64_t address);

/* The k register as in the interrupted context (Intel SDM volume 1, 13.5.5: component 5 of the XSAVE area). */
struct x86_value x86_mask_register(const struct x86_state *state, unsigned number);

/* machine_x86_vector.c: where the components lie; outside handlers, before all below. */
void x86_vector_start(void);
/* The path overwrites the vector register; others are ignored. */
void x86_vector_forget(struct x86_state *state, ZydisRegister reg);
/* Does a mask choose what the memory operand touches, or a vector where? */
bool x86_is_masked(const struct x86_instruction *instruction, const struct x86_operand *operand);
/*
 * x86_operand_touches for these: the first run of elements let through, of a gather or scatter the first element.
 * `*address` and `*size_bytes` come in as the whole operand's.
 */
bool x86_masked_touches(const struct x86_state *state, const struct x86_instruction *instruction,
                        const struct x86_operand *operand, uint64_t *address, uint64_t *size_bytes, bool *unknown);

bool x86_repeats(const struct x86_instruction *instruction);

/*
 * Does the memory operand stand for an access at all, and of which bytes? NOPs, prefetches and address computations do not;
 * masked forms touch less than they name. False: no access, or not known which (`*unknown` tells).
 */
bool x86_operand_touches(const struct x86_state *state, const struct x86_instruction *instruction,
                         const struct x86_operand *operand, uint64_t *address, uint64_t *size_bytes, bool *unknown);

#endif
