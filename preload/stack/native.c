#include "stack/native.h"

#include <string.h>

#include "chores.h"
#include "stack/guard.h"
#include "stack/module.h"
#include "stack/native_step.h"
#include "stack/slot.h"

#define SCAN_WORDS_MAX 128u
#define FRAME_POINTER_REACH_BYTES (1u << 20)
#define STATE_BIT(number) (UINT32_C(1) << (number))

bool native_start(void)
{
    return native_step_start();
}

void native_reset_child(void)
{
    /* Rules are facts of mapped code: a forked child has the same. */
}

/* The stack word at `place` as the caller's return address: what a bare `ret` from there would give. */
static void resume_at(struct native_registers *registers, uintptr_t place, uintptr_t address)
{
    registers->value[EH_FRAME_RETURN] = address;
    registers->value[EH_FRAME_RSP] = place + 8;
    registers->known &= STATE_BIT(EH_FRAME_RSP) | STATE_BIT(EH_FRAME_RETURN) | STATE_BIT(EH_FRAME_RBP);
    registers->exact = false;
}

/* A guess is taken only when one more step from it leads to another return address. */
static bool leads_on(const struct native_registers *guess)
{
    struct native_registers trial = *guess;
    uintptr_t cfa = 0;
    return native_step(&trial, &cfa) == NATIVE_STEP_OK;
}

/* A frame pointer that points up the stack at a pair (older frame pointer, return address). */
static bool resume_by_frame_pointer(struct native_registers *registers)
{
    struct native_registers guess = *registers;
    uintptr_t frame = registers->value[EH_FRAME_RBP];
    uintptr_t stack = registers->value[EH_FRAME_RSP];
    uintptr_t address = 0;
    if ((registers->known & STATE_BIT(EH_FRAME_RBP)) == 0 || frame % 8 != 0 || frame < stack ||
        frame - stack > FRAME_POINTER_REACH_BYTES || !guard_word(&guess.value[EH_FRAME_RBP], frame) ||
        !guard_word(&address, frame + 8) || !native_is_return_address(address)) {
        return false;
    }
    resume_at(&guess, frame + 8, address);
    if (!leads_on(&guess)) {
        return false;
    }
    *registers = guess;
    return true;
}

/*
 * Code with wrong rules or none (hand-written): the next word up the stack that is a return address. Not far, for the
 * stack also holds what earlier calls have left.
 */
static bool resume_by_scan(struct native_registers *registers, uintptr_t limit)
{
    uintptr_t place = (registers->value[EH_FRAME_RSP] + 7) & ~(uintptr_t)7;
    for (unsigned i = 0; i < SCAN_WORDS_MAX && place < limit; i++, place += 8) {
        uintptr_t word = 0;
        if (!guard_word(&word, place)) {
            return false;
        }
        const struct module *module = module_find(word);
        if (module == NULL || word < module->text_low || word >= module->text_high || !native_is_return_address(word)) {
            continue;
        }
        struct native_registers guess = *registers;
        resume_at(&guess, place, word);
        if (leads_on(&guess)) {
            *registers = guess;
            return true;
        }
    }
    return false;
}

static bool resume_at_slot(struct native_registers *registers, uintptr_t slot)
{
    uintptr_t word = 0;
    if (!guard_word(&word, slot)) {
        return false;
    }
    resume_at(registers, slot, word);
    registers->known &= ~STATE_BIT(EH_FRAME_RBP);
    return true;
}

/*
 * Past a frame that could not be stepped. In a known module the caller is near. Generated code may keep anything on the
 * stack and in the frame pointer: there the evaluation loop's slot, which is certain, goes before any guess.
 */
static bool resume(struct native_registers *registers, uintptr_t slot)
{
    bool known = module_find(registers->value[EH_FRAME_RETURN]) != NULL;
    if (slot != 0 && slot >= registers->value[EH_FRAME_RSP]) {
        return (known && resume_by_scan(registers, slot)) || resume_at_slot(registers, slot);
    }
    return (!native_is_described(registers) && resume_by_frame_pointer(registers)) ||
           resume_by_scan(registers, UINTPTR_MAX) || resume_by_frame_pointer(registers);
}

/* The slot helps only below the innermost evaluation loop. */
static uintptr_t slot_ahead(const ucontext_t *context, bool passed_loop)
{
    return passed_loop ? 0 : slot_find(context, NULL, 0);
}

