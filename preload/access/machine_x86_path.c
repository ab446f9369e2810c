/* The path that the thread will take, walked ahead of it to the next access of the wanted kind. */
#include "access/machine.h"
#include "access/machine_x86.h"
#include "access/text.h"

#define PATH_INSTRUCTIONS_MAX 640u
#define LOOP_TURNS_MAX 12u /* turns of a loop without the wanted access, after which we wait at its exit */
#define LOOPS_MAX 4u

struct loop {
    uintptr_t branch, exit;
    struct x86_value stack_pointer; /* at both */
    unsigned turns;
};

struct path {
    struct x86_state state;
    struct x86_instruction instruction;
    struct text_range text;
    struct machine_find *find;
    bool want_store;
    bool left_frame;
    bool full;        /* further accesses cannot be chosen from */
    uint32_t choices; /* wanted accesses met */
    uint32_t random;
    unsigned touched; /* entries of find->touched */
    struct loop loop[LOOPS_MAX];
    unsigned loops;
};

enum step { STEP_ON = -1 }; /* else an enum machine_find_result */

static int break_at(struct path *path, uint64_t address, struct x86_value stack_pointer)
{
    path->find->break_at = (uintptr_t)address;
    path->find->break_stack_pointer = stack_pointer.known ? (uintptr_t)stack_pointer.bits : 0;
    return MACHINE_NEEDS_BREAK;
}

static struct x86_value stack_pointer_of(const struct path *path)
{
    return (struct x86_value){path->state.general[X86_RSP], (path->state.general_known & 1u << X86_RSP) != 0};
}

static int break_here(struct path *path)
{
    return break_at(path, path->instruction.address, stack_pointer_of(path));
}

/* Operands that never lie in an object: the stack's, thread-local ones, and constants beside the code (loads only). */
static bool operand_is_private(const struct path *path, const struct x86_operand *operand)
{
    ZydisRegister base = operand->mem.base;
    return base == ZYDIS_REGISTER_RSP || operand->mem.segment == ZYDIS_REGISTER_FS ||
           (base == ZYDIS_REGISTER_RIP && !path->want_store);
}

/* The n-th access met takes the place of the one chosen before with chance 1/n: all are equally likely in the end. */
static bool is_chosen(struct path *path)
{
    path->random = path->random * 1664525u + 1013904223u; /* Knuth, volume 2, 3.3.4, table 1, line 16 */
    return (uint64_t)path->random * ++path->choices >> 32 == 0;
}

/* Without AVX compilers move doubles, and anything else, by what is shortest to encode. */
static bool is_plain_move(uint16_t mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_MOVUPS || mnemonic == ZYDIS_MNEMONIC_MOVAPS ||
           mnemonic == ZYDIS_MNEMONIC_MOVNTPS || mnemonic == ZYDIS_MNEMONIC_MOVLPS || mnemonic == ZYDIS_MNEMONIC_MOVHPS;
}

static uint32_t float_bytes_of(const struct x86_instruction *instruction, const struct x86_operand *operand)
{
    switch (is_plain_move(instruction->head.mnemonic) ? ZYDIS_ELEMENT_TYPE_INVALID : operand->element_type) {
    case ZYDIS_ELEMENT_TYPE_FLOAT32:
        return sizeof(float);
    case ZYDIS_ELEMENT_TYPE_FLOAT64:
        return sizeof(double);
    default:
        return 0;
    }
}

static void note_access(struct path *path, uint64_t address, uint64_t size_bytes, const struct x86_operand *chosen)
{
    struct machine_access *access = &path->find->access;
    path->find->left_frame = path->left_frame;
    path->find->before = path->touched;
    *access = (struct machine_access){
        .instruction = path->instruction.address,
        .address = (uintptr_t)address,
        .size_bytes = (uint32_t)size_bytes,
        .element_bytes = chosen->element_size / 8u,
        .float_bytes = float_bytes_of(&path->instruction, chosen),
    };
    for (unsigned i = 0; i < path->instruction.head.operand_count; i++) {
        const struct x86_operand *operand = &path->instruction.operand[i];
        uint64_t other, other_size;
        bool unknown;
        if (x86_operand_touches(&path->state, &path->instruction, operand, &other, &other_size, &unknown) &&
            other < address + size_bytes && address < other + other_size) {
            access->load |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
            access->store |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        }
    }
    if (x86_repeats(&path->instruction) && path->instruction.head.category == ZYDIS_CATEGORY_STRINGOP) {
        access->repeats_left = path->state.general[X86_RCX];
        path->full = true; /* one instruction, as many accesses as it likes */
    }
}

