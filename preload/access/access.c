/* Life cycle of the access engine, and who of a thread's watches a trap belongs to. */
#include "access/access.h"

#include <stdio.h>
#include <time.h>

#include "access/armed.h"
#include "access/engine.h"
#include "access/governor.h"
#include "access/pairs.h"
#include "access/text.h"
#include "chores.h"
#include "hot.h"
#include "kernel.h"
#include "memory.h"
#include "objects/heat.h"
#include "objects/replica.h"
#include "process.h"
#include "stack/context.h"
#include "stack/slot.h"
#include "time/sigtrap_probe.h"

#define REGISTERS_MIN 2u /* one for the return slot, one for data */
/* The kernel's way from one handler into the next takes up to a third of this. */
#define BEHIND_TRAP_NS UINT64_C(100000)
#define WORKERS_WATCHED_MAX 8u
#define GLANCE_INSTRUCTIONS                                                                                            \
    24u /* the next access of a kind is seldom farther, and each costs a tenth of a microsecond */

static atomic_uint workers_watched; /* threads without Python that have registers */

bool access_start(char *why_off, size_t bytes)
{
    if (!machine_start(why_off, bytes) || !sigtrap_usable(why_off, bytes) || !governor_start(why_off, bytes)) {
        return false;
    }
    if (!pairs_start()) {
        snprintf(why_off, bytes, "not enough memory for the table of pairs");
        return false;
    }
    text_start();
    return true;
}

static void registers_close(struct access_thread *at)
{
    for (unsigned i = 0; i < at->register_count; i++) {
        watch_register_close(&at->registers[i]);
    }
    at->register_count = 0;
    atomic_fetch_sub(&workers_watched, at->worker ? 1 : 0);
    at->worker = false;
    patience_alarm_close(at, false);
}

static bool registers_open(struct access_thread *at)
{
    at->register_count = 0;
    while (at->register_count < MACHINE_WATCHES && watch_register_open(&at->registers[at->register_count])) {
        at->register_count++;
    }
    if (at->register_count < REGISTERS_MIN) {
        registers_close(at);
        at->opening_failed = true;
        process_drop(DB_DROP_NO_REGISTER);
        return false;
    }
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        at->watches[i].range = io_range_take();
    }
    watch_set_current(at->registers, at->register_count);
    machine_thread_begin();
    patience_alarm_open(at);
    return true;
}

/* The main thread's registers are opened at once, others' when a sample in native code below Python first asks; a worker's
 * by itself. */
bool access_thread_begin(struct thread *thread)
{
    struct access_thread *at = thread->access;
    if (at != NULL) {
        return at->register_count > 0 || (!at->opening_failed && registers_open(at));
    }
    at = memory_map(sizeof *at);
    if (at == NULL) {
        return false;
    }
    at->thread = thread;
    at->random = (uint32_t)thread->tid * 2654435761u | 1u;
    at->alarm_descriptor = -1;
    thread->access = at;
    return !thread->main || registers_open(at);
}

void access_thread_end(struct thread *thread)
{
    struct access_thread *at = thread->access;
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        if (at->searches[i].active) {
            search_drop(at, &at->searches[i], DB_DROP_BREAKPOINT_MISSED);
        }
    }
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        verdict_end(at, &at->watches[i], DB_DROP_WATCH_OPEN);
        io_range_give(at->watches[i].range);
    }
    machine_thread_end();
    registers_close(at); /* disarms: the account of armed time needs them known until then */
    watch_set_current(NULL, 0);
    thread->access = NULL; /* first: a child forked by another thread at this moment must not look at what is gone */
    atomic_signal_fence(memory_order_seq_cst);
    memory_unmap(at, sizeof *at);
}

void access_thread_forget(struct thread *thread)
{
    struct access_thread *at = thread->access;
    for (unsigned i = 0; i < at->register_count; i++) {
        watch_register_forget(&at->registers[i]);
    }
    patience_alarm_close(at, true);
    machine_thread_end();
    watch_set_current(NULL, 0);
    atomic_store(&workers_watched, 0);
    io_marks_reset_child();
    pairs_reset_child();
    governor_reset_child();
    memory_unmap(at, sizeof *at);
}

/* What the time with armed registers since the last call cost. */
static void charge_armed(const struct access_thread *at)
{
    struct armed_time armed = armed_take();
    governor_charge_armed(&armed, at->split_stores);
}

