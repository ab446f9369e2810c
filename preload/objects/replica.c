#include "objects/replica.h"

#include <stdatomic.h>

#include "config.h"
#include "hot.h"
#include "memory.h"
#include "objects/aftermath.h"
#include "objects/call_stack.h"
#include "objects/content.h"
#include "objects/examine.h"
#include "objects/far.h"
#include "objects/heat.h"
#include "objects/judge.h"
#include "objects/lifetime.h"
#include "objects/neighbours.h"
#include "objects/page_cost.h"
#include "objects/pages.h"
#include "objects/recent.h"
#include "objects/site_context.h"
#include "objects/sites.h"
#include "objects/values.h"
#include "process.h"
#include "thread.h"

#define LOOKED_FIRST 64u /* births of a site that are looked at before it can be thinned */
#define DESCRIBED_BYTES 65536u

static uint32_t epoch = 1;
SHIM_THREAD_LOCAL uintptr_t replica_overwritable;

bool replica_start(void)
{
    content_start();
    return sites_start() && recent_start() && far_start() && heat_start();
}

void replica_reset_child(void)
{
    epoch++;
    sites_reset_child();
    recent_reset_child();
    far_reset_child();
    lifetime_reset_child();
    page_cost_reset_child();
    values_reset_child();
    heat_reset_child();
    neighbours_reset_child();
}

/* The first half of a stretch fills the history: what comes round in the second half finds itself there. */
#define STRETCH (2 * HISTORY_ENTRIES)

#define PAIRS_LEAST 16u
#define GROWING_TO_BIRTH (HISTORY_ENTRIES * HISTORY_ENTRIES / 2) /* each has one object more than the one before */

/* Powers of two: no division at each birth. */
static const struct thinning {
    uint32_t to_birth;  /* of a site */
    uint32_t pairs;     /* nothing shows: one pair of neighbours in so many births */
    uint32_t stretches; /* something does: STRETCH births in so many */
    uint32_t quiet;     /* for so many births after a match */
} thinnings[] = {
    {256, PAIRS_LEAST, STRETCH, 256},
    {1024, 64, STRETCH, 256},
    {4096, 256, 16 * STRETCH, 4096},
    {UINT32_MAX, 256, 64 * STRETCH, 16384},
};

enum look { LOOK_AWAY, LOOK_GLANCE, LOOK_PRIME, LOOK_AT };

/*
 * A site whose rounds grow is looked at for longer: until a round has as many objects as the history remembers. Nothing is said of it where there
 * are more births.
 */
static bool grows(const struct db_site *record, uint32_t birth)
{
    return birth < GROWING_TO_BIRTH && db_rounds_grow(__atomic_load_n(&record->new_growing, __ATOMIC_RELAXED),
                                                      __atomic_load_n(&record->new_other, __ATOMIC_RELAXED));
}

/*
 * Is this birth looked at? Decided by counts, so that every run decides alike. Of a site that shows nothing pairs of
 * neighbours are, ever more rarely. Of one that does, whole stretches are: within one, what comes again after a period of up
 * to the history's length is seen to.
 */
static enum look choose(const struct site *site, uint32_t birth)
{
    if (config.digest_full || birth <= LOOKED_FIRST) {
        return LOOK_AT;
    }
    uint32_t match = atomic_load_explicit(&site->last_match, memory_order_relaxed);
    if (match == 0 && (birth & (PAIRS_LEAST - 1)) > 1) {
        return LOOK_AWAY; /* nearly all births of what is new each time */
    }
    const struct thinning *thinning = thinnings;
    while (birth > thinning->to_birth) {
        thinning++;
    }
    if (match == 0 || birth - match > thinning->quiet) {
        uint32_t position = birth & (thinning->pairs - 1);
        return position == 0 ? LOOK_PRIME : position == 1 ? LOOK_AT : LOOK_AWAY;
    }
    uint32_t position = birth & (thinning->stretches - 1);
    if (position >= STRETCH && grows(site->record, birth)) {
        return LOOK_AT;
    }
    if (position >= STRETCH) {
        return position % db_glances(birth) < DB_GLANCED ? LOOK_GLANCE : LOOK_AWAY;
    }
    return position < HISTORY_ENTRIES && thinning->stretches > STRETCH ? LOOK_PRIME : LOOK_AT;
}

/* To unwind costs a thousand times a birth, and most places of an import make one object: the context is recorded at the
 * second birth, of large objects at the first, too. Not there alone: what a library makes once, at the first call of a line
 * (oneDNN its code buffers), may have the size of what the line makes, and stand in its place. */
