#include "objects/examine.h"

#include "config.h"
#include "objects/content.h"
#include "objects/judge.h"
#include "objects/recent.h"
#include "objects/values.h"
#include "objects/when_new.h"
#include "process.h"

#define CONSTANTS_FIRST 4u
#define STRUCTURES_FIRST 16u /* births of a site that are asked */

void examine_birth(const struct site *site, uintptr_t start, struct object_origin *origin)
{
    struct content_sample sample;
    bool asks = !site->fills || origin->birth <= STRUCTURES_FIRST;
    if (asks && !site->is_structure && !origin->is_defined &&
        content_sample_take_newborn(&sample, start, site->record->size_bytes, origin->is_fresh)) {
        origin->marks = content_sample_marks(&sample);
        origin->has_marks = 1;
    }
}

/* The lines that were stored into as far as is known. */
static uint32_t changed_lines(const struct object_origin *origin, const struct content_sample *sample)
{
    return origin->has_marks ? content_marks_differ(origin->marks, content_sample_marks(sample)) : CONTENT_ALL_LINES;
}

/*
 * Leftovers are no results: a chunk comes back with what it held, and np.empty() with a few stores would equal the one
 * before for ever. That a site fills its objects is shown once, for all of them, by one whose content changed all over: its
 * own, or one that the same instruction made on another path, for a chunk may come back from there with this very content.
 */
static bool is_filled(const struct site *site, const struct object_origin *origin, uint32_t lines)
{
    bool shown = origin->has_marks && content_is_filled(lines);
    if (shown) {
        sites_note_fills(site);
    }
    return shown || origin->is_defined || sites_instruction_fills(site);
}

/*
 * Bytes that were there at birth may have been written again: an equal result was freed there. Nothing here tells that from
 * leftovers: such objects are compared like others, and counted until one of the site is seen to be filled.
 */
static void count_unfilled(struct site *site, const struct object_origin *origin, uint32_t lines)
{
    if (site->fills) {
        return;
    }
    if (is_filled(site, origin, lines)) {
        site->fills = true;
        __atomic_store_n(&site->record->unfilled, 0, __ATOMIC_RELAXED);
    } else {
        process_count(&site->record->unfilled, 1);
    }
}

/* The sample says so; the first few times, and now and then after, the whole is asked. */
static bool is_constant(struct site *site, const struct content_sample *sample, uintptr_t start, uint32_t birth,
                        uint64_t *word)
{
    if (!content_sample_is_constant(sample, word)) {
        return false;
    }
    bool asks = site->constants < CONSTANTS_FIRST || judge_proves(birth, sample->size_bytes) ||
                content_is_digested_whole(sample->size_bytes);
    if (!asks || !content_may_read_whole(sample->size_bytes)) {
        return true;
    }
    if (!content_is_constant(start, sample->size_bytes, *word)) {
        return false;
    }
    if (site->constants < CONSTANTS_FIRST) {
        site->constants++;
    }
    return true;
}

static void compare(struct site *site, const struct object *object, const struct content_sample *sample,
                    uintptr_t start, bool is_last)
{
    struct examined examined = judge_object(object, sample, start);
    struct recent_object recent = {.digest = examined.digest,
                                   .is_whole = examined.is_whole,
                                   .birth = object->serial,
                                   .death = object_map_last_serial(),
                                   .site = object->origin.site};
    examined.is_last = is_last;
    if (sites_lock(site)) {
        recent.is_counted = judge(site, &examined);
        sites_unlock(site);
    }
    judge_prove_wanted(site, &examined);
    recent.proof = examined.proof;
    recent_meet(&recent);
}

/*
 * The object just seen is full of addresses: what was said of the contents of the site's objects is taken back. What they are is
 * told by when they were born and ended, as everybody's: which of them are workspaces is asked as before.
 */
static void set_aside(struct site *site)
{
    struct db_site *record = site->record;
    uint64_t *parts[] = {&record->examined, &record->unfilled,        &record->constant, &record->zero,
                         &record->replicas, &record->period_replicas, &record->copies};
    site->is_structure = true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        __atomic_store_n(parts[i], 0, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&record->alike, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->period, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->recurring, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->recurring_digits, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->last_known, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_step, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_bursts, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_growing, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_other, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_digits, 0, __ATOMIC_RELAXED);
    when_new_forget(record);
}

static void count_constant(struct site *site, uint64_t word)
{
    struct history *history = sites_history(site);
    process_count(&site->record->constant, 1);
    process_count(&site->record->zero, word == 0 ? 1 : 0);
    if (!sites_lock(site)) {
        return;
    }
    if (history->has_constant == 0) {
        history->has_constant = 1;
        history->constant = word;
    }
    if (word == history->constant && site->record->alike < UINT32_MAX) {
        __atomic_store_n(&site->record->alike, site->record->alike + 1, __ATOMIC_RELAXED);
    }
    sites_unlock(site);
}

/* Before it, births were passed over: whether it is new is unknown, so it counts for nothing but those that follow. */
static void prime(struct site *site, const struct object *object, const struct content_sample *sample, uintptr_t start)
{
    uint64_t word = 0;
    bool is_glance = object->origin.is_glanced_at;
    const struct history *history = sites_history(site);
    sites_skip(site, 1);
    if (content_sample_is_constant(sample, &word) &&
        (!is_glance || (history->has_constant != 0 && history->constant == word))) {
        return;
    }
    if (!sites_lock(site)) {
        return;
    }
    struct examined primer = judge_object(object, sample, start);
    (is_glance ? judge_glance : judge_primer)(site, &primer);
    sites_unlock(site);
}

static void examine(struct site *site, const struct object *object, uintptr_t start, bool is_last)
{
    struct content_sample sample;
    uint64_t word = 0;
    if (site->is_structure) {
        sites_skip(site, object->origin.is_primer ? 1 : 0);
        return;
    }
    if (!content_sample_take(&sample, start, site->record->size_bytes)) {
        sites_skip(site, 1);
        return;
    }
    uint32_t lines = changed_lines(&object->origin, &sample);
    if (object->origin.birth <= STRUCTURES_FIRST && content_sample_is_structure(&sample, lines, start)) {
        set_aside(site);
        return;
    }
    if (object->origin.is_primer) {
        prime(site, object, &sample, start);
        return;
    }
    count_unfilled(site, &object->origin, lines);
    process_count(&site->record->examined, 1);
    values_note(site, start, object->origin.birth);
    if (is_constant(site, &sample, start, object->origin.birth, &word)) {
        count_constant(site, word);
        return;
    }
    compare(site, object, &sample, start, is_last);
}

void examine_end(struct site *site, const struct object *object, uintptr_t start)
{
    examine(site, object, start, false);
}

void examine_last(struct site *site, const struct object *object, uintptr_t start)
{
    examine(site, object, start, true);
}