static void access_look(struct thread *thread)
{
    struct access_thread *at = thread->access;
    if (at != NULL && at->register_count > 0 && (armed_now() || patience_waits(at))) {
        uint64_t now_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        search_check(at, now_ns);
        patience_check(at, now_ns);
        patience_set_alarm(at, now_ns);
        charge_armed(at);
    }
}

void access_tick(struct thread *thread, const ucontext_t *uc)
{
    if (armed_now() && governor_strings_are_slowed() && machine_in_string_operation(uc)) {
        governor_charge_string(kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_ns);
    }
    access_look(thread);
}

void access_tick_late(struct thread *thread, const ucontext_t *uc)
{
    if (thread->access != NULL) {
        scope_check(thread->access, uc);
    }
}

static void begin_search(struct access_thread *at, const ucontext_t *uc, uint64_t weight_ns)
{
    const struct context_scratch *scratch = at->thread->scratch;
    uintptr_t slot = slot_find(uc, scratch->native, scratch->native_count);
    scope_verify(at, slot);
    at->want_store = !at->want_store; /* loads and stores by turns */
    search_begin(at, uc, at->want_store, slot, weight_ns);
}

/*
 * Registers for one that has none. A worker's library seldom calls what is interposed, so it does no chores: it opens them here,
 * by system calls alone. Only so many get them: the accesses of a few workers speak for those of all, and descriptors are dear.
 */
static bool has_registers(struct access_thread *at)
{
    if (at->register_count > 0 || at->opening_failed) {
        return at->register_count > 0;
    }
    if (at->thread->scratch->has_python_state) {
        chores_want(CHORE_THREAD);
        return false;
    }
    if (!at->thread->scratch->pooled) {
        return false; /* started for one call: not worth it, and it may be cancelled at any instruction */
    }
    if (atomic_fetch_add(&workers_watched, 1) >= WORKERS_WATCHED_MAX) {
        atomic_fetch_sub(&workers_watched, 1);
        return false;
    }
    at->worker = true;
    return registers_open(at);
}

/*
 * What the thread is about to access, where that is known without a breakpoint: nothing is watched, but which objects are in use,
 * and when, is told as well by samples that the budget has no watch for. A few microseconds, charged like all of the handler.
 */
static void glance(struct access_thread *at, const ucontext_t *uc)
{
    struct machine_choice choice = {
        .store = at->want_store, .farthest = GLANCE_INSTRUCTIONS, .random = access_random(at)};
    struct machine_find find;
    at->want_store = !at->want_store;
    if (machine_find_access(uc, &choice, &find) == MACHINE_FOUND) {
        heat_note(find.access.address);
    }
}

/*
 * Fell the tick due while a trap was dealt with? Then no instruction ran since. The time was the shim's, and what is accessed next there
 * would be chosen the oftener the more it traps.
 */
static bool is_behind_trap(const struct access_thread *at, const ucontext_t *uc)
{
    return machine_instruction_pointer(uc) == at->trap_instruction &&
           at->thread->cpu_ns - at->trap_left_ns < BEHIND_TRAP_NS;
}

bool access_sample(struct thread *thread, ucontext_t *uc, uint64_t weight_ns)
{
    struct access_thread *at = thread->access;
    bool follows = thread->scratch->has_python_state || thread->scratch->launched != 0;
    if (at == NULL || !follows || !has_registers(at)) {
        return false;
    }
    scope_check(at, uc);
    search_check_sample(at);
    if (text_owner_of(machine_instruction_pointer(uc)) != TEXT_NATIVE) {
        return false; /* the allocator's and the shim's accesses are nobody's */
    }
    if (is_behind_trap(at, uc)) {
        process_drop(DB_DROP_REENTERED);
        return false;
    }
    bool begins = governor_allows();
    if (begins) {
        begin_search(at, uc, weight_ns);
    } else {
        process_drop(DB_DROP_GOVERNED);
        search_go_on(at, uc);
        glance(at, uc);
    }
    patience_set_alarm(at, kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID));
    return begins;
}

OFF_HOT_PATH void access_adopt(const struct object *object)
{
    struct access_thread *at = thread_self != NULL ? thread_self->access : NULL;
    for (unsigned i = 0; at != NULL && i < access_data_registers(at); i++) {
        struct watch *watch = &at->watches[i];
        if (watch->phase == WATCH_INSIDE && watch->store && watch->object_serial == 0 &&
            watch->address - object->start < object->size_bytes) {
            watch->address_class = DB_CLASS_OBJECT;
            watch->object_serial = object->serial;
            watch->object_site = replica_site(&object->origin);
        }
    }
}

