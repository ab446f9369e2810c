/*
 * From the sampled access to the one that follows it, and what the two say together (struct db_pair).
 *
 * A load's watch passes over stores to the next load. A store's watch is decided by the next access of either kind. In the
 * call of the sampled access that gives a pair WITHIN; the watch then lives on for the pair that matters more, last
 * access of this call and first of a later one: ACROSS. A watch that would trap too often sleeps until its call ends; what it
 * slept through may have used a store, so of a store that nothing is known to have used it cannot tell. Where such sleep missed the
 * call's last access before (wakeful.c), watches stay awake: to count those alone whose bytes were left as they were would tell too much.
 */

#include "access/agree.h"
#include "access/engine.h"
#include "access/pairs.h"
#include "access/text.h"
#include "objects/object_map.h"
#include "process.h"
#include "stack/context.h"
#include "stack/eh_frame.h"
#include "stack/module.h"
#include "stack/slot.h"

#define TRAPS_AWAKE_MAX 6u    /* inside a call, before the watch sleeps... */
#define TRAPS_WAKEFUL_MAX 40u /* ... where sleep missed something before */
#define TRAPS_MAX 48u         /* of one watch, all phases */

void verdict_end(struct access_thread *at, struct watch *watch, enum db_drop why)
{
    if (watch->phase == WATCH_FREE) {
        return;
    }
    if (!watch->lent) {
        watch_register_disarm(access_register_of(at, watch));
    }
    io_range_clear(watch->range);
    watch->phase = WATCH_FREE;
    if (!watch->judged) {
        process_drop(why);
    }
}

static void finish(struct access_thread *at, struct watch *watch)
{
    verdict_end(at, watch, DB_DROP_WATCH_OPEN); /* judged: nothing is dropped */
}

bool verdict_read_value(const struct watch *watch, uint64_t *value)
{
    *value = 0;
    return watch_read_memory(value, watch->value_address, watch->value_bytes);
}

static bool agree(const struct watch *watch, uint64_t one, uint64_t other)
{
    return values_agree(one, other, watch->value_bytes, watch->float_bytes);
}

/* Context of the access that trapped; its instruction stands for the leaf. */
static uint32_t context_of(struct access_thread *at, const ucontext_t *uc, uintptr_t instruction)
{
    context_capture(uc, at->thread->scratch);
    return context_intern(at->thread->scratch, instruction);
}

static uint8_t relation_of(const struct watch *watch)
{
    uint64_t now = object_map_at(watch->address).serial;
    if (watch->object_serial == 0 || now == 0) {
        return DB_RELATION_UNKNOWN;
    }
    return now == watch->object_serial ? DB_RELATION_SAME : DB_RELATION_RECYCLED;
}

/* Another thread's accesses trap nowhere here: only when none ran since the arming is the second access the next one. */
static bool others_ran_since(const struct watch *watch)
{
    struct thread_others now;
    return !watch->others_known || !thread_others_ran(&now) || !thread_others_equal(&now, &watch->others);
}

static uint8_t flags_of(const struct watch *watch, bool same, uint64_t value)
{
    uint32_t flags = same ? DB_PAIR_SAME_VALUE : 0;
    flags |= same && value == 0 ? DB_PAIR_ZERO : 0;
    flags |= watch->slept ? DB_PAIR_SLEPT : 0;
    flags |= watch->unseen ? DB_PAIR_UNSEEN : 0;
    flags |= watch->judged ? 0 : DB_PAIR_FIRST;
    flags |= watch->store && watch->used ? DB_PAIR_USED : 0;
    flags |= watch->stored && !watch->judged ? DB_PAIR_STORED : 0;
    flags |= watch->unproved || others_ran_since(watch) ? DB_PAIR_UNPROVED : 0;
    return (uint8_t)flags;
}

static uint8_t scope_of(const struct watch *watch)
{
    if (!watch->scope_known) {
        return DB_SCOPE_UNKNOWN;
    }
    return watch->phase == WATCH_ACROSS ? DB_SCOPE_ACROSS : DB_SCOPE_WITHIN;
}

