#include "objects/aftermath.h"

#include "hot.h"
#include "objects/content.h"

#define ASKED_OF_SITE 12u
#define LOOKS_MAX 16u /* at one object, while the frames that hold still hold */
#define FORGOTTEN_AFTER                                                                                                \
    4096u /* births: who was not seen to end by then makes room, it may have ended on another thread */

static struct call_stack_asked *find(struct call_stack *stack, const struct object_origin *origin)
{
    for (uint32_t i = 0; i < stack->asked_count; i++) {
        if (stack->asked[i].site == origin->site && stack->asked[i].birth == origin->birth) {
            return &stack->asked[i];
        }
    }
    return NULL;
}

static void forget(struct call_stack *stack, struct call_stack_asked *asked)
{
    *asked = stack->asked[--stack->asked_count];
}

/* NULL where there is none: what is born then is not asked, and its site's next one may be. */
static struct call_stack_asked *make_room(struct call_stack *stack)
{
    struct call_stack_asked *oldest = &stack->asked[0];
    if (stack->asked_count < CALL_STACK_ASKED_MAX) {
        return &stack->asked[stack->asked_count++];
    }
    for (uint32_t i = 1; i < stack->asked_count; i++) {
        oldest = stack->asked[i].births > oldest->births ? &stack->asked[i] : oldest;
    }
    return oldest->births > FORGOTTEN_AFTER ? oldest : NULL;
}

/* The first ones follow each other, the later ones lie ever further apart: of results that come round others have their turn. */
static bool is_due(const struct site *site, uint32_t birth)
{
    bool shows_something = atomic_load_explicit(&site->last_match, memory_order_relaxed) != 0 || site->constants > 0;
    return site->asked < ASKED_OF_SITE && shows_something && birth >= UINT32_C(1) << site->asked;
}

void aftermath_born(struct call_stack *stack, struct site *site, uintptr_t start, struct object_origin *origin)
{
    struct call_stack_asked *asked = is_due(site, origin->birth) ? make_room(stack) : NULL;
    if (asked == NULL) {
        return;
    }
    site->asked++;
    origin->is_asked = true;
    *asked = (struct call_stack_asked){.site = origin->site,
                                       .birth = origin->birth,
                                       .start = start,
                                       .size_bytes = site->record->size_bytes,
                                       .generation = origin->generation,
                                       .depth = origin->depth + 1u,
                                       .held = origin->depth + 1u};
}

/* How many of the frames at its birth, from the outermost in, have not moved since. */
static uint32_t held_now(const struct call_stack *stack, const struct call_stack_asked *asked)
{
    return call_stack_held(stack, asked->held, asked->generation);
}

/* Short ones are read whole, as they are when they are compared. */
static bool digest_of(uintptr_t start, uint64_t size_bytes, uint64_t *digest)
{
    struct content_sample sample;
    if (content_is_digested_whole(size_bytes)) {
        return content_digest(start, size_bytes, digest);
    }
    if (!content_sample_take(&sample, start, size_bytes)) {
        return false;
    }
    *digest = content_sample_digest(&sample);
    return true;
}

/* Where the outermost frame that has moved stands now; all zeros when it has returned. */
static struct call_stack_stand stand_of(const struct call_stack *stack, uint32_t held)
{
    struct call_stack_stand stand = {0};
    if (held < stack->depth) {
        stand.instruction = call_stack_link(stack, held)->instruction;
        stand.offset = stack->levels[held].offset;
        stand.calls = stack->depth > held + 1;
    }
    return stand;
}

/*
 * Its content is not what it was at the last look: it was changed after that, with so many frames moved on, the outermost of
 * them where it stood then. Both times within one and the same call of Python code: it was that, and not what the line does itself.
 */
static void note_change(const struct call_stack *stack, struct call_stack_asked *asked, uint32_t held)
{
    const struct call_stack_stand *last = &asked->stand;
    const struct call_stack_stand now = stand_of(stack, asked->held);
    uint32_t beyond = asked->depth - asked->held;
    bool by_call = held == asked->held && now.calls && last->calls && now.instruction == last->instruction;
    bool is_known = asked->changed_beyond == beyond && asked->changed_offset == DB_OFFSET_CALLED;
    asked->changed_beyond = beyond;
    if (by_call || is_known) {
        asked->changed_offset = DB_OFFSET_CALLED;
    } else {
        asked->changed_offset = last->instruction != 0 ? last->offset : DB_OFFSET_UNKNOWN;
    }
}