static OFF_HOT_PATH void describe(struct site *site, struct call_stack *stack, size_t size_bytes, uint32_t ordinal)
{
    if (ordinal == 2 || size_bytes >= DESCRIBED_BYTES) {
        uint32_t node = site_context_capture(&stack->scratch, &site->maker);
        __atomic_store_n(&site->record->node, node, __ATOMIC_RELEASE);
        process_ran_python(); /* may be killed before it ends, and the time engine may be off */
    }
}

/* It has had births, but none in the execution before, as far as is known: its instruction makes other sizes as well, by turns. */
static OFF_HOT_PATH void note_return(struct db_site *record)
{
    const uint8_t known = __atomic_load_n(&record->unlike, __ATOMIC_RELAXED);
    if ((known & DB_UNLIKE_SIZES) == 0 && __atomic_load_n(&record->births, __ATOMIC_RELAXED) > 0) {
        __atomic_fetch_or(&record->unlike, DB_UNLIKE_SIZES, __ATOMIC_RELAXED);
    }
}

/* At each birth, before it is counted. */
static inline void note_execution(struct site *site, struct call_stack *stack)
{
    const uint16_t now = call_stack_execution(stack);
    const uint16_t since = (uint16_t)(now - atomic_load_explicit(&site->execution, memory_order_relaxed));
    if (since == 0) {
        return;
    }
    atomic_store_explicit(&site->execution, now, memory_order_relaxed);
    if (since != 1) {
        note_return(site->record);
    }
}

static uint32_t find_site(struct call_stack *stack, const struct replica_birth *birth)
{
    struct site_key key = {.stack_hash = call_stack_innermost(stack)->hash,
                           .instruction = call_stack_innermost(stack)->own_hash,
                           .size_bytes = birth->size_bytes,
                           .ordinal = call_stack_ordinal(stack, birth->size_bytes, birth->place)};
    struct call_stack_place *place = call_stack_place(stack);
    uint32_t site = place != NULL ? call_stack_made(place, key.size_bytes, key.ordinal) : 0;
    if (site == 0) {
        site = sites_find(&key);
        if (place != NULL) {
            call_stack_note_made(place, key.size_bytes, key.ordinal, site);
        }
    }
    if (site != 0) {
        note_execution(sites_at(site), stack);
    }
    return site;
}

/* What its end will tell a workspace by. */
static void note_frame(struct object_origin *origin, const struct call_stack *stack)
{
    origin->generation = call_stack_innermost(stack)->generation;
    origin->depth = (uint16_t)(stack->depth - 1);
}

static OFF_HOT_PATH void look_at(struct site *site, struct call_stack *stack, const struct replica_birth *birth,
                                 struct object_origin *origin)
{
    process_count(&site->record->looked_at, 1);
    origin->is_looked_at = true;
    note_frame(origin, stack);
    origin->is_fresh = pages_born(site->record, birth->start, birth->size_bytes); /* before anybody reads it */
    examine_birth(site, birth->start, origin);
    aftermath_born(stack, site, birth->start, origin);
}

static uint32_t slack_of(const struct replica_birth *birth)
{
    size_t slack = birth->usable_bytes - birth->size_bytes;
    return birth->usable_bytes > birth->size_bytes && slack <= UINT32_MAX ? (uint32_t)slack : 0;
}

/* NULL where there is no room for it. */
static struct site *join_site(struct call_stack *stack, const struct replica_birth *birth, struct object_origin *origin)
{
    origin->site = find_site(stack, birth);
    if (origin->site == 0) {
        return NULL;
    }
    struct site *site = sites_at(origin->site);
    origin->birth = sites_count_birth(site);
    if (origin->birth <= 2) {
        describe(site, stack, birth->size_bytes, origin->birth);
    }
    enum look look = choose(site, origin->birth);
    if (look != LOOK_AWAY) {
        look_at(site, stack, birth, origin);
        origin->is_primer = look != LOOK_AT;
        origin->is_glanced_at = look == LOOK_GLANCE;
    }
    if (far_wants(site, birth->size_bytes, origin->birth)) {
        origin->is_far = true;
        note_frame(origin, stack);
    }
    return site;
}

