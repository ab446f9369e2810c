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

/* The first distance does not count: a program may begin anywhere in its first round. */
static void write_record(struct db_site *record, const struct history_new *newest)
{
    uint32_t birth = newest->birth, other = newest->previous;
    uint32_t distance = birth > other ? birth - other : other - birth;
    uint32_t step = newest->notes > 2 ? common_divisor(distance, newest->step) : 0;
    uint32_t first = newest->notes > 1 && newest->first < birth ? newest->first : birth;
    __atomic_store_n(&record->new_step, step, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&record->new_last, birth > newest->last ? birth : newest->last, __ATOMIC_RELAXED);
}

static void note_birth(struct db_site *record, struct history_new *newest, uint32_t birth)
{
    if (record->new_last == UINT32_MAX) {
        return;
    }
    *newest = (struct history_new){.birth = birth,
                                   .previous = newest->birth,
                                   .notes = newest->notes < 3 ? newest->notes + 1 : 3,
                                   .step = record->new_step,
                                   .first = record->new_first,
                                   .last = record->new_last};
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
    newest->birth = to;
    write_record(site->record, newest);
}

void when_new_note(struct site *site, uint32_t birth, const struct content_sample *sample)
{
    note_birth(site->record, &sites_history(site)->newest, birth);
    if (site->measured < DB_NEW_MEASURED) {
        site->measured++;
        if (content_sample_has_digits(sample)) {
            __atomic_store_n(&site->record->new_digits, site->record->new_digits + 1, __ATOMIC_RELAXED);
        }
    }
}