static void add_pair(const struct access_thread *at, const struct watch *watch, uint32_t node, bool second_is_store,
                     uint8_t flags)
{
    struct db_pair pair = {
        .first_node = watch->node,
        .second_node = node,
        .first_access = watch->store ? DB_ACCESS_STORE : DB_ACCESS_LOAD,
        .second_access = second_is_store ? DB_ACCESS_STORE : DB_ACCESS_LOAD,
        .scope = scope_of(watch),
        .relation = relation_of(watch),
        .address_class = (uint8_t)watch->address_class,
        .flags = flags,
        .size_bytes = watch->access_bytes,
        .site = watch->object_site,
    };
    if (pair.first_node != 0 && pair.second_node != 0) {
        pairs_add(&pair, watch->weight_ns, patience_scale(watch, at->entered_ns));
    }
}

static void record(const struct access_thread *at, struct watch *watch, uint32_t node, bool second_is_store, bool same,
                   uint64_t value)
{
    add_pair(at, watch, node, second_is_store, flags_of(watch, same, value));
    if (!watch->judged) {
        watch->judged = true;
        process_count(&process_record->finished, 1);
    }
}

/* A sampled store by itself: did it write what was there? `same` compares the bytes before and after it. */
static void record_store(const struct watch *watch, bool same, uint64_t value)
{
    struct db_pair alone = {
        .first_node = watch->node,
        .second_node = watch->node,
        .first_access = DB_ACCESS_STORE,
        .second_access = DB_ACCESS_NONE,
        .scope = DB_SCOPE_UNKNOWN,
        .relation = DB_RELATION_UNKNOWN,
        .address_class = (uint8_t)watch->address_class,
        .flags = (uint8_t)((same ? DB_PAIR_SAME_VALUE : 0u) | (same && value == 0 ? DB_PAIR_ZERO : 0u)),
        .size_bytes = watch->access_bytes,
        .site = watch->object_site,
    };
    if (watch->node != 0) {
        pairs_add(&alone, watch->weight_ns, watch->stands_for);
    }
}

/* Enough is known of this call but for its last access: until it ends the watch sleeps, where that never missed anything. */
static void sleep_unless_wakeful(struct access_thread *at, struct watch *watch)
{
    if (watch->traps < TRAPS_WAKEFUL_MAX && wakeful_is(at, watch->node)) {
        return;
    }
    watch_register_disarm(access_register_of(at, watch));
    watch->slept = true;
    watch->phase = WATCH_ASLEEP;
}

/* What the trapping instruction did, and whose it is. */
struct event {
    struct machine_access access;
    enum text_owner owner;
    uint64_t value; /* after it */
    bool rewritten; /* by the kernel since the last event: what the bytes held before is not known */
};

/*
 * Context of a second access. Its stack tells, too, when the call of the first has ended without its return slot being written:
 * a Python function that a library called has slots of its own, deeper than its caller's next call may reach.
 */
static uint32_t context_of_second(struct access_thread *at, const ucontext_t *uc, uintptr_t instruction)
{
    const struct context_scratch *scratch = at->thread->scratch;
    uint32_t node = context_of(at, uc, instruction);
    uintptr_t slot = slot_find(uc, scratch->native, scratch->native_count);
    if (slot != 0) {
        scope_verify(at, slot);
    }
    return node;
}

/* Which store came first behind the sampled load: it begins pairs of its own, so the analyzer knows how often it runs. */
static void record_store_behind(const struct access_thread *at, struct watch *watch, uint32_t node)
{
    add_pair(at, watch, node, true, flags_of(watch, false, 0));
    watch->stored = true;
}

static void load_watch_event(struct access_thread *at, struct watch *watch, const ucontext_t *uc,
                             const struct event *event)
{
    if (!event->access.load) { /* a load's watch passes over stores */
        if (!watch->judged && !watch->stored) {
            record_store_behind(at, watch, context_of_second(at, uc, event->access.instruction));
        }
        return;
    }
    /* A read-modify-write has already replaced what it read. */
    uint64_t loaded = event->access.store ? watch->current : event->value;
    bool again = watch->judged && watch->phase == WATCH_INSIDE;
    uint32_t node = again && event->access.instruction == watch->last_instruction
                        ? watch->node
                        : context_of_second(at, uc, event->access.instruction);
    if (!again) {
        record(at, watch, node, false, agree(watch, loaded, watch->seen), loaded);
    }
    if (watch->phase == WATCH_ACROSS || !watch->scope_known) {
        finish(at, watch);
        return;
    }
    watch->node = node;
    watch->seen = loaded;
    sleep_unless_wakeful(at, watch);
}

