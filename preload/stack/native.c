#include "stack/native.h"

#include <string.h>

#include "chores.h"
#include "stack/guard.h"
#include "stack/module.h"
#include "stack/native_step.h"
#include "stack/slot.h"

#define SCAN_WORDS_MAX 256u
#define TRAIL_MAX 128u
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

/* Where the return addresses of a guessed way out lie, innermost first. */
struct trail {
    size_t count;
    uintptr_t places[TRAIL_MAX];
};

static uintptr_t place_of(const struct native_registers *registers)
{
    return registers->value[EH_FRAME_RSP] - 8;
}

/*
 * A stack holds what earlier calls left, and a chain of such words may go on for a while. A guess is taken only when the
 * rules lead from it, without another gap, to what is known: the evaluation loop's slot; where there is none (0), an
 * evaluation loop or the outermost frame.
 */
static bool leads_home(const struct native_registers *guess, uintptr_t slot, struct trail *trail)
{
    struct native_registers trial = *guess;
    for (trail->count = 0; trail->count < TRAIL_MAX;) {
        trail->places[trail->count++] = place_of(&trial);
        if (slot != 0 && place_of(&trial) >= slot) {
            return place_of(&trial) == slot;
        }
        bool in_loop = module_is_eval_loop(trial.value[EH_FRAME_RETURN]);
        uintptr_t cfa = 0;
        enum native_step step = native_step(&trial, &cfa);
        if (step != NATIVE_STEP_OK || (in_loop && slot == 0)) {
            return slot == 0 && (step == NATIVE_STEP_OK || (step == NATIVE_STEP_END && cfa == 0));
        }
    }
    return false;
}

/* The index in `way` of the innermost place that both pass; its `count` when they never meet. */
static size_t trails_meet(const struct trail *way, const struct trail *other)
{
    size_t from = 0;
    for (size_t i = 0; i < other->count; i++) {
        while (from < way->count && way->places[from] < other->places[i]) {
            from++;
        }
        if (from < way->count && way->places[from] == other->places[i]) {
            return from;
        }
    }
    return way->count;
}

/* A frame pointer that points up the stack at a pair (older frame pointer, return address). */
static bool resume_by_frame_pointer(struct native_registers *registers, uintptr_t slot)
{
    struct native_registers guess = *registers;
    struct trail trail;
    uintptr_t frame = registers->value[EH_FRAME_RBP];
    uintptr_t stack = registers->value[EH_FRAME_RSP];
    uintptr_t address = 0;
    if ((registers->known & STATE_BIT(EH_FRAME_RBP)) == 0 || frame % 8 != 0 || frame < stack ||
        frame - stack > FRAME_POINTER_REACH_BYTES || !guard_word(&guess.value[EH_FRAME_RBP], frame) ||
        !guard_word(&address, frame + 8) || !native_is_return_address(address)) {
        return false;
    }
    resume_at(&guess, frame + 8, address);
    if (!leads_home(&guess, slot, &trail)) {
        return false;
    }
    *registers = guess;
    return true;
}

/* The next word from `place` on that is a return address and leads home; `place` is then behind it. */
static bool find_guess(const struct native_registers *registers, uintptr_t slot, uintptr_t *place, uintptr_t end,
                       struct native_registers *guess, struct trail *trail)
{
    uintptr_t word = 0;
    while (*place < end && guard_word(&word, *place)) {
        const struct module *module = module_find(word);
        uintptr_t at = *place;
        *place += 8;
        if (module == NULL || word < module->text_low || word >= module->text_high || !native_is_return_address(word)) {
            continue;
        }
        *guess = *registers;
        resume_at(guess, at, word);
        if (leads_home(guess, slot, trail)) {
            return true;
        }
    }
    return false;
}

/*
 * Code with wrong rules or none (hand-written): a word near up the stack that is a return address and leads home. Where
 * several such ways begin, one at most is this call's, the others are left from earlier ones: only what all share is
 * taken.
 */
static bool resume_by_scan(struct native_registers *registers, uintptr_t slot)
{
    struct native_registers found, guess;
    struct trail way, other;
    uintptr_t place = (registers->value[EH_FRAME_RSP] + 7) & ~(uintptr_t)7;
    uintptr_t end = place + SCAN_WORDS_MAX * sizeof(uintptr_t);
    end = slot != 0 && slot < end ? slot : end;
    if (!find_guess(registers, slot, &place, end, &found, &way)) {
        return false;
    }
    size_t shared = 0;
    while (shared < way.count && find_guess(registers, slot, &place, end, &guess, &other)) {
        size_t meeting = trails_meet(&way, &other);
        bool begins_on_way = meeting < way.count && way.places[meeting] == other.places[0];
        shared = begins_on_way || meeting < shared ? shared : meeting;
    }
    bool proved = shared < way.count;
    uintptr_t cfa = 0;
    for (size_t i = 0; proved && i < shared; i++) {
        proved = native_step(&found, &cfa) == NATIVE_STEP_OK;
    }
    if (proved) {
        *registers = found;
    }
    return proved;
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
    bool below_loop = slot != 0 && slot >= registers->value[EH_FRAME_RSP];
    bool known = module_find(registers->value[EH_FRAME_RETURN]) != NULL;
    uintptr_t home = below_loop ? slot : 0;
    if ((known || !below_loop) && ((!native_is_described(registers) && resume_by_frame_pointer(registers, home)) ||
                                   resume_by_scan(registers, home) || resume_by_frame_pointer(registers, home))) {
        return true;
    }
    return below_loop && resume_at_slot(registers, slot);
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
    unwind->frames[unwind->count].gap = false; /* a step has led here now, even if none did then */
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
