#include "objects/judge.h"

#include "objects/when_new.h"
#include "process.h"

/*
 * Proofs of samples: of each of the first births, then of one in 4, in 8, ..., so that what is open behind the last is a small
 * part of all; of large buffers more rarely from the first on.
 */
#define PROVED_ALL_BIRTHS 63u
#define PROVED_EASILY_BYTES (UINT64_C(1) << 20)
#define PROOFS_SPARSEST_BITS 5u

#define PROOFS_FIRST 4u
#define AGREED_FIRST 2u        /* proofs of the equals of one content, as soon as they come... */
#define CONTENT_PROOFS 8u      /* ... where no more than one birth in so many is read whole for that, */
#define CONTENT_PROOFS_FREE 8u /* beside the first ones */

/* In how many steps does `least`, doubled at each, come to the number? */
static uint32_t doublings(uint64_t least, uint64_t number)
{
    uint32_t steps = 0;
    while (steps < PROOFS_SPARSEST_BITS && least < number) {
        least *= 2;
        steps++;
    }
    return steps;
}

bool judge_proves(uint32_t birth, size_t size_bytes)
{
    uint32_t late = doublings(PROVED_ALL_BIRTHS, birth), bits = doublings(PROVED_EASILY_BYTES, size_bytes);
    bits += late > 0 ? late + 1 : 0;
    uint32_t hash = birth * UINT32_C(0x9E3779B1);
    return hash <= UINT32_MAX >> (bits < PROOFS_SPARSEST_BITS ? bits : PROOFS_SPARSEST_BITS);
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
 * New as it seems: one in some births is there for its equal to be held against. Where none was equal yet, the first few alone:
 * by birth, and by end, for a list is emptied from its last.
 */
static bool wants_ground(const struct site *site, const struct examined *object)
{
    bool is_first = object->birth <= PROOFS_FIRST || sites_history(site)->next < PROOFS_FIRST;
    bool is_asked = __atomic_load_n(&site->record->replicas, __ATOMIC_RELAXED) > 0 &&
                    judge_proves(object->birth, object->sample->size_bytes);
    return (is_asked || is_first) && content_may_read_whole(object->sample->size_bytes);
}

/* Each content that comes again has its turn, also where one comes round after as many births as are between proofs. */
static bool wants_content_proof(struct history *history, const struct examined *object, int match)
{
    if (history->agreed[match] >= AGREED_FIRST ||
        history->content_proofs > CONTENT_PROOFS_FREE + object->birth / CONTENT_PROOFS) {
        return false;
    }
    history->content_proofs++;
    return true;
}

/*
 * Samples are proved by whole contents: of the first few that match, of one at every so many births, of the first few of each
 * content, and of what equals one that was proved alone. That is held against the last proof of those it equals: what changed
 * since, and stayed, shows. Large ones only where a match asks for it.
 */
static bool wants_proof(const struct site *site, const struct examined *object, int match)
{
    struct history *history = sites_history(site);
    if (object->is_whole || !content_may_prove(object->sample->size_bytes)) {
        return false;
    }
    if (match < 0) {
        return wants_ground(site, object);
    }
    bool is_first = history->believed[match] != 0 && history->agreed[match] == 0;
    return object->is_last || is_first || site->proofs < PROOFS_FIRST ||
           judge_proves(object->birth, object->sample->size_bytes) || wants_content_proof(history, object, match);
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
    if (!object->is_whole && content_digest(object->start, object->sample->size_bytes, &whole)) {
        object->digest = whole;
        object->is_whole = true;
        object->proof = proof_of(whole);
    }
}

struct examined judge_object(const struct object *object, const struct content_sample *sample, uintptr_t start)
{
    struct examined examined = {.start = start,
                                .sample = sample,
                                .birth = object->origin.birth,
                                .digest = content_sample_digest(sample),
                                .is_whole = sample->bytes == sample->size_bytes};
    if (content_is_digested_whole(sample->size_bytes)) {
        use_whole(&examined);
    }
    return examined;
}

/*
 * Equal samples, other contents: what equal samples alone have said of this site is taken back, and they are not asked again. Of those
 * it is open whether they were new; where samples differed, contents did. So it is at the end where none was ever proved.
 */
static void take_back(struct site *site)
{
    struct db_site *record = site->record;
    uint64_t unknown = site->unproved;
    site->unproved = 0;
    process_count(&record->replicas, (uint64_t)0 - unknown);
    process_count(&record->examined, (uint64_t)0 - unknown);
    __atomic_fetch_add(&record->undecided, (uint32_t)unknown, __ATOMIC_RELAXED);
    sites_skip(site, unknown);
    distances_take_back(&sites_history(site)->distances, unknown);
    when_new_take_back(site, unknown);
    note_period(site);
}

static void distrust(struct site *site, struct examined *object)
{
    site->distrusted = true;
    take_back(site);
    if (!content_may_read_whole(object->sample->size_bytes)) {
        when_new_forget(site->record); /* for it will not be known of those that follow */
    }
    use_whole(object);
}

void judge_finish(struct site *site)
{
    if (site->proofs == 0 && site->unproved > 0) {
        take_back(site);
        when_new_forget(site->record);
    }
}

/* The object equals the one of an entry. */
static void note_known(struct site *site, const struct examined *object, int match)
{
    struct history *history = sites_history(site);
    struct db_site *record = site->record;
    uint32_t before = record->last_known;
    bool is_out_of_sight = before != 0 && object->birth > before &&
                           object->birth - before > db_out_of_sight(object->birth, record->period);
    if (object->birth > before) {
        __atomic_store_n(&record->last_known, object->birth, __ATOMIC_RELAXED);
    }
    if (!history->recurs[match] || is_out_of_sight) {
        history->recurs[match] = true;
        __atomic_store_n(&record->recurring, record->recurring + 1, __ATOMIC_RELAXED);
        if (record->recurring_digits < UINT16_MAX && content_sample_has_digits(object->sample)) {
            __atomic_store_n(&record->recurring_digits, record->recurring_digits + 1, __ATOMIC_RELAXED);
        }
    }
}

static void count_replica(struct site *site, struct examined *object, int match)
{
    struct history *history = sites_history(site);
    uint32_t other = history->births[match];
    bool agrees = object->proof != 0 && history->believed[match] == object->proof;
    bool proved = object->is_whole || agrees;
    if (proved && site->proofs < PROOFS_FIRST) {
        site->proofs++;
    }
    site->unproved += proved ? 0 : 1;
    if (agrees) { /* so did all in between */
        uint32_t pending = history->pending[match];
        site->unproved -= pending < site->unproved ? pending : site->unproved;
    }
    if (other > object->birth && history->roles[match] == HISTORY_NEW) {
        history->roles[match] = HISTORY_REPLICA;
        when_new_move(site, other, object->birth);
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
    __atomic_fetch_add(&site->record->undecided, 1, __ATOMIC_RELAXED);
    sites_skip(site, 1);
}

bool judge(struct site *site, struct examined *object)
{
    struct history *history = sites_history(site);
    uint64_t sampled = object->digest;
    bool is_open = false, is_late = false;
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
        is_late = history->proofs[match] == 0;
        distrust(site, object);
        match = -1;
    }
    bool is_replica =
        match >= 0 && (history->births[match] < object->birth || history->roles[match] == HISTORY_REPLICA);
    if (match >= 0) {
        note_known(site, object, match);
        count_replica(site, object, match);
    } else if (is_open || !history_reaches(history, object->birth)) {
        leave_open(site);
    } else {
        when_new_note(site, object->birth, object->sample, is_late);
    }
    uint32_t entry = history_add(history, object->digest, object->proof, object->birth, match,
                                 is_replica ? HISTORY_REPLICA : HISTORY_NEW);
    history->pending[entry] += match >= 0 && object->proof == 0 ? 1 : 0;
    return is_replica;
}

void judge_prove_wanted(struct site *site, struct examined *object)
{
    uint32_t wanted = atomic_load_explicit(&site->wanted, memory_order_relaxed);
    if (wanted > 0) {
        atomic_store_explicit(&site->wanted, (uint8_t)(wanted - 1), memory_order_relaxed);
        if (!object->is_whole && content_may_prove(object->sample->size_bytes)) {
            prove(object);
        }
    }
}

/* Does it equal one that is remembered, which is noted, or may it? What differs in samples alone is sure to differ. */
static bool is_known(struct site *site, struct examined *object)
{
    const struct history *history = sites_history(site);
    uint64_t sampled = object->digest;
    bool is_open = false;
    if (site->distrusted && !content_may_read_whole(object->sample->size_bytes)) {
        return true;
    }
    if (site->distrusted) {
        use_whole(object);
    }
    int match = find_whole(site, object, sampled, &is_open);
    if (match >= 0) {
        note_known(site, object, match);
    }
    return match >= 0 || is_open || !history_reaches(history, object->birth);
}

void judge_glance(struct site *site, struct examined *object)
{
    struct history *history = sites_history(site);
    if (is_known(site, object)) {
        return;
    }
    bool differs = history->glanced_birth == object->birth - 1 && history->glanced != object->digest;
    __atomic_fetch_or(&site->record->unlike, DB_UNLIKE_BEFORE | (differs ? DB_UNLIKE_NEXT : 0), __ATOMIC_RELAXED);
    history->glanced = object->digest;
    history->glanced_birth = object->birth;
}

void judge_primer(struct site *site, struct examined *primer)
{
    struct history *history = sites_history(site);
    if (site->distrusted && content_may_read_whole(primer->sample->size_bytes)) {
        use_whole(primer);
    }
    int later = history_find_later_new(history, primer->digest, primer->birth);
    if (later >= 0) { /* a list is emptied from its end */
        note_known(site, primer, later);
        count_replica(site, primer, later);
        when_new_drop(site, primer->birth); /* where that content was seen first */
    }
    int match = history_find(history, primer->digest, primer->birth);
    if (match >= 0) {
        note_known(site, primer, match);
    }
    history_add(history, primer->digest, 0, primer->birth, match, HISTORY_PRIMER);
}