static void store_watch_event(struct access_thread *at, struct watch *watch, const ucontext_t *uc,
                              const struct event *event)
{
    bool loads = event->access.load;
    bool again = watch->judged && watch->phase == WATCH_INSIDE;
    uint32_t node = again && loads ? 0 : context_of_second(at, uc, event->access.instruction);
    if (!again || watch->phase != WATCH_INSIDE) {
        bool same = !loads && !event->rewritten && agree(watch, event->value, watch->current);
        record(at, watch, node, !loads, same, event->value);
    }
    if (watch->phase == WATCH_ACROSS || !watch->scope_known) {
        finish(at, watch);
        return;
    }
    if (event->access.store) {
        watch->node = node != 0 ? node : watch->node;
        watch->used = false;
    } else {
        watch->used = true;
        sleep_unless_wakeful(at, watch);
    }
}

/* The sampled access itself. Anything else that came first is no reason to doubt: then that one is watched. */
static void birth(struct access_thread *at, struct watch *watch, const ucontext_t *uc, const struct event *event)
{
    if (watch->early > 0) {
        watch->early--;
        watch->traps--;
        return;
    }
    if (watch->store ? !event->access.store : !event->access.load) {
        if (event->access.instruction == watch->instruction) {
            verdict_end(at, watch, DB_DROP_WATCH_AMBIGUOUS);
        }
        return;
    }
    if (watch->node == 0 || event->access.instruction != watch->instruction) {
        watch->instruction = event->access.instruction;
        watch->node = context_of(at, uc, event->access.instruction);
    }
    watch->seen = event->access.store && !watch->store ? watch->current : event->value;
    watch->phase = WATCH_INSIDE;
    if (watch->store && !event->rewritten) {
        record_store(watch, agree(watch, event->value, watch->current), event->value);
    } else if (!watch->store && event->access.store) {
        record_store_behind(at, watch, watch->node);
    }
}

/* False when the watch has ended: the kernel or another thread had its hands on the bytes. */
static bool heed_marks(struct access_thread *at, struct watch *watch, struct event *event)
{
    uint32_t marks = watch->range == NULL ? 0 : atomic_exchange(&watch->range->marks, 0);
    if ((marks & IO_GONE) != 0) {
        verdict_end(at, watch, DB_DROP_WATCH_UNREADABLE);
        return false;
    }
    watch->used |= (marks & IO_USED) != 0;
    event->rewritten = (marks & IO_REWRITTEN) != 0;
    watch->unproved |= event->rewritten;
    return true;
}

/* Python and the allocator are not judged: a load makes a store used, a store puts an end to what we knew. */
static void foreign_event(struct access_thread *at, struct watch *watch, const struct event *event)
{
    if (event->owner == TEXT_ALLOCATOR) {
        verdict_end(at, watch, DB_DROP_WATCH_ALLOCATOR);
    } else if (event->owner == TEXT_INTERPRETER) {
        if (event->value != watch->current) {
            verdict_end(at, watch, DB_DROP_WATCH_INTERPRETER);
        } else {
            watch->used = true;
        }
    }
}

/* Start of the function around `address`, from which decoding is certain; 0 when unwind tables do not tell. */
static uintptr_t function_start(uintptr_t address)
{
    const struct module *module = module_find(address);
    struct eh_frame_function function;
    return module != NULL && eh_frame_find_function(module, address, &function) ? function.low : 0;
}

static bool explain(struct watch *watch, const ucontext_t *uc, struct event *event)
{
    uintptr_t now = machine_instruction_pointer(uc);
    event->owner = text_owner_of(now - 1);
    if (event->owner != TEXT_NATIVE) {
        return true;
    }
    if (watch->phase == WATCH_BIRTH &&
        machine_trap_is_of(uc, watch->instruction, watch->address, watch->size_bytes, &event->access)) {
        return true;
    }
    if (!machine_explain_trap(uc, function_start(now), watch->address, watch->size_bytes, &event->access)) {
        return false;
    }
    /* A load cannot have changed the bytes: then the decoding is wrong, or somebody else wrote. */
    return event->access.store || watch->unproved || event->value == watch->current;
}

