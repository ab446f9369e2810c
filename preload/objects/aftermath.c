#include "objects/aftermath.h"

#include "objects/content.h"

#define ASKED_OF_SITE 8u /* the first objects after one that was equal to another */

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

/* One that another thread frees is never asked for again: the oldest makes room. */
static struct call_stack_asked *make_room(struct call_stack *stack)
{
    struct call_stack_asked *oldest = &stack->asked[0];
    if (stack->asked_count < CALL_STACK_ASKED_MAX) {
        return &stack->asked[stack->asked_count++];
    }
    for (uint32_t i = 1; i < stack->asked_count; i++) {
        oldest = stack->asked[i].generation < oldest->generation ? &stack->asked[i] : oldest;
    }
    return oldest;
}

void aftermath_born(struct call_stack *stack, struct site *site, uintptr_t start, struct object_origin *origin)
{
    if (site->asked >= ASKED_OF_SITE || atomic_load_explicit(&site->last_match, memory_order_relaxed) == 0) {
        return;
    }
    site->asked++;
    origin->is_asked = true;
    *make_room(stack) = (struct call_stack_asked){.site = origin->site,
                                                  .birth = origin->birth,
                                                  .start = start,
                                                  .size_bytes = site->record->size_bytes,
                                                  .generation = origin->generation,
                                                  .depth = origin->depth + 1u,
                                                  .held = origin->depth + 1u};
}

/*
 * How many of the frames at its birth, from the outermost in, have not moved since. Frames that move get a generation beyond all
 * that were, and the innermost had the last one then.
 */
static uint32_t held_now(const struct call_stack *stack, const struct call_stack_asked *asked)
{
    uint32_t held = asked->held;
    while (held > 0 && (held > stack->depth || stack->levels[held - 1].generation > asked->generation)) {
        held--;
    }
    return held;
}

static bool digest_of(uintptr_t start, uint64_t size_bytes, uint64_t *digest)
{
    struct content_sample sample;
    if (!content_sample_take(&sample, start, size_bytes)) {
        return false;
    }
    *digest = content_sample_digest(&sample);
    return true;
}

/* Its content was another when `asked->held` frames still stood. The first time it is looked at its making is over, no more. */
static void compare(struct call_stack_asked *asked, uint64_t digest)
{
    if (asked->digest != 0 && asked->digest != digest) {
        asked->changed_beyond = asked->depth - asked->held;
    }
    asked->digest = digest;
}

void aftermath_look_closer(struct call_stack *stack)
{
    for (uint32_t i = stack->asked_count; i-- > 0;) {
        struct call_stack_asked *asked = &stack->asked[i];
        uint32_t held = held_now(stack, asked);
        uint64_t digest = 0;
        if (held == asked->held) {
            continue;
        }
        if (!digest_of(asked->start, asked->size_bytes, &digest)) {
            forget(stack, asked); /* another thread has freed it */
            continue;
        }
        compare(asked, digest);
        asked->held = held;
    }
}

void aftermath_ended(struct call_stack *stack, struct site *site, const struct object *object, uintptr_t start)
{
    struct call_stack_asked *asked = find(stack, &object->origin);
    uint64_t digest = 0;
    if (asked == NULL) {
        return;
    }
    if (start != 0 && digest_of(start, asked->size_bytes, &digest)) {
        compare(asked, digest);
        uint8_t beyond = asked->changed_beyond < UINT8_MAX ? (uint8_t)asked->changed_beyond : UINT8_MAX;
        if (beyond > __atomic_load_n(&site->record->changed_beyond, __ATOMIC_RELAXED)) {
            __atomic_store_n(&site->record->changed_beyond, beyond, __ATOMIC_RELAXED);
        }
    }
    forget(stack, asked);
}
