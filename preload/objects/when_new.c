#include "objects/when_new.h"

#define ROUNDS_PASSED_MAX 4u

void when_new_forget(struct db_site *record)
{
    __atomic_store_n(&record->new_last, UINT32_MAX, __ATOMIC_RELAXED);
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The first distance does not count: a program may begin anywhere in its first round. Nor does one of which an end is not known. */
static void write_record(struct db_site *record, const struct history_burst *burst)
{
    uint32_t step = burst->step, bursts = burst->bursts + 1;
    uint32_t first = burst->bursts > 0 ? burst->first : burst->begun, last = burst->last;
    if (bursts > 2 && !burst->is_late && !burst->follows_late) {
        uint32_t begun = burst->begun, other = burst->previous;
        step = common_divisor(begun > other ? begun - other : other - begun, burst->step);
    }
    for (unsigned i = 0; i < burst->known; i++) {
        first = burst->births[i] < first ? burst->births[i] : first;
        last = burst->births[i] > last ? burst->births[i] : last;
    }
    __atomic_store_n(&record->new_step, step, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_bursts, bursts, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_last, last, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_growing, burst->growing, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_other, burst->other, __ATOMIC_RELAXED);
}

/*
 * Behind an equal one, and a period or more behind the new one before, it begins a burst, as the first of all does. Within a period: objects
 * of one pass may end when others of the next one have.
 */
static bool begins_burst(const struct db_site *record, const struct history_new *newest, uint32_t birth)
{
    uint32_t distance = birth > newest->birth ? birth - newest->birth : newest->birth - birth;
    return newest->birth == 0 || (record->replicas != newest->replicas && distance >= record->period);
}

/* Of the last contents of a burst, no more than a period has births, those one right after the other: the birth of their first, as they ended. */
static uint32_t begin_of_last(const struct history_new *newest, uint32_t most)
{
    const struct history_burst *burst = &newest->burst;
    if (burst->known == 0 || burst->known == HISTORY_BURST_KNOWN) {
        return newest->birth - most + 1;
    }
    unsigned at = burst->known - 1u, first = burst->known > most ? burst->known - most : 0;
    while (at > first &&
           (burst->births[at - 1] + 1 == burst->births[at] || burst->births[at - 1] == burst->births[at] + 1)) {
        at--;
    }
    return burst->births[at];
}

/*
 * A first burst of more contents than a period has births is two: a program may begin late in its first round, whose contents are followed by
 * those of the second then.
 */
static void part_first_burst(struct db_site *record, struct history_new *newest)
{
    const uint64_t contents = record->examined - record->constant - record->replicas - 1;
    const uint32_t most = record->period > 1 ? record->period : 1;
    if (record->new_bursts == 1 && contents > most && newest->birth >= most) {
        newest->burst.begun = begin_of_last(newest, most);
        __atomic_store_n(&record->new_bursts, 2, __ATOMIC_RELAXED);
    }
}

static void add_to_burst(struct history_burst *burst, uint32_t birth)
{
    if (burst->known < HISTORY_BURST_KNOWN) {
        burst->births[burst->known++] = birth;
    } else {
        burst->last = birth > burst->last ? birth : burst->last;
    }
}

static void count_one(uint16_t *count)
{
    if (*count < UINT16_MAX) {
        ++*count;
    }
}

/*
 * Rounds that make all again that those before made, and as many new ones each time, are longer by these from one to the next. In some of them
 * there may be nothing new, as an ensemble may choose a member again: the births of that many rounds; 0, it is none.
 */
static uint32_t rounds_passed(const struct history_burst *before, uint32_t distance)
{
    uint32_t rounds = 0, births = 0;
    while (rounds < ROUNDS_PASSED_MAX && births < distance) {
        rounds++;
        births += before->round + rounds * before->known;
    }
    return births == distance && before->known < HISTORY_BURST_KNOWN ? rounds : 0;
}

static void note_growth(const struct db_site *record, struct history_burst *burst, const struct history_burst *before)
{
    uint32_t distance = burst->begun > before->begun ? burst->begun - before->begun : 0;
    uint32_t rounds = before->bursts > 0 && before->round > 0 ? rounds_passed(before, distance) : 0;
    burst->growing = before->growing;
    burst->other = before->other;
    burst->round = rounds > 0 ? before->round + rounds * before->known : distance;
    if (before->bursts > 0 &&
        __atomic_load_n(&record->looked_at, __ATOMIC_RELAXED) >= __atomic_load_n(&record->births, __ATOMIC_RELAXED)) {
        count_one(rounds > 0 ? &burst->growing : &burst->other);
    }
}

static void note_birth(struct db_site *record, struct history_new *newest, uint32_t birth, bool is_late)
{
    if (record->new_last == UINT32_MAX) {
        return;
    }
    if (begins_burst(record, newest, birth)) {
        part_first_burst(record, newest);
        newest->before = newest->burst;
        newest->burst = (struct history_burst){.begun = birth,
                                               .previous = newest->before.begun,
                                               .step = record->new_step,
                                               .first = record->new_first,
                                               .last = record->new_last,
                                               .bursts = record->new_bursts,
                                               .is_late = is_late,
                                               .follows_late = newest->before.is_late};
        note_growth(record, &newest->burst, &newest->before);
    }
    newest->birth = birth;
    newest->replicas = record->replicas;
    add_to_burst(&newest->burst, birth);
    write_record(record, &newest->burst);
}

/*
 * Of the contents of one pass some may end with it, and others in reverse, when all passes have: these seemed to begin a burst of their own, and
 * are of that before.
 */
static void join_bursts(const struct db_site *record, struct history_new *newest)
{
    struct history_burst *burst = &newest->burst, *before = &newest->before;
    uint32_t distance = burst->begun > before->begun ? burst->begun - before->begun : before->begun - burst->begun;
    if (before->known == 0 || distance >= record->period) {
        return;
    }
    before->begun = burst->begun < before->begun ? burst->begun : before->begun;
    before->is_late = before->is_late || burst->is_late;
    for (unsigned i = 0; i < burst->known; i++) {
        add_to_burst(before, burst->births[i]);
    }
    *burst = *before;
    before->known = 0;
}

static uint32_t least_of(const struct history_burst *burst)
{
    uint32_t least = burst->births[0];
    for (unsigned i = 1; i < burst->known; i++) {
        least = burst->births[i] < least ? burst->births[i] : least;
    }
    return least;
}

/* Of those that are known; the number of them that there are where it is none. */
static unsigned find_in_burst(const struct history_burst *burst, uint32_t birth)
{
    unsigned at = 0;
    while (at < burst->known && burst->births[at] != birth) {
        at++;
    }
    return at;
}

void when_new_move(struct site *site, uint32_t from, uint32_t to)
{
    struct history_new *newest = &sites_history(site)->newest;
    struct history_burst *burst = &newest->burst;
    unsigned at = find_in_burst(burst, from);
    if (site->record->new_last == UINT32_MAX) {
        return;
    }
    if (at == burst->known) {
        when_new_forget(site->record);
        return;
    }
    burst->births[at] = to;
    newest->birth = newest->birth == from ? to : newest->birth;
    burst->begun = least_of(burst);
    join_bursts(site->record, newest);
    write_record(site->record, burst);
}

/* As if the burst had not begun: the next one follows that before. */
static void cancel_burst(struct db_site *record, struct history_new *newest)
{
    const struct history_burst burst = newest->burst;
    newest->burst = newest->before;
    newest->before.known = 0;
    __atomic_store_n(&record->new_step, burst.step, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_bursts, burst.bursts, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_first, burst.first, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_last, burst.last, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_growing, newest->burst.growing, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_other, newest->burst.other, __ATOMIC_RELAXED);
}

void when_new_drop(struct site *site, uint32_t birth)
{
    struct history_new *newest = &sites_history(site)->newest;
    struct history_burst *burst = &newest->burst;
    unsigned at = find_in_burst(burst, birth);
    if (site->record->new_last == UINT32_MAX) {
        return;
    }
    if (at == burst->known || burst->bursts == 0 || newest->before.known == 0) {
        when_new_forget(site->record);
        return;
    }
    burst->births[at] = burst->births[--burst->known];
    if (burst->known == 0) {
        cancel_burst(site->record, newest);
    } else {
        burst->begun = least_of(burst);
        write_record(site->record, burst);
    }
}

void when_new_take_back(struct site *site, uint64_t replicas)
{
    sites_history(site)->newest.replicas -= replicas; /* modulo 2^64: it is asked only whether any were counted since */
}

void when_new_note(struct site *site, uint32_t birth, const struct content_sample *sample, bool is_late)
{
    note_birth(site->record, &sites_history(site)->newest, birth, is_late);
    if (site->measured < DB_NEW_MEASURED) {
        site->measured++;
        if (content_sample_has_digits(sample)) {
            __atomic_store_n(&site->record->new_digits, site->record->new_digits + 1, __ATOMIC_RELAXED);
        }
    }
}