/* One string instruction's traps count down; where it begins again the count is no lower. */
static bool is_repetition(const struct watch *watch, const struct event *event)
{
    return watch->phase == WATCH_INSIDE && event->access.instruction == watch->instruction &&
           event->access.repeats_left < watch->repeats_left && !watch->judged;
}

static void native_event(struct access_thread *at, struct watch *watch, const ucontext_t *uc, struct event *event)
{
    if (watch->phase == WATCH_BIRTH) {
        birth(at, watch, uc, event);
    } else if (is_repetition(watch, event)) {
        watch->traps--; /* one access in several steps */
    } else if (watch->store) {
        store_watch_event(at, watch, uc, event);
    } else {
        load_watch_event(at, watch, uc, event);
    }
    watch->repeats_left = event->access.repeats_left;
    watch->last_instruction = event->access.instruction;
}

/* Copies of bytes, one by one: what the watched ones held before is kept until all have been written. */
static void wait_for_the_rest(struct access_thread *at, struct watch *watch, const struct event *event)
{
    watch->traps--;
    if (event->rewritten) {
        verdict_end(at, watch, DB_DROP_WATCH_AMBIGUOUS);
    }
}

void verdict_trap(struct access_thread *at, struct watch *watch, const ucontext_t *uc, bool asynchronous)
{
    struct event event = {0};
    watch->traps++;
    if (asynchronous) {
        verdict_end(at, watch, DB_DROP_ASYNC_TRAP);
        return;
    }
    if (!heed_marks(at, watch, &event)) {
        return;
    }
    if (!verdict_read_value(watch, &event.value)) {
        verdict_end(at, watch, DB_DROP_WATCH_UNREADABLE);
        return;
    }
    if (!explain(watch, uc, &event)) {
        verdict_end(at, watch, DB_DROP_WATCH_AMBIGUOUS);
        return;
    }
    if (event.access.unfinished) { /* the bytes are judged once the last of them is stored */
        wait_for_the_rest(at, watch, &event);
        return;
    }
    if (event.owner == TEXT_NATIVE) {
        native_event(at, watch, uc, &event);
    } else {
        foreign_event(at, watch, &event);
    }
    watch->current = event.value;
    if (watch->phase == WATCH_INSIDE && watch->scope_known && watch->traps >= TRAPS_AWAKE_MAX) {
        sleep_unless_wakeful(at, watch);
    } else if (watch->phase != WATCH_FREE && watch->traps >= TRAPS_MAX) {
        verdict_end(at, watch, DB_DROP_WATCH_EXPIRED);
    }
}

static void wake(struct access_thread *at, struct watch *watch)
{
    uint64_t before = watch->store ? watch->current : watch->seen;
    watch->phase = WATCH_ACROSS;
    if (watch->lent) {
        return; /* armed again when its register comes back */
    }
    if (!verdict_read_value(watch, &watch->current)) {
        verdict_end(at, watch, DB_DROP_WATCH_UNREADABLE);
        return;
    }
    if (watch->current != before) {
        wakeful_make(at, watch->node);
    }
    watch->unseen = wakeful_is(at, watch->node);
    watch->used &= !watch->unseen; /* what was loaded is not what was stored last */
    if (!watch_register_arm(access_register_of(at, watch), WATCH_ACCESS, watch->address, watch->size_bytes)) {
        verdict_end(at, watch, DB_DROP_NO_REGISTER);
    }
}

void verdict_call_ended(struct access_thread *at)
{
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        struct watch *watch = &at->watches[i];
        if (!watch->scope_known) {
            continue;
        }
        if (watch->phase == WATCH_BIRTH) {
            verdict_end(at, watch, DB_DROP_BREAKPOINT_MISSED);
        } else if (watch->phase == WATCH_ASLEEP) {
            wake(at, watch);
        } else if (watch->phase == WATCH_INSIDE) {
            watch->phase = WATCH_ACROSS;
        }
    }
}
