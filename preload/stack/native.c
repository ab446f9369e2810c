#include "stack/native.h"

#include "chores.h"
#include "stack/guard.h"
#include "stack/module.h"
#include "stack/native_step.h"
#include "stack/slot.h"

#define SCAN_WORDS_MAX 1024u
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

/* A frame pointer that points up the stack at a pair (older frame pointer, return address) is taken at its word. */
static bool resume_by_frame_pointer(struct native_registers *registers)
{
    uintptr_t frame = registers->value[EH_FRAME_RBP];
    uintptr_t stack = registers->value[EH_FRAME_RSP];
    uintptr_t older = 0;
    uintptr_t address = 0;
    if ((registers->known & STATE_BIT(EH_FRAME_RBP)) == 0 || frame % 8 != 0 || frame < stack ||
        frame - stack > FRAME_POINTER_REACH_BYTES || !guard_word(&older, frame) || !guard_word(&address, frame + 8) ||
        !native_is_return_address(address)) {
        return false;
    }
    resume_at(registers, frame + 8, address);
    registers->value[EH_FRAME_RBP] = older;
    return true;
}

/*
 * Code without rules (generated, hand-written) or with wrong ones: the next word up the stack that is a return address
 * from which one more step leads to another return address. Looks no further than the evaluation loop's slot.
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
        struct native_registers trial = *registers;
        uintptr_t cfa = 0;
        resume_at(&trial, place, word);
        struct native_registers found = trial;
        if (native_step(&trial, &cfa) != NATIVE_STEP_STUCK) {
            *registers = found;
            return true;
        }
    }
    return false;
}

static bool resume(struct native_registers *registers, uintptr_t slot)
{
    bool ahead = slot != 0 && slot >= registers->value[EH_FRAME_RSP];
    bool described = native_is_described(registers);
    if (!described && resume_by_frame_pointer(registers)) {
        return true;
    }
    if (resume_by_scan(registers, ahead ? slot : UINTPTR_MAX)) {
        return true;
    }
    uintptr_t word = 0;
    if (ahead && guard_word(&word, slot)) {
        resume_at(registers, slot, word);
        registers->known &= ~STATE_BIT(EH_FRAME_RBP);
        return true;
    }
    return described && resume_by_frame_pointer(registers);
}

/* The slot helps only below the innermost evaluation loop. */
static uintptr_t slot_ahead(const ucontext_t *context, bool passed_loop)
{
    return passed_loop ? 0 : slot_find(context, NULL, 0);
}

size_t native_unwind(const ucontext_t *context, struct native_frame *frames, size_t capacity, bool *complete)
{
    struct native_registers registers;
    native_registers_take(&registers, context);
    size_t count = 0;
    bool gap = false;
    bool passed_loop = false;
    *complete = false;
    while (count < capacity) {
        struct native_frame *frame = &frames[count++];
        frame->address = registers.value[EH_FRAME_RETURN];
        frame->gap = gap;
        gap = false;
        enum native_step step = native_step(&registers, &frame->cfa);
        if (step == NATIVE_STEP_END) {
            *complete = true;
            break;
        }
        passed_loop = passed_loop || module_is_eval_loop(frame->address);
        if (step == NATIVE_STEP_OK) {
            continue;
        }
        if (module_find(frame->address) == NULL) {
            chores_want(CHORE_MODULES);
        }
        if (!resume(&registers, slot_ahead(context, passed_loop))) {
            break;
        }
        frame->cfa = registers.value[EH_FRAME_RSP];
        gap = true;
    }
    return count;
}
