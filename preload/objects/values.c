#include "objects/values.h"

#include <stdatomic.h>
#include <string.h>

#include "config.h"
#include "ledger/ledger.h"
#include "objects/binary_float.h"
#include "process.h"
#include "stack/guard.h"

#define WORD_BYTES 8u
#define LINES (DB_CONTENT_BYTES / DB_CONTENT_LINE_BYTES)
#define LINE_ALIGNMENT ((size_t)32) /* four elements of 8 bytes: what is stored can be cut into whole blocks of four */
#define STORED_MIN_BYTES DB_FAR_MIN_BYTES

/* IEEE 754, binary32 and binary64. */
#define FLOAT32_INFINITE UINT32_C(0x7f800000)
#define FLOAT32_QUIET_NAN UINT32_C(0x7fc00000) /* what x86-64 makes of 0/0 */
#define FLOAT64_INFINITE UINT64_C(0x7ff0000000000000)
#define FLOAT64_QUIET_NAN UINT64_C(0x7ff8000000000000)

static _Atomic uint32_t records[SITES_MAX]; /* ids by the site's place; 0: none as yet */
static atomic_bool refused;                 /* no room in the file: it is not asked again */

void values_reset_child(void)
{
    memset((void *)records, 0, sizeof records);
    atomic_store(&refused, false);
}

/* Of the site, which the caller has locked. */
static struct db_content *record_of(const struct site *site)
{
    _Atomic uint32_t *place = &records[site - sites_at(1)];
    uint32_t id = atomic_load(place);
    if (id != 0) {
        return ledger_record(DB_KIND_CONTENT, id);
    }
    struct db_content *record = atomic_load(&refused) ? NULL : ledger_claim(DB_KIND_CONTENT, &id);
    if (record == NULL) {
        atomic_store(&refused, true);
        return NULL;
    }
    record->site = site->id;
    record->float32.lowest = record->float64.lowest = UINT64_MAX;
    ledger_publish(record);
    atomic_store(place, id);
    return record;
}

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t scatter(uint64_t number)
{
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

/* One line of each of LINES equal parts: what repeats itself in rows must not fall into step with them. */
static size_t line_offset(size_t size_bytes, uint32_t birth, unsigned line)
{
    size_t part = size_bytes / LINES / LINE_ALIGNMENT * LINE_ALIGNMENT;
    size_t places = (part - DB_CONTENT_LINE_BYTES) / LINE_ALIGNMENT + 1;
    return part * line + scatter((uint64_t)birth << 32 | line) % places * LINE_ALIGNMENT;
}

/* The bytes read; 0 where they could not be. */
static uint32_t take(uint8_t *bytes, uintptr_t start, size_t size_bytes, uint32_t birth)
{
    if (size_bytes <= DB_CONTENT_BYTES) {
        return guard_copy(bytes, (const void *)start, size_bytes) ? (uint32_t)size_bytes : 0;
    }
    for (unsigned i = 0; i < LINES; i++) {
        const void *line = (const void *)(start + line_offset(size_bytes, birth, i));
        if (!guard_copy(bytes + (size_t)i * DB_CONTENT_LINE_BYTES, line, DB_CONTENT_LINE_BYTES)) {
            return 0;
        }
    }
    return DB_CONTENT_BYTES;
}

/* Of a number that is not all zero bits. */
static void range_add(struct db_range *range, uint64_t size, uint64_t infinite)
{
    if (size == 0) {
        range->negative_zeros++;
    } else if (size > infinite) {
        range->nan++;
    } else if (size == infinite) {
        range->infinite++;
    } else {
        range->lowest = size < range->lowest ? size : range->lowest;
        range->highest = size > range->highest ? size : range->highest;
    }
}

/* `size`: its bits but the sign. */
static bool is_usual32(uint32_t size)
{
    return size == 0 || binary32_is_usual(size) || size == FLOAT32_INFINITE || size == FLOAT32_QUIET_NAN;
}

static bool is_usual64(uint64_t size)
{
    return size == 0 || binary64_is_usual(size) || size == FLOAT64_INFINITE || size == FLOAT64_QUIET_NAN;
}

static void count_half(struct db_content *record, uint32_t half, unsigned which)
{
    uint32_t size = half & BINARY32_SIZE;
    if (half == 0) {
        record->zero_halves[which]++;
        return;
    }
    record->floats[which] += is_usual32(size);
    record->shorts[which] += (int32_t)half == (int16_t)half;
    range_add(&record->float32, size, FLOAT32_INFINITE);
    if ((half & 0xffff) != 0) {
        record->fractions++;
        record->fraction_bits[0] += half >> 15 & 1;
        record->fraction_bits[1] += half >> 14 & 1;
        record->fraction_bits[2] += half >> 7 & 1;
    }
}

static void count_word(struct db_content *record, uint64_t word)
{
    uint64_t size = word & BINARY64_SIZE;
    record->words++;
    count_half(record, (uint32_t)word, 0);
    count_half(record, (uint32_t)(word >> 32), 1);
    if (word == 0) {
        record->zero_words++;
        return;
    }
    record->doubles += is_usual64(size);
    record->whole += (int64_t)word == (int32_t)word;
    if ((word & UINT64_C(0xfefefefefefefefe)) == 0) {
        record->flags[0]++;
        record->flags[1] += (word & UINT64_C(0xffffff00ffffff00)) != 0;
    }
    range_add(&record->float64, size, FLOAT64_INFINITE);
}

/* Element `i`, of 4 or 8 bytes. */
static uint64_t element(const uint8_t *bytes, uint32_t i, uint32_t width)
{
    uint64_t value = 0;
    memcpy(&value, bytes + (size_t)i * width, width);
    return value;
}

/* -0.0, which masked gradients are full of, is 0; the least of the whole numbers has its bits, and is left out with it. */
static bool is_zero(uint64_t value, uint32_t width)
{
    return value << (64 - 8 * width + 1) == 0;
}

/*
 * How many elements equal the value that most of those that are not 0 have; 0 where none is most. The only candidate is found
 * by pairing off different ones (Boyer, Moore: MJRTY, 1981).
 */
static uint64_t count_repeated(const uint8_t *bytes, uint32_t count, uint32_t width)
{
    uint64_t candidate = 0, equal = 0, others = 0;
    uint32_t lead = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = element(bytes, i, width);
        if (is_zero(value, width)) {
            continue;
        }
        candidate = lead == 0 ? value : candidate;
        lead += value == candidate ? 1u : -1u;
    }
    for (uint32_t i = 0; i < count && lead != 0; i++) {
        uint64_t value = element(bytes, i, width);
        equal += value == candidate;
        others += value != candidate && !is_zero(value, width);
    }
    return equal > others ? equal : 0;
}

