#include "objects/replica.h"

#include <stdatomic.h>

#include "config.h"
#include "memory.h"
#include "objects/call_stack.h"
#include "objects/examine.h"
#include "objects/recent.h"
#include "objects/site_context.h"
#include "objects/sites.h"
#include "process.h"

#define LOOKED_FIRST 64u    /* births of a site that are looked at before it can be thinned */
#define QUIET_BIRTHS 256u   /* without a match: thinned again */
#define MATCHES_FIRST 1024u /* births of a site that shows something before that is thinned */
#define DESCRIBED_BYTES 65536u

static uint32_t epoch = 1;

bool replica_start(void)
{
    return sites_start() && recent_start();
}

void replica_reset_child(void)
{
    epoch++;
    sites_reset_child();
    recent_reset_child();
}

/*
 * Is this birth looked at? Decided by counts, so that every run decides alike. Of a site that shows nothing pairs of
 * neighbours are, ever more rarely. Of one that does, whole stretches are: within one, what comes again after a period of up
 * to the history's length is seen to.
 */
static bool is_looked_at(const struct site *site, uint32_t birth)
{
    if (config.digest_full || birth <= LOOKED_FIRST) {
        return !site->is_structure;
    }
    uint32_t match = atomic_load_explicit(&site->last_match, memory_order_relaxed);
    /* Powers of two: no division at each birth. */
    uint32_t every = birth <= MATCHES_FIRST ? 16 : birth <= 16 * MATCHES_FIRST ? 64 : 256;
    bool shows = match != 0 && birth - match <= QUIET_BIRTHS * (birth <= MATCHES_FIRST ? 1 : every);
    if (site->is_structure) {
        return false;
    }
    if (shows) {
        return birth <= MATCHES_FIRST || (birth & (HISTORY_ENTRIES * every / 8 - 1)) < HISTORY_ENTRIES;
    }
    return (birth & (every - 1)) < 2;
}

/* The counts in the file follow those in memory by plain stores: births are many. */
static void note_births(struct site *site, bool looks)
{
    uint64_t looked_at = looks ? atomic_fetch_add_explicit(&site->looked_at, 1, memory_order_relaxed) + 1
                               : atomic_load_explicit(&site->looked_at, memory_order_relaxed);
    uint64_t births = atomic_load_explicit(&site->births, memory_order_relaxed);
    __atomic_store_n(&site->record->births, births, __ATOMIC_RELAXED);
    __atomic_store_n(&site->record->skipped, births - looked_at, __ATOMIC_RELAXED);
}

/* To unwind costs a thousand times a birth, and most places of an import make one object: the context is recorded at the
 * second birth, of large objects at the first. */
static void describe(struct site *site, struct call_stack *stack, const struct replica_birth *birth, uint32_t ordinal)
{
    if (ordinal == (birth->size_bytes >= DESCRIBED_BYTES ? 1 : 2)) {
        uint32_t node = site_context_capture(&stack->scratch, &site->maker);
        __atomic_store_n(&site->record->node, node, __ATOMIC_RELEASE);
    }
}

static uint32_t find_site(struct call_stack *stack, const struct replica_birth *birth)
{
    struct site_key key = {.stack_hash = call_stack_innermost(stack)->hash,
                           .instruction = call_stack_innermost(stack)->own_hash,
                           .size_bytes = birth->size_bytes,
                           .ordinal = call_stack_ordinal(stack, birth->size_bytes, birth->place)};
    return sites_find(&key);
}

struct object_origin replica_born(const struct replica_birth *birth)
{
    struct object_origin origin = {.epoch = epoch, .zeroed = birth->zeroed};
    struct call_stack *stack = call_stack_refresh();
    if (stack == NULL) {
        process_drop(DB_DROP_OBJECT_WITHOUT_PYTHON);
        return origin;
    }
    uint32_t number = find_site(stack, birth);
    if (number == 0) {
        return origin;
    }
    struct site *site = sites_at(number);
    origin.birth = (uint32_t)atomic_fetch_add_explicit(&site->births, 1, memory_order_relaxed) + 1;
    describe(site, stack, birth, origin.birth);
    bool looks = is_looked_at(site, origin.birth);
    note_births(site, looks);
    if (!looks) {
        return origin;
    }
    origin.site = number;
    origin.generation = call_stack_innermost(stack)->generation;
    origin.depth = (uint16_t)(stack->depth - 1);
    examine_birth(site, birth->start, &origin);
    return origin;
}

static bool is_workspace(const struct object_origin *origin)
{
    const struct call_stack *stack = call_stack_refresh();
    return stack != NULL && call_stack_holds(stack, origin->depth, origin->generation);
}

void replica_ended(const struct object *object, uintptr_t start)
{
    if (object->origin.site == 0 || object->origin.epoch != epoch) {
        return;
    }
    struct site *site = sites_at(object->origin.site);
    if (!site->is_structure && is_workspace(&object->origin)) {
        process_count(&site->record->workspaces, 1);
    } else if (start == 0) {
        sites_skip(site, 1);
    } else {
        examine_end(site, object, start);
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
    living->capacity += object->origin.site != 0 && object->origin.epoch == epoch ? 1 : 0;
}

static void take_living(const struct object *object, void *state)
{
    struct living *living = state;
    if (object->origin.site != 0 && object->origin.epoch == epoch && living->count < living->capacity) {
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

void replica_finish(void)
{
    struct living living = {NULL, 0, 0};
    object_map_visit(count_living, &living);
    if (living.capacity == 0 || (living.objects = memory_map(living.capacity * sizeof *living.objects)) == NULL) {
        return;
    }
    object_map_visit(take_living, &living);
    sort_by_birth(living.objects, living.count);
    for (size_t i = 0; i < living.count; i++) {
        struct site *site = sites_at(living.objects[i].origin.site);
        process_count(&site->record->live_at_end, 1);
        examine_end(site, &living.objects[i], living.objects[i].start);
    }
    memory_unmap(living.objects, living.capacity * sizeof *living.objects);
}