/* Do the frames from `at` outwards still return to one another? */
static bool still_stands(const struct native_memory *memory, size_t at)
{
    for (size_t i = at; i + 1 < memory->count; i++) {
        uintptr_t word = 0;
        if (!guard_word(&word, memory->frames[i].cfa - 8) || word != memory->frames[i + 1].address) {
            return false;
        }
    }
    return true;
}

/* A remembered caller is known by its instruction and by where its part of the stack begins: the CFA of its callee. */
static size_t find_again(const struct native_memory *memory, const struct native_registers *registers, size_t from)
{
    uintptr_t begin = registers->value[EH_FRAME_RSP];
    while (from < memory->count && memory->frames[from - 1].cfa < begin) {
        from++;
    }
    return from;
}

struct unwind {
    struct native_registers registers;
    struct native_frame *frames;
    size_t count, capacity;
    size_t place; /* in the memory: frames before it are deeper than where we are */
    bool splices; /* may the memory still match? */
    bool complete;
};

/* Takes the rest from the memory when the caller just found is there and nothing outside it changed. */
static bool splice(struct unwind *unwind, const struct native_memory *memory)
{
    unwind->place = find_again(memory, &unwind->registers, unwind->place);
    size_t at = unwind->place;
    if (at >= memory->count || memory->frames[at - 1].cfa != unwind->registers.value[EH_FRAME_RSP] ||
        memory->frames[at].address != unwind->registers.value[EH_FRAME_RETURN]) {
        return false;
    }
    size_t rest = memory->count - at;
    unwind->splices = rest <= unwind->capacity - unwind->count && still_stands(memory, at);
    if (!unwind->splices) {
        return false;
    }
    memcpy(unwind->frames + unwind->count, memory->frames + at, rest * sizeof *unwind->frames);
    unwind->count += rest;
    unwind->complete = true;
    return true;
}

static void unwind_all(const ucontext_t *context, struct unwind *unwind, const struct native_memory *memory)
{
    bool gap = false;
    bool guessed = false;
    bool passed_loop = false;
    while (unwind->count < unwind->capacity) {
        struct native_frame *frame = &unwind->frames[unwind->count++];
        frame->address = unwind->registers.value[EH_FRAME_RETURN];
        frame->gap = gap;
        gap = false;
        enum native_step step = native_step(&unwind->registers, &frame->cfa);
        if (step == NATIVE_STEP_END) {
            unwind->complete = !guessed || frame->cfa == 0; /* a return address of 0 ends a stack, or a wrong guess */
            return;
        }
        passed_loop = passed_loop || module_is_eval_loop(frame->address);
        if (step == NATIVE_STEP_STUCK) {
            if (module_find(frame->address) == NULL) {
                chores_want(CHORE_MODULES);
            }
            if (!resume(&unwind->registers, slot_ahead(context, passed_loop))) {
                return;
            }
            frame->cfa = unwind->registers.value[EH_FRAME_RSP];
            gap = guessed = true;
        } else if (memory != NULL && unwind->splices && splice(unwind, memory)) {
            return;
        }
    }
}

/* Only a stack known from end to end is worth remembering. */
static void remember(struct native_memory *memory, const struct unwind *unwind)
{
    memory->count = 0;
    memory->generation = module_generation();
    if (unwind->complete) {
        memcpy(memory->frames, unwind->frames, unwind->count * sizeof *unwind->frames);
        memory->count = unwind->count;
    }
}

size_t native_unwind_again(const ucontext_t *context, struct native_memory *memory, struct native_frame *frames,
                           size_t capacity, bool *complete)
{
    struct unwind unwind = {.frames = frames, .capacity = capacity, .place = 1};
    unwind.splices = memory->count > 1 && memory->generation == module_generation();
    native_registers_take(&unwind.registers, context);
    unwind_all(context, &unwind, memory);
    if (unwind.count <= NATIVE_DEPTH_MAX) {
        remember(memory, &unwind);
    }
    *complete = unwind.complete;
    return unwind.count;
}

size_t native_unwind(const ucontext_t *context, struct native_frame *frames, size_t capacity, bool *complete)
{
    struct unwind unwind = {.frames = frames, .capacity = capacity};
    native_registers_take(&unwind.registers, context);
    unwind_all(context, &unwind, NULL);
    *complete = unwind.complete;
    return unwind.count;
}
