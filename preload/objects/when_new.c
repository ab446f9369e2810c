#include "objects/when_new.h"

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
static void write_record(struct db_site *record, const struct history_new *newest)
{
    uint32_t birth = newest->birth, step = newest->step, bursts = newest->bursts;
    uint32_t first = newest->bursts > 0 && newest->first < birth ? newest->first : birth;
    if (newest->begun == birth) {
        uint32_t other = newest->previous, distance = birth > other ? birth - other : other - birth;
        bursts = newest->bursts + 1;
        step = bursts > 2 && !newest->is_late && !newest->follows_late ? common_divisor(distance, newest->step) : step;
    }
    __atomic_store_n(&record->new_step, step, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_bursts, bursts, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_last, birth > newest->last ? birth : newest->last, __ATOMIC_RELAXED);
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

/*
 * A first burst of more contents than a period has births is two: a program may begin late in its first round, whose contents are followed by
 * those of the second then.
 */
static void part_first_burst(struct db_site *record, struct history_new *newest)
{
    const uint64_t contents = record->examined - record->constant - record->replicas - 1;
    const uint32_t most = record->period > 1 ? record->period : 1;
    if (record->new_bursts == 1 && contents > most && newest->birth >= most) {
        newest->begun = newest->birth - most + 1;
        __atomic_store_n(&record->new_bursts, 2, __ATOMIC_RELAXED);
    }
}

static void note_birth(struct db_site *record, struct history_new *newest, uint32_t birth, bool is_late)
{
    if (record->new_last == UINT32_MAX) {
        return;
    }
    const bool begins = begins_burst(record, newest, birth);
    if (begins) {
        part_first_burst(record, newest);
    }
    *newest = (struct history_new){.birth = birth,
                                   .begun = begins ? birth : newest->begun,
                                   .previous = begins ? newest->begun : newest->previous,
                                   .step = record->new_step,
                                   .first = record->new_first,
                                   .last = record->new_last,
                                   .bursts = record->new_bursts,
                                   .replicas = record->replicas,
                                   .is_late = begins ? is_late : newest->is_late,
                                   .follows_late = begins ? newest->is_late : newest->follows_late};
    write_record(record, newest);
}

void when_new_move(struct site *site, uint32_t from, uint32_t to)
{
    struct history_new *newest = &sites_history(site)->newest;
    if (site->record->new_last == UINT32_MAX) {
        return;
    }
    if (newest->birth != from) {
        when_new_forget(site->record);
        return;
    }
    newest->begun = newest->begun == from ? to : newest->begun;
    newest->birth = to;
    write_record(site->record, newest);
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