static struct search *search_at(struct access_thread *at, unsigned index)
{
    for (unsigned i = 0; i < SEARCH_KINDS; i++) {
        if (at->searches[i].active && at->searches[i].register_index == index) {
            return &at->searches[i];
        }
    }
    return NULL;
}

/* One instruction may hit several watches, but only one signal tells of it: all are asked. */
static uint32_t registers_hit(struct access_thread *at)
{
    uint32_t hits = 0;
    for (unsigned i = 0; i < at->register_count; i++) {
        struct watch_register *reg = &at->registers[i];
        hits |= reg->kind != WATCH_OFF && watch_register_was_hit(reg) ? 1u << i : 0;
    }
    return hits;
}

static void dispatch(struct access_thread *at, const ucontext_t *uc, uint32_t hits, bool asynchronous)
{
    bool slot_hit = (hits >> ENGINE_SLOT_REGISTER & 1) != 0;
    if (!slot_hit) {
        scope_check(at, uc);
    }
    for (unsigned i = 1; i < at->register_count; i++) {
        struct search *search = search_at(at, i);
        if ((hits >> i & 1) == 0 || at->registers[i].kind == WATCH_OFF) {
            continue;
        }
        bool late = asynchronous || at->registers[i].stopped;
        if (search != NULL) {
            search_hit(at, search, uc, late);
        } else {
            verdict_trap(at, &at->watches[i - 1], uc, late);
        }
    }
    if (slot_hit) {
        scope_close(at);
    }
}

static void handle_hits(struct thread *thread, uint64_t entered_ns, const ucontext_t *uc, uint32_t hits,
                        bool asynchronous)
{
    struct access_thread *at = thread->access;
    at->entered_ns = entered_ns;
    patience_check(at, entered_ns);
    dispatch(at, uc, hits, asynchronous);
    scope_release(at);
    patience_set_alarm(at, entered_ns);
    charge_armed(at);
}

/* CPU time: what other processes do while a handler waits for a processor is not the shim's cost. When it leaves. */
static uint64_t charge_since(struct thread *thread, uint64_t entered_ns)
{
    uint64_t now_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID), handler_ns = now_ns - entered_ns;
    thread->cpu_ns += handler_ns; /* and nobody's line's */
    governor_charge(handler_ns);
    return now_ns;
}

/* Of a thread with watches: the trap's hits, its cost, and where the program goes on. */
static void deal_with(struct thread *thread, const ucontext_t *uc, uint64_t entered_ns, uint32_t hits,
                      bool asynchronous)
{
    struct access_thread *at = thread->access;
    handle_hits(thread, entered_ns, uc, hits, asynchronous);
    at->trap_instruction = machine_instruction_pointer(uc);
    at->trap_left_ns = charge_since(thread, entered_ns);
}

void access_trap(struct thread *thread, ucontext_t *uc, bool asynchronous)
{
    uint64_t entered_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    process_count(&process_record->traps, 1);
    if (thread->access != NULL) {
        deal_with(thread, uc, entered_ns, registers_hit(thread->access), asynchronous);
    } else {
        charge_since(thread, entered_ns);
    }
}

void access_catch_up(struct thread *thread, ucontext_t *uc, bool asynchronous)
{
    uint64_t entered_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint32_t hits = thread->access != NULL ? registers_hit(thread->access) : 0;
    if (hits != 0) {
        process_count(&process_record->traps, 1);
        deal_with(thread, uc, entered_ns, hits, asynchronous);
    }
}

void access_alarm(struct thread *thread)
{
    uint64_t entered_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    access_look(thread);
    charge_since(thread, entered_ns);
}

void access_trap_ignored(struct thread *thread, bool asynchronous)
{
    struct access_thread *at = thread->access;
    for (unsigned i = 0; at != NULL && i < at->register_count; i++) {
        if (asynchronous) {
            watch_register_stop(&at->registers[i]);
        } else if (i != ENGINE_SLOT_REGISTER && at->registers[i].kind == WATCH_ACCESS && !at->registers[i].stopped) {
            watch_register_was_hit(&at->registers[i]);
        }
    }
}