void replica_born(const struct replica_birth *birth, struct object_origin *origin)
{
    *origin = (struct object_origin){.epoch = epoch, .is_defined = birth->is_defined, .slack_bytes = slack_of(birth)};
    struct call_stack *stack = call_stack_refresh();
    struct site *site = NULL;
    if (stack == NULL) {
        process_drop(DB_DROP_OBJECT_WITHOUT_PYTHON);
    } else {
        aftermath_look(stack);
        site = join_site(stack, birth, origin);
    }
    if (birth->size_bytes >= REPLICA_OVERWRITTEN_BYTES && !birth->is_mapped) {
        replica_overwritable = birth->start;
    }
    lifetime_born(site != NULL ? site->record : NULL, birth->usable_bytes - origin->slack_bytes, origin);
}

static bool is_workspace(const struct object_origin *origin)
{
    const struct call_stack *stack = call_stack_refresh();
    return stack != NULL && call_stack_holds(stack, origin->depth, origin->generation);
}

uint32_t replica_site(const struct object_origin *origin)
{
    return origin->site != 0 && origin->epoch == epoch ? sites_at(origin->site)->id : 0;
}

static void count_end(const struct object *object)
{
    if (object->origin.is_counted && object->origin.epoch == epoch) {
        bool is_small =
            lifetime_bytes(object) < DB_LIVE_SMALL_BYTES; /* its site need not come to the caches for that */
        struct site *site = is_small || object->origin.site == 0 ? NULL : sites_at(object->origin.site);
        lifetime_ended(site != NULL ? site->record : NULL, object);
        if (site != NULL) {
            heat_ended(site->id, object, lifetime_tick());
        }
    }
}

/* What lives at the end of the process ends there. */
static void tell_heat(const struct object *object, void *state)
{
    bool is_large = lifetime_bytes(object) >= DB_LIVE_SMALL_BYTES && object->origin.site != 0;
    if (is_large && object->origin.is_counted && object->origin.epoch == epoch) {
        heat_ended(sites_at(object->origin.site)->id, object, *(const uint32_t *)state);
    }
}

/* Objects that were to be looked at, of this very process. */
static bool is_ours(const struct object *object)
{
    return object->origin.is_looked_at && object->origin.epoch == epoch;
}

OFF_HOT_PATH void replica_lost(const struct object *object)
{
    count_end(object);
    if (is_ours(object)) {
        sites_skip(sites_at(object->origin.site), 1);
    }
}

static bool is_far(const struct object *object)
{
    return object->origin.is_far && object->origin.epoch == epoch;
}

/* Most contents are not selected: what they are is asked first. */
static OFF_HOT_PATH void ask_far(const struct object *object, uintptr_t start)
{
    struct site *site = sites_at(object->origin.site);
    uint32_t selector = 0;
    if (far_selects(site, start, &selector) && !is_workspace(&object->origin)) {
        far_meet(site, object, start, selector);
    }
}

/* Of primers none is counted, so that the others' shares stay what they are. */
static void count_workspace(struct site *site, const struct object *object)
{
    if (object->origin.is_primer) {
        sites_skip(site, 1);
    } else {
        process_count(&site->record->workspaces, 1);
    }
}

static OFF_HOT_PATH void tell_aftermath(struct site *site, const struct object *object, uintptr_t start)
{
    struct call_stack *stack = object->origin.is_asked ? call_stack_refresh() : NULL;
    if (stack != NULL) {
        aftermath_ended(stack, site, object, start);
    }
}

/* The end of an object that was looked at. */
static OFF_HOT_PATH void look_again(const struct object *object, uintptr_t start)
{
    struct site *site = sites_at(object->origin.site);
    uint32_t selector = 0;
    if (object->origin.is_fresh && start != 0) {
        pages_ended(site->record, start);
    }
    if (thread_self == NULL) { /* tiny stacks, and threads at their very end: no room for a sample there */
        sites_skip(site, 1);
    } else if (is_workspace(&object->origin)) {
        tell_aftermath(site, object, 0);
        count_workspace(site, object);
    } else if (start == 0) {
        tell_aftermath(site, object, 0);
        sites_skip(site, 1);
    } else {
        tell_aftermath(site, object, start);
        bool is_behind_python = call_stack_refresh() == NULL; /* modules are emptied when no frame is left */
        (is_behind_python ? examine_last : examine_end)(site, object, start);
        if (is_far(object) && far_selects(site, start, &selector)) {
            far_meet(site, object, start, selector);
        }
    }
}

void replica_ended(const struct object *object, uintptr_t start)
{
    count_end(object);
    if (is_ours(object)) {
        look_again(object, start);
    } else if (is_far(object) && start != 0 && thread_self != NULL) {
        ask_far(object, start);
    } else if (object->origin.is_asked && object->origin.epoch == epoch && thread_self != NULL) {
        tell_aftermath(sites_at(object->origin.site), object, start); /* it was looked at when it was overwritten */
    }
}