/* What an access passed by touches: a watch of the chosen one's bytes meets it first. */
static void note_touched(struct path *path)
{
    for (unsigned i = 0; i < path->instruction.head.operand_count && path->touched < MACHINE_SPANS_MAX; i++) {
        const struct x86_operand *operand = &path->instruction.operand[i];
        uint64_t address, size_bytes;
        bool unknown;
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && !operand_is_private(path, operand) &&
            x86_operand_touches(&path->state, &path->instruction, operand, &address, &size_bytes, &unknown) &&
            !x86_on_stack(&path->state, address)) {
            path->find->touched[path->touched++] = (struct machine_span){(uintptr_t)address, (uint32_t)size_bytes};
        }
    }
    path->full |= path->touched == MACHINE_SPANS_MAX;
}

static int look_for_access(struct path *path)
{
    ZydisOperandActions wanted = path->want_store ? ZYDIS_OPERAND_ACTION_MASK_WRITE : ZYDIS_OPERAND_ACTION_MASK_READ;
    ZydisInstructionCategory category = path->instruction.head.category;
    bool transfers = category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_UNCOND_BR;
    if (path->text.owner == TEXT_ALLOCATOR || transfers) {
        return STEP_ON;
    }
    for (unsigned i = 0; i < path->instruction.head.operand_count; i++) {
        const struct x86_operand *operand = &path->instruction.operand[i];
        uint64_t address, size_bytes;
        bool unknown;
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || (operand->actions & wanted) == 0 ||
            operand_is_private(path, operand)) {
            continue;
        }
        bool touches = x86_operand_touches(&path->state, &path->instruction, operand, &address, &size_bytes, &unknown);
        if (unknown) {
            return break_here(path);
        }
        if (touches && !x86_on_stack(&path->state, address)) {
            path->loops = 0;
            if (is_chosen(path)) {
                note_access(path, address, size_bytes, operand);
            }
            break;
        }
    }
    note_touched(path);
    return STEP_ON;
}

/* A taken backward branch: after some turns the thread itself finds the way out sooner than we do. */
static int turn_loop(struct path *path, uint64_t exit)
{
    struct loop *loop = NULL;
    for (unsigned i = 0; i < path->loops; i++) {
        loop = path->loop[i].branch == path->instruction.address ? &path->loop[i] : loop;
    }
    if (loop == NULL && path->loops < LOOPS_MAX) {
        loop = &path->loop[path->loops++];
        *loop = (struct loop){.branch = path->instruction.address, .exit = (uintptr_t)exit};
    }
    if (loop != NULL) {
        loop->stack_pointer = stack_pointer_of(path);
    }
    if (loop != NULL && ++loop->turns > LOOP_TURNS_MAX) {
        return break_at(path, exit, stack_pointer_of(path));
    }
    return STEP_ON;
}

/* Control has come to foreign code. Called from native code, it will come back: wait there. */
static int enter_foreign(struct path *path, bool by_return)
{
    struct x86_value stack_pointer = stack_pointer_of(path);
    if (by_return || !stack_pointer.known) {
        return path->text.owner == TEXT_SHIM ? MACHINE_INDIRECT : MACHINE_LEFT_NATIVE;
    }
    struct x86_value caller = x86_memory_read(&path->state, stack_pointer.bits, 8);
    enum text_owner owner = caller.known ? text_owner_of((uintptr_t)caller.bits) : TEXT_INTERPRETER;
    if (owner == TEXT_INTERPRETER || owner == TEXT_SHIM) {
        return MACHINE_LEFT_NATIVE;
    }
    stack_pointer.bits += 8;
    path->left_frame = true;
    return break_at(path, caller.bits, stack_pointer);
}

static int go_to(struct path *path, uint64_t target, bool by_return)
{
    path->state.instruction = target;
    if (target >= path->text.low && target < path->text.high) {
        return STEP_ON;
    }
    text_find((uintptr_t)target, &path->text);
    bool foreign = path->text.owner == TEXT_INTERPRETER || path->text.owner == TEXT_SHIM;
    return foreign ? enter_foreign(path, by_return) : STEP_ON;
}

static struct x86_value target_of(const struct path *path)
{
    const struct x86_instruction *instruction = &path->instruction;
    const struct x86_operand *operand = &instruction->operand[0];
    if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative) {
        uint64_t next = instruction->address + instruction->head.length;
        return (struct x86_value){next + operand->imm.value, true};
    }
    return x86_operand_read(&path->state, instruction, operand);
}

static int branch_conditional(struct path *path)
{
    const struct x86_instruction *instruction = &path->instruction;
    uint64_t next = instruction->address + instruction->head.length;
    bool plain =
        (instruction->head.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (instruction->head.opcode & 0xf0) == 0x70) ||
        (instruction->head.opcode_map == ZYDIS_OPCODE_MAP_0F && (instruction->head.opcode & 0xf0) == 0x80);
    if (!plain) { /* LOOP, JRCXZ */
        return break_here(path);
    }
    struct x86_value taken = x86_condition(&path->state, instruction->head.opcode & 15u);
    if (!taken.known) {
        return break_here(path);
    }
    uint64_t target = target_of(path).bits;
    if (taken.bits != 0 && target <= instruction->address) {
        int step = turn_loop(path, next);
        if (step != STEP_ON) {
            return step;
        }
    }
    return go_to(path, taken.bits != 0 ? target : next, false);
}