void values_count(struct db_content *record, const uint8_t *bytes, uint32_t length_bytes)
{
    uint32_t words = length_bytes / WORD_BYTES;
    for (uint32_t i = 0; i < words; i++) {
        count_word(record, element(bytes, i, WORD_BYTES));
    }
    record->float32.repeated += count_repeated(bytes, words * 2, WORD_BYTES / 2);
    record->float64.repeated += count_repeated(bytes, words, WORD_BYTES);
}

/* Of the 1st, 4th, 16th and 64th object: training changes what its places make. */
static void store(struct db_content *record, const uint8_t *bytes, uint32_t length_bytes)
{
    for (unsigned i = 0; i < DB_CONTENT_SAMPLES; i++) {
        if (record->objects == UINT64_C(1) << 2 * i) {
            __atomic_store_n(&record->samples[i], ledger_blob(bytes, length_bytes), __ATOMIC_RELEASE);
        }
    }
}

static void note(struct site *site, const uint8_t *bytes, uint32_t length_bytes)
{
    struct db_content *record = record_of(site);
    if (record == NULL) {
        return;
    }
    values_count(record, bytes, length_bytes);
    record->objects++;
    if (config.content == CONFIG_CONTENT_SAMPLES && site->record->size_bytes >= STORED_MIN_BYTES) {
        store(record, bytes, length_bytes);
    }
}

void values_note(struct site *site, uintptr_t start, uint32_t birth)
{
    uint8_t bytes[DB_CONTENT_BYTES];
    uint32_t length_bytes =
        config.content != CONFIG_CONTENT_OFF ? take(bytes, start, site->record->size_bytes, birth) : 0;
    if (length_bytes != 0 && sites_lock(site)) {
        note(site, bytes, length_bytes);
        sites_unlock(site);
    }
}