static bool is_constant(const struct object *object)
{
    struct content_sample sample;
    uint64_t word = 0;
    return content_sample_take(&sample, object->start, sites_at(object->origin.site)->record->size_bytes) &&
           content_sample_is_constant(&sample, &word);
}

/* How far beyond the instruction that made it the thread is by now: nearer once is nearer. */
static void note_overwritten(const struct object_origin *origin)
{
    const struct call_stack *stack = call_stack_refresh();
    if (stack == NULL) {
        return;
    }
    uint8_t *unlike = &sites_at(origin->site)->record->unlike, known = __atomic_load_n(unlike, __ATOMIC_RELAXED), now;
    const uint32_t depth = origin->depth + 1u;
    uint32_t beyond = depth - call_stack_held(stack, depth, origin->generation);
    beyond = beyond < DB_OVERWRITTEN_MAX ? beyond : DB_OVERWRITTEN_MAX;
    do {
        uint32_t least = known >> DB_OVERWRITTEN_SHIFT;
        least = least == 0 || beyond < least ? beyond : least;
        now = (uint8_t)((known & ((1u << DB_OVERWRITTEN_SHIFT) - 1)) | least << DB_OVERWRITTEN_SHIFT);
    } while (!__atomic_compare_exchange_n(unlike, &known, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void replica_overwritten(struct object *object)
{
    if ((!is_ours(object) && !is_far(object)) || is_workspace(&object->origin) || is_constant(object)) {
        return;
    }
    note_overwritten(&object->origin);
    const bool is_asked = object->origin.is_asked;
    object->origin.is_asked = false; /* until the buffer itself ends */
    if (is_ours(object)) {
        look_again(object, object->start);
    } else {
        ask_far(object, object->start);
    }
    object->origin.is_looked_at = object->origin.is_far = false;
    object->origin.is_asked = is_asked;
    struct call_stack *stack = is_asked ? call_stack_refresh() : NULL;
    if (stack != NULL) {
        aftermath_overwritten(stack, &object->origin);
    }
}

/* What lives at the end, to be put in the order of birth. */
struct living {
    struct object *objects;
    size_t count, capacity;
};

static void count_living(const struct object *object, void *state)
{
    struct living *living = state;
    living->capacity += is_ours(object) ? 1 : 0;
}

static void take_living(const struct object *object, void *state)
{
    struct living *living = state;
    if (is_ours(object) && living->count < living->capacity) {
        living->objects[living->count++] = *object;
    }
}

/* Heap sort: in place, nothing allocated, no recursion. */
static void sift(struct object *objects, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
        child += child + 1 < count && objects[child].serial < objects[child + 1].serial ? 1 : 0;
        if (objects[root].serial >= objects[child].serial) {
            return;
        }
        struct object lower = objects[root];
        objects[root] = objects[child];
        objects[child] = lower;
    }
}

static void sort_by_birth(struct object *objects, size_t count)
{
    for (size_t root = count / 2; root-- > 0;) {
        sift(objects, root, count);
    }
    for (size_t end = count; end-- > 1;) {
        struct object last = objects[0];
        objects[0] = objects[end];
        objects[end] = last;
        sift(objects, 0, end);
    }
}

static void finish_sites(void)
{
    for (uint32_t number = 1; number <= sites_count(); number++) {
        struct site *site = sites_at(number);
        if (site->record != NULL && sites_lock(site)) {
            judge_finish(site);
            sites_unlock(site);
        }
    }
}

static void finish_living(void)
{
    struct living living = {NULL, 0, 0};
    uint32_t now_tick = lifetime_tick();
    object_map_visit(tell_heat, &now_tick);
    object_map_visit(count_living, &living);
    if (living.capacity == 0 || (living.objects = memory_map(living.capacity * sizeof *living.objects)) == NULL) {
        return;
    }
    object_map_visit(take_living, &living);
    sort_by_birth(living.objects, living.count);
    for (size_t i = 0; i < living.count; i++) {
        struct site *site = sites_at(living.objects[i].origin.site);
        __atomic_fetch_add(&site->record->live_at_end, 1, __ATOMIC_RELAXED);
        if (living.objects[i].origin.is_fresh) {
            pages_ended(site->record, living.objects[i].start);
        }
        examine_last(site, &living.objects[i], living.objects[i].start);
    }
    memory_unmap(living.objects, living.capacity * sizeof *living.objects);
}

void replica_finish(void)
{
    lifetime_finish();
    finish_living();
    finish_sites();
}