static int call_or_return(struct path *path)
{
    const struct x86_instruction *instruction = &path->instruction;
    struct x86_state *state = &path->state;
    path->left_frame = true;
    if ((state->general_known & 1u << X86_RSP) == 0) {
        return break_here(path);
    }
    if (instruction->head.category == ZYDIS_CATEGORY_RET) {
        struct x86_value caller = x86_memory_read(state, state->general[X86_RSP], 8);
        if (!caller.known) {
            return break_here(path);
        }
        state->general[X86_RSP] += 8;
        if (instruction->head.operand_count_visible == 1) {
            state->general[X86_RSP] += instruction->operand[0].imm.value;
        }
        return go_to(path, caller.bits, true);
    }
    struct x86_value target = target_of(path);
    if (!target.known) {
        return break_here(path);
    }
    state->general[X86_RSP] -= 8;
    x86_memory_write(state, state->general[X86_RSP], 8,
                     (struct x86_value){instruction->address + instruction->head.length, true});
    return go_to(path, target.bits, false);
}

static int advance(struct path *path)
{
    const struct x86_instruction *instruction = &path->instruction;
    struct x86_value target;
    switch (instruction->head.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return branch_conditional(path);
    case ZYDIS_CATEGORY_UNCOND_BR:
        target = target_of(path);
        return target.known ? go_to(path, target.bits, false) : break_here(path);
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
        return call_or_return(path);
    default:
        x86_execute(&path->state, instruction);
        path->state.instruction = instruction->address + instruction->head.length;
        return STEP_ON;
    }
}

static int walk_one(struct path *path)
{
    enum x86_decoded decoded = x86_decode((uintptr_t)path->state.instruction, &path->instruction);
    if (decoded != X86_DECODED) {
        return decoded == X86_UNREADABLE ? MACHINE_UNREADABLE : MACHINE_UNDECODED;
    }
    int step = look_for_access(path);
    return step != STEP_ON ? step : advance(path);
}

/*
 * Where to wait when the walk has led nowhere, or back to where it began: behind a loop that it turned, an inner one first;
 * a walk without a loop is simply long, and goes on from its far end.
 */
static int break_further(struct path *path, uintptr_t begun, int otherwise)
{
    for (unsigned i = 0; i < path->loops; i++) {
        const struct loop *loop = &path->loop[i];
        if (loop->exit != begun) {
            return break_at(path, loop->exit, loop->stack_pointer);
        }
    }
    return otherwise == MACHINE_TOO_LONG && path->loops == 0
               ? break_at(path, path->state.instruction, stack_pointer_of(path))
               : otherwise;
}

/*
 * A break cuts the window after some instructions. By the lengths of the parts chance decides in which the access is looked
 * for, and what is found there stands for as many more.
 */
static bool takes_part_before(struct path *path, uint32_t window)
{
    uint32_t before = path->find->instructions, part;
    path->random = path->random * 1664525u + 1013904223u;
    bool takes = before >= window || (uint64_t)path->random * window >> 32 < before;
    part = takes ? before : window - before;
    path->find->sixteenths = before < window ? MACHINE_ONE * window / part : MACHINE_ONE;
    return takes;
}

static int result_of(struct path *path, const struct machine_choice *choice, uintptr_t begun, int step)
{
    struct machine_find *find = path->find;
    bool cut = step == MACHINE_NEEDS_BREAK && find->break_at != begun;
    if (path->choices > 0 && (!cut || takes_part_before(path, choice->window))) {
        bool near = find->instructions <= choice->window;
        find->sixteenths = near ? find->sixteenths * path->choices : 1;
        return MACHINE_FOUND;
    }
    find->left_frame = path->left_frame;
    if (step == MACHINE_NEEDS_BREAK && !cut) {
        bool branches = path->instruction.head.category == ZYDIS_CATEGORY_COND_BR;
        return break_further(path, begun, branches ? MACHINE_INDIRECT : MACHINE_UNKNOWN_ADDRESS);
    }
    return step == STEP_ON ? break_further(path, begun, MACHINE_TOO_LONG) : step;
}

enum machine_find_result machine_find_access(const ucontext_t *uc, const struct machine_choice *choice,
                                             struct machine_find *find)
{
    struct path path = {.find = find, .want_store = choice->store, .random = choice->random};
    uint32_t farthest = choice->farthest != 0 ? choice->farthest : PATH_INSTRUCTIONS_MAX;
    int step = STEP_ON;
    *find = (struct machine_find){.sixteenths = MACHINE_ONE};
    x86_state_begin(&path.state, uc);
    text_find((uintptr_t)path.state.instruction, &path.text);
    while (step == STEP_ON && find->instructions < farthest && !(path.full && path.choices > 0) &&
           (path.choices == 0 || find->instructions < choice->window)) {
        step = walk_one(&path);
        find->instructions++;
    }
    return (enum machine_find_result)result_of(&path, choice, machine_instruction_pointer(uc), step);
}
