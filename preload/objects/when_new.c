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
static void note_birth(struct db_site *record, uint32_t birth)
{
    uint32_t last = __atomic_load_n(&record->new_last, __ATOMIC_RELAXED);
    if (birth <= last) {
        when_new_forget(record);
        return;
    }
    if (last == 0) {
        __atomic_store_n(&record->new_first, birth, __ATOMIC_RELAXED);
    } else if (last != record->new_first) {
        __atomic_store_n(&record->new_step, common_divisor(birth - last, record->new_step), __ATOMIC_RELAXED);
    }
    __atomic_store_n(&record->new_last, birth, __ATOMIC_RELAXED);
}

void when_new_note(struct site *site, uint32_t birth, const struct content_sample *sample)
{
    note_birth(site->record, birth);
    if (site->measured < DB_NEW_MEASURED) {
        site->measured++;
        if (content_sample_has_digits(sample)) {
            __atomic_store_n(&site->record->new_digits, site->record->new_digits + 1, __ATOMIC_RELAXED);
        }
    }
}
