#include "objects/examine.h"

#include "config.h"
#include "objects/content.h"
#include "objects/recent.h"
#include "objects/values.h"
#include "objects/when_new.h"
#include "process.h"

#define FILLED_LINES                                                                                                   \
    4u /* of CONTENT_LINES that changed since birth: a few elements stored into leftovers change less */
#define PROOFS_FIRST 4u
#define PROOFS_EVERY 32u
#define CONSTANTS_FIRST 4u
#define STRUCTURES_FIRST 16u /* births of a site that are asked */

void examine_birth(const struct site *site, uintptr_t start, struct object_origin *origin)
{
    struct content_sample sample;
    bool asks = !site->fills || origin->birth <= STRUCTURES_FIRST;
    if (asks && !site->is_structure && !origin->is_defined &&
        content_sample_take_newborn(&sample, start, site->record->size_bytes)) {
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
    bool shown = origin->has_marks && (unsigned)__builtin_popcount(lines) >= FILLED_LINES;
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
    bool asks = site->constants < CONSTANTS_FIRST || birth % PROOFS_EVERY == 0 || config.digest_full;
    if (!asks || !content_may_read_whole(sample->size_bytes)) {
        return true;
    }
    if (!content_is_constant(start, sample->size_bytes, *word)) {
        return false;
    }
    site->constants++;
    return true;
}

/* One object on its way through its site's history. */
struct examined {
    uintptr_t start;
    const struct content_sample *sample;
    uint32_t birth;
    uint64_t digest;
    uint32_t proof; /* of the whole content, 0 when not made */
};

static bool is_whole(const struct content_sample *sample)
{
    return sample->bytes == sample->size_bytes;
}

/* Of a whole content's digest; never 0. */
static uint32_t proof_of(uint64_t whole)
{
    return (uint32_t)(whole >> 32) | 1;
}

static void prove(struct examined *object)
{
    uint64_t digest = 0;
    if (object->proof == 0 && content_digest(object->start, object->sample->size_bytes, &digest)) {
        object->proof = proof_of(digest);
    }
}

/*
 * Samples are proved by whole contents: of the first objects, for where there are few each counts; of the first few that
 * match, then of one at every so many births. That is held against the last proof of those it equals: what changed since, and stayed, shows.
 * Large ones only where a match asks for it.
 */
static bool wants_proof(const struct site *site, const struct examined *object, int match)
{
    if (is_whole(object->sample) || site->distrusted || !content_may_prove(object->sample->size_bytes)) {
        return false;
    }
    if (match < 0) {
        return object->birth <= PROOFS_FIRST && content_may_read_whole(object->sample->size_bytes);
    }
    return config.digest_full || site->proofs < PROOFS_FIRST || object->birth % PROOFS_EVERY == 0;
}

static void note_period(struct site *site)
{
    uint32_t votes = 0;
    uint32_t period = distances_commonest(&sites_history(site)->distances, &votes);
    __atomic_store_n(&site->record->period, period, __ATOMIC_RELAXED);
    __atomic_store_n(&site->record->period_replicas, votes, __ATOMIC_RELAXED);
}

static void use_whole(struct examined *object)
{
    uint64_t whole = 0;
    if (content_digest(object->start, object->sample->size_bytes, &whole)) {
        object->digest = whole;
    }
}

/*
 * Equal samples, other contents: what equal samples alone have said of this site is taken back, and they are not asked again. Of those
 * it is open whether they were new; where samples differed, contents did.
 */
static void distrust(struct site *site, struct examined *object)
{
    struct db_site *record = site->record;
    uint64_t unknown = site->unproved;
    site->distrusted = true;
    site->unproved = 0;
    process_count(&record->replicas, (uint64_t)0 - unknown);
    process_count(&record->examined, (uint64_t)0 - unknown);
    sites_skip(site, unknown);
    distances_forget(&sites_history(site)->distances);
    when_new_forget(record);
    note_period(site);
    use_whole(object);
}

static void count_replica(struct site *site, struct examined *object, int match)
{
    struct history *history = sites_history(site);
    uint32_t other = history->births[match];
    bool agrees = object->proof != 0 && history->believed[match] == object->proof;
    bool proved = is_whole(object->sample) || site->distrusted || agrees;
    site->proofs += proved ? 1 : 0;
    site->unproved += proved ? 0 : 1;
    if (agrees) { /* so did all in between */
        uint32_t pending = history->pending[match];
        site->unproved -= pending < site->unproved ? pending : site->unproved;
    }
    if (other > object->birth) {
        history->replicas[match] = true;
        when_new_forget(site->record);
    }
    distances_vote(&history->distances, other < object->birth ? object->birth - other : other - object->birth);
    process_count(&site->record->replicas, 1);
    note_period(site);
    atomic_store(&site->last_match, sites_births(site));
}

/*
 * By its whole content: among those since samples were distrusted, and among the earlier ones that were proved. Of others only samples
 * are known: if one of these is its own, it is open whether it is new.
 */
static int find_whole(const struct site *site, const struct examined *object, uint64_t sampled, bool *is_open)
{
    const struct history *history = sites_history(site);
    int match = history_find(history, object->digest, object->birth);
    if (match < 0) {
        match = history_find_proved(history, sampled, proof_of(object->digest), object->birth);
    }
    *is_open = match < 0 && history_find_proved(history, sampled, 0, object->birth) >= 0;
    return match;
}

/* As if it had not been looked at, but for those that follow. */
static void leave_open(struct site *site)
{
    process_count(&site->record->examined, (uint64_t)0 - 1);
    sites_skip(site, 1);
}

/* True when the object itself is the replica: the later born of the two. */
static bool judge(struct site *site, struct examined *object)
{
    struct history *history = sites_history(site);
    uint64_t sampled = object->digest;
    bool is_open = false;
    if (site->distrusted && !content_may_read_whole(object->sample->size_bytes)) {
        leave_open(site);
        return false;
    }
    if (site->distrusted) {
        use_whole(object);
    }
    int match = site->distrusted ? find_whole(site, object, sampled, &is_open)
                                 : history_find(history, object->digest, object->birth);
    if (wants_proof(site, object, match)) {
        prove(object);
    }
    if (match >= 0 && object->proof != 0 && history->believed[match] != 0 &&
        object->proof != history->believed[match]) {
        distrust(site, object);
        match = -1;
    }
    bool is_replica = match >= 0 && history->births[match] < object->birth;
    if (match >= 0) {
        count_replica(site, object, match);
    } else if (is_open) {
        leave_open(site);
    } else {
        when_new_note(site, object->birth, object->sample);
    }
    uint32_t entry = history_add(history, object->digest, object->proof, object->birth, match, is_replica);
    history->pending[entry] += match >= 0 && object->proof == 0 ? 1 : 0;
    return is_replica;
}

static void compare(struct site *site, const struct object *object, const struct content_sample *sample,
                    uintptr_t start)
{
    struct examined examined = {
        .start = start, .sample = sample, .birth = object->origin.birth, .digest = content_sample_digest(sample)};
    struct recent_object recent = {.digest = examined.digest,
                                   .birth = object->serial,
                                   .death = object_map_last_serial(),
                                   .site = object->origin.site};
    if (sites_lock(site)) {
        recent.is_counted = judge(site, &examined);
        recent.digest = examined.digest;
        sites_unlock(site);
    }
    recent_meet(&recent);
}

/*
 * The object just seen is full of addresses: what was said of the contents of the site's objects is taken back. What they are is
 * told by when they were born and ended, as everybody's: which of them are workspaces is asked as before.
 */
static void set_aside(struct site *site)
{
    struct db_site *record = site->record;
    uint64_t *parts[] = {&record->examined, &record->unfilled, &record->constant,        &record->zero,
                         &record->alike,    &record->replicas, &record->period_replicas, &record->copies};
    site->is_structure = true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        __atomic_store_n(parts[i], 0, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&record->period, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_step, 0, __ATOMIC_RELAXED);
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
    process_count(&site->record->alike, word == history->constant ? 1 : 0);
    sites_unlock(site);
}

/* Before it, births were passed over: whether it is new is unknown, so it counts for nothing but those that follow. */
static void prime(struct site *site, const struct object *object, const struct content_sample *sample, uintptr_t start)
{
    uint64_t word = 0;
    struct examined primer = {.start = start, .sample = sample, .digest = content_sample_digest(sample)};
    sites_skip(site, 1);
    if (content_sample_is_constant(sample, &word) || !sites_lock(site)) {
        return;
    }
    if (site->distrusted && content_may_read_whole(sample->size_bytes)) {
        use_whole(&primer);
    }
    struct history *history = sites_history(site);
    int match = history_find(history, primer.digest, object->origin.birth);
    history_add(history, primer.digest, 0, object->origin.birth, match, true);
    sites_unlock(site);
}

void examine_end(struct site *site, const struct object *object, uintptr_t start)
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
    compare(site, object, &sample, start);
}
