/*
 * From the sample to an access. Mostly the path can be walked at once; where it depends on what is not computed (a
 * comparison of floats, a pointer out of a vector), an execution breakpoint waits there and the walk goes on with true registers.
 *
 * The first access would be a bad choice: clocks stop where an instruction takes long, so of a loop's accesses one would be taken
 * nearly always, and the first behind a stretch without any for all that time. So of the accesses in a window of instructions one
 * is taken at random and stands for all of them: each instruction has then the same chance to be looked at, and each access to be
 * found. Where the window holds none the first behind it is taken, for next to nothing. What remains is that slow
 * instructions are interrupted more often than fast ones.
 */
#include <string.h>
#include <time.h>

#include "access/engine.h"
#include "access/text.h"
#include "kernel.h"
#include "process.h"
#include "stack/context.h"

#define CACHE_LINE_BYTES 64u
#define SPLIT_STORES_ALL 65536u
#define SPLIT_STORES_MEAN 64u
#define WINDOW_INSTRUCTIONS 64u
#define SIXTEENTHS_MAX 4096u /* twice that of a window full of accesses */
#define HOPS_MAX 12u
#define MISSES_MAX 4u
#define LOOK_FIRST_NS UINT64_C(500000)

bool search_waits(const struct search *search)
{
    return search->active && search->register_index != 0;
}

static void register_give_back(struct access_thread *at, struct search *search)
{
    watch_register_disarm(&at->registers[search->register_index]);
    registers_return(at, search->register_index);
    search->register_index = 0;
}

static void search_end(struct access_thread *at, struct search *search)
{
    if (search_waits(search)) {
        register_give_back(at, search);
    }
    search->active = false;
}

void search_drop(struct access_thread *at, struct search *search, enum db_drop why)
{
    process_count(&process_record->dropped[why], search->samples);
    search_end(at, search);
}

static void search_left(struct access_thread *at, struct search *search)
{
    process_count(&process_record->call_ended, search->samples);
    search_end(at, search);
}

void search_call_ended(struct access_thread *at)
{
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        if (at->searches[i].active) {
            search_left(at, &at->searches[i]);
        }
    }
}

static bool same_frame(const struct access_thread *at, const struct search *search)
{
    struct python_top top;
    if (!search->top_known) {
        return search->region == launch_region(at->thread);
    }
    return python_top(&top) && top.frame == search->top.frame && top.instruction == search->top.instruction;
}

/* Looking costs an interrupt, so the longer a search has waited, the rarer. */
static void look_later(struct search *search, uint64_t now_ns)
{
    uint64_t waited_ns = now_ns - search->waits_since_ns;
    search->look_ns = now_ns + (waited_ns > LOOK_FIRST_NS ? waited_ns : LOOK_FIRST_NS);
}

void search_check(struct access_thread *at, uint64_t now_ns)
{
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        struct search *search = &at->searches[i];
        if (search_waits(search) && !same_frame(at, search)) {
            register_give_back(at, search);
        } else if (search_waits(search) && now_ns >= search->look_ns) {
            look_later(search, now_ns);
        }
    }
}

void search_check_sample(struct access_thread *at)
{
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        struct search *search = &at->searches[i];
        if (search->active && !same_frame(at, search)) {
            search_left(at, search);
        }
    }
}

static bool wait_at(struct access_thread *at, struct search *search, uintptr_t address, uintptr_t stack_pointer)
{
    if (search->register_index == 0) {
        search->register_index = registers_lend(at);
        if (search->register_index == 0) {
            search_drop(at, search, DB_DROP_NO_REGISTER);
            return false;
        }
    }
    search->break_at = address;
    search->break_stack_pointer = stack_pointer;
    if (!watch_register_arm(&at->registers[search->register_index], WATCH_EXECUTE, address, 1)) {
        search_drop(at, search, DB_DROP_NO_REGISTER);
        return false;
    }
    search->waits_since_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    look_later(search, search->waits_since_ns);
    return true;
}

/* A path that cannot be walked: wait where the running function, then its caller and so on, returns to; but not at `except`. */
static bool wait_at_caller(struct access_thread *at, struct search *search, uintptr_t stack_pointer, uintptr_t except)
{
    while (search->caller_next < search->callers) {
        const struct native_frame *frame = &search->caller[search->caller_next++];
        if (frame->cfa > stack_pointer && frame->address != except && text_owner_of(frame->address) == TEXT_NATIVE) {
            search->left_frame = true;
            return wait_at(at, search, frame->address, frame->cfa);
        }
    }
    return false;
}

/* Where a caller that returns to that address is kept: of a recursion, however deep, the innermost and the outermost. */
static size_t place_of_caller(const struct search *search, uintptr_t address)
{
    size_t same = 0, last = search->callers;
    for (size_t i = 0; i < search->callers; i++) {
        if (search->caller[i].address == address) {
            same++;
            last = i;
        }
    }
    return same >= 2 ? last : search->callers;
}

static void keep_callers(struct search *search, const struct context_scratch *scratch)
{
    search->callers = search->caller_next = 0;
    for (size_t i = 1; i < scratch->native_count; i++) {
        uintptr_t address = scratch->native[i].address;
        size_t place = place_of_caller(search, address);
        if (place == ENGINE_CALLERS_MAX || text_owner_of(address) == TEXT_INTERPRETER) {
            return;
        }
        /* The stack pointer at the return address is what the frame below calls its CFA. */
        search->caller[place] = (struct native_frame){.address = address, .cfa = scratch->native[i - 1].cfa};
        search->callers += place == search->callers;
    }
}