/* Is it to be looked at? Once at each place that the outermost moved frame comes to; where that calls, now and then. */
static bool is_looked_at(const struct call_stack *stack, struct call_stack_asked *asked, uint32_t held)
{
    asked->births++;
    if (held < asked->held) {
        return true;
    }
    if (held == asked->depth || held >= stack->depth || asked->looks >= LOOKS_MAX) {
        return false;
    }
    return call_stack_link(stack, held)->instruction != asked->stand.instruction ||
           (asked->births & (asked->births - 1)) == 0;
}

/* Another thread may have freed it. Where it frees it now, the read is guarded. */
static bool is_alive(struct call_stack_asked *asked)
{
    struct object object = object_map_at(asked->start);
    bool is_same = asked->serial == 0 || object.serial == asked->serial;
    asked->serial = object.serial;
    return object.start == asked->start && object.origin.site == asked->site && is_same;
}

OFF_HOT_PATH void aftermath_look_closer(struct call_stack *stack)
{
    for (uint32_t i = stack->asked_count; i-- > 0;) {
        struct call_stack_asked *asked = &stack->asked[i];
        uint32_t held = held_now(stack, asked);
        uint64_t digest = 0;
        if (!is_looked_at(stack, asked, held)) {
            continue;
        }
        if (!is_alive(asked) || !digest_of(asked->start, asked->size_bytes, &digest)) {
            forget(stack, asked);
            continue;
        }
        if (asked->looks > 0 && asked->digest != digest) {
            note_change(stack, asked, held);
        }
        asked->digest = digest;
        asked->stand = stand_of(stack, held);
        asked->held = held;
        if (asked->looks++ == 0) {
            asked->beginning = (struct call_stack_beginning){digest, asked->stand.instruction, held};
        }
    }
}

/* Of two changes the one with more frames moved on says more, then the one further on in the code. */
static void tell(struct db_site *record, const struct call_stack_asked *asked)
{
    uint8_t beyond = asked->changed_beyond < UINT8_MAX ? (uint8_t)asked->changed_beyond : UINT8_MAX;
    uint8_t known = __atomic_load_n(&record->changed_beyond, __ATOMIC_RELAXED);
    if (beyond > known || (beyond == known && beyond > 0 && asked->changed_offset > record->changed_offset)) {
        __atomic_store_n(&record->changed_offset, asked->changed_offset, __ATOMIC_RELAXED);
        __atomic_store_n(&record->changed_beyond, beyond, __ATOMIC_RELAXED);
    }
}

void aftermath_overwritten(struct call_stack *stack, const struct object_origin *origin)
{
    struct call_stack_asked *asked = find(stack, origin);
    if (asked != NULL) {
        asked->looks = 0;
        asked->is_overwritten = true;
    }
}

/* Another of the site that ended with the same content; NULL where none is remembered. */
static const struct call_stack_ended *twin_of(const struct call_stack *stack, uint32_t site, uint64_t digest)
{
    for (uint32_t i = 0; i < CALL_STACK_ENDED_MAX && i < stack->ended_count; i++) {
        if (stack->ended[i].site == site && stack->ended[i].digest == digest) {
            return &stack->ended[i];
        }
    }
    return NULL;
}

/* Looked at for the first time where the other was, it held something else: what was read of them there differed. */
static bool began_unlike(const struct call_stack_beginning *a, const struct call_stack_beginning *b)
{
    return a->instruction == b->instruction && a->held == b->held && a->digest != b->digest;
}

static void note_beginning(struct call_stack *stack, struct db_site *record, const struct call_stack_asked *asked,
                           uint64_t digest)
{
    const struct call_stack_ended *twin = twin_of(stack, asked->site, digest);
    if (twin == NULL) {
        stack->ended[stack->ended_count++ % CALL_STACK_ENDED_MAX] =
            (struct call_stack_ended){asked->site, digest, asked->beginning};
    } else if (!asked->is_overwritten && began_unlike(&twin->beginning, &asked->beginning)) {
        __atomic_fetch_or(&record->unlike, DB_UNLIKE_BEGINNING, __ATOMIC_RELAXED);
    }
}

void aftermath_ended(struct call_stack *stack, struct site *site, const struct object *object, uintptr_t start)
{
    struct call_stack_asked *asked = find(stack, &object->origin);
    uint64_t digest = 0;
    if (asked == NULL) {
        return;
    }
    if (start != 0 && asked->looks > 0 && digest_of(start, asked->size_bytes, &digest)) {
        if (digest != asked->digest) {
            note_change(stack, asked, held_now(stack, asked));
        }
        /* What took an operand's place is its line's to keep where it is the same each time, too. */
        if (!asked->is_overwritten || twin_of(stack, asked->site, digest) != NULL) {
            tell(site->record, asked);
        }
        note_beginning(stack, site->record, asked, digest);
    }
    forget(stack, asked);
}