static enum db_drop drop_of(enum machine_find_result result)
{
    switch (result) {
    case MACHINE_UNDECODED:
        return DB_DROP_UNDECODED;
    case MACHINE_UNREADABLE:
        return DB_DROP_UNREADABLE_CODE;
    case MACHINE_INDIRECT:
        return DB_DROP_INDIRECT_BRANCH;
    case MACHINE_UNKNOWN_ADDRESS:
        return DB_DROP_ADDRESS_UNKNOWN;
    default:
        return DB_DROP_PATH_TOO_LONG;
    }
}

/*
 * A running mean over some sixty stores: armed registers slow down those that cross a cache line (governor.h), but for string
 * instructions, which are as fast as ever (REP STOSB and STOSQ measured).
 */
static void split_stores_learn(struct access_thread *at, const struct machine_access *access)
{
    bool crosses = access->address % CACHE_LINE_BYTES + access->size_bytes > CACHE_LINE_BYTES;
    uint32_t splits = crosses && access->repeats_left == 0 ? SPLIT_STORES_ALL : 0;
    at->split_stores = at->split_stores - at->split_stores / SPLIT_STORES_MEAN + splits / SPLIT_STORES_MEAN;
}

static uint32_t sixteenths_of(const struct search *search, const struct machine_find *find)
{
    uint64_t product = (uint64_t)search->sixteenths * find->sixteenths / MACHINE_ONE;
    return product == 0 ? 1 : product < SIXTEENTHS_MAX ? (uint32_t)product : SIXTEENTHS_MAX;
}

static void search_found(struct access_thread *at, struct search *search, const ucontext_t *uc,
                         const struct machine_find *find)
{
    struct found found = {
        .find = find,
        .sixteenths = sixteenths_of(search, find),
        .store = search == &at->searches[SEARCH_STORE],
        .context_holds = !search->left_frame && search->hops == 0,
        .slot = search->slot,
        .weight_ns = search->weight_ns,
    };
    process_count(&process_record->resolved, search->samples);
    if (found.store) {
        split_stores_learn(at, &find->access);
    }
    search_end(at, search);
    arm_watch(at, uc, &found);
}

static void search_step(struct access_thread *at, struct search *search, const ucontext_t *uc)
{
    struct machine_find find;
    struct machine_choice choice = {
        .store = search == &at->searches[SEARCH_STORE], .window = search->window, .random = access_random(at)};
    enum machine_find_result result = machine_find_access(uc, &choice, &find);
    search->left_frame |= find.left_frame;
    if (result == MACHINE_FOUND) {
        search_found(at, search, uc, &find);
    } else if (result == MACHINE_LEFT_NATIVE) {
        search_left(at, search);
    } else if (search->hops++ >= HOPS_MAX + ENGINE_CALLERS_MAX) {
        search_drop(at, search, DB_DROP_PATH_TOO_LONG);
    } else if (result == MACHINE_NEEDS_BREAK && search->hops <= HOPS_MAX) {
        search->sixteenths = sixteenths_of(search, &find);
        search->window -= find.instructions < search->window ? find.instructions : search->window;
        wait_at(at, search, find.break_at, find.break_stack_pointer);
    } else if (!wait_at_caller(at, search, machine_stack_pointer(uc), 0) && search->active) {
        search_drop(at, search, drop_of(result));
    }
}

static void search_from(struct access_thread *at, struct search *search, const ucontext_t *uc)
{
    search->window = WINDOW_INSTRUCTIONS;
    search->sixteenths = MACHINE_ONE;
    keep_callers(search, at->thread->scratch);
    search_step(at, search, uc);
}

void search_begin(struct access_thread *at, const ucontext_t *uc, bool store, uintptr_t slot, uint64_t weight_ns)
{
    struct search *search = &at->searches[store ? SEARCH_STORE : SEARCH_LOAD];
    if (search->active) {
        /* Still on its way, or past us by another exit of a loop: in either case this is where the thread is now. */
        search->samples++;
        search->weight_ns += weight_ns;
        search->hops = 1;
    } else {
        *search = (struct search){.active = true, .samples = 1, .weight_ns = weight_ns, .slot = slot};
        search->top_known = python_top(&search->top);
        search->region = launch_region(at->thread);
    }
    search_from(at, search, uc);
}

void search_go_on(struct access_thread *at, const ucontext_t *uc)
{
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        if (search_waits(&at->searches[i])) {
            at->searches[i].hops = 1;
            search_from(at, &at->searches[i], uc);
        }
    }
}

static bool leave_recursion(struct access_thread *at, struct search *search, const ucontext_t *uc)
{
    search->misses = 0;
    return wait_at_caller(at, search, machine_stack_pointer(uc), search->break_at);
}

void search_hit(struct access_thread *at, struct search *search, const ucontext_t *uc, bool asynchronous)
{
    if (asynchronous) {
        search_drop(at, search, DB_DROP_ASYNC_TRAP);
    } else if (!same_frame(at, search)) {
        search_left(at, search);
    } else if (machine_instruction_pointer(uc) != search->break_at ||
               (search->break_stack_pointer != 0 && machine_stack_pointer(uc) != search->break_stack_pointer)) {
        /* A recursion comes by, not our invocation: its way out is soon enough. */
        if (++search->misses > MISSES_MAX && !leave_recursion(at, search, uc) && search->active) {
            search_drop(at, search, DB_DROP_BREAKPOINT_MISSED);
        }
    } else {
        search_step(at, search, uc);
    }
}
