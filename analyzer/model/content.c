#include "model/content.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

#define WORDS_MIN 64u

const char *const element_names[ELEMENT_KINDS] = {
#define X(id, name, bytes) [ELEMENT_##id] = name,
    ELEMENTS(X)
#undef X
};

static const size_t element_bytes[ELEMENT_KINDS] = {
#define X(id, name, bytes) [ELEMENT_##id] = bytes,
    ELEMENTS(X)
#undef X
};

/* What the rules of content.h ask for. */
struct look {
    const struct db_content *record;
    double words;     /* that are not zero */
    double halves[2]; /* that are not zero */
};

static bool is_most(double part, double whole)
{
    return part * 100 >= whole * 99;
}

static bool is_rare(double part, double whole)
{
    return part * 100 <= whole;
}

static bool is_mixed(double part, double whole)
{
    return part * 4 >= whole && part * 4 <= whole * 3;
}

static bool is_float32_each(const struct look *look)
{
    return is_most((double)look->record->floats[0], look->halves[0]) &&
           is_most((double)look->record->floats[1], look->halves[1]);
}

static bool has_both_halves(const struct look *look)
{
    return look->halves[0] * 8 >= look->words && look->halves[1] * 8 >= look->words;
}

static bool looks_drawn(const struct db_content *record)
{
    for (size_t i = 0; i < 3; i++)
        if (!is_mixed((double)record->fraction_bits[i], (double)record->fractions))
            return false;
    return true;
}

static bool is_float32(const struct look *look)
{
    const struct db_content *record = look->record;
    bool round = is_rare((double)record->fractions, look->halves[0] + look->halves[1]);
    return has_both_halves(look) && is_float32_each(look) && (round || looks_drawn(record));
}

static bool is_float64(const struct look *look)
{
    const struct db_content *record = look->record;
    if (!is_most((double)record->doubles, look->words))
        return false;
    if (look->halves[0] * 8 < look->words)
        return is_rare((double)record->fractions, look->halves[0] + look->halves[1]);
    return is_mixed((double)record->floats[0], look->halves[0]);
}

static bool is_int64(const struct look *look)
{
    return is_most((double)look->record->whole, look->words) &&
           is_rare((double)look->record->floats[0], look->halves[0]);
}

static bool is_int32(const struct look *look)
{
    return has_both_halves(look) && is_most((double)look->record->shorts[0], look->halves[0]) &&
           is_most((double)look->record->shorts[1], look->halves[1]);
}

static bool is_flags(const struct look *look)
{
    return is_most((double)look->record->flags[0], look->words) && (double)look->record->flags[1] * 2 >= look->words;
}

enum element content_element(const struct db_content *record)
{
    struct look look = {.record = record, .words = (double)(record->words - record->zero_words)};
    for (size_t i = 0; i < 2; i++)
        look.halves[i] = (double)(record->words - record->zero_halves[i]);
    if (look.words < WORDS_MIN)
        return ELEMENT_UNKNOWN;
    if (is_flags(&look))
        return ELEMENT_FLAGS;
    if (is_int64(&look))
        return ELEMENT_INT64;
    if (is_int32(&look))
        return ELEMENT_INT32;
    if (is_float32(&look))
        return ELEMENT_FLOAT32;
    return is_float64(&look) ? ELEMENT_FLOAT64 : ELEMENT_UNKNOWN;
}

static double value32(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof(value));
    return (double)value;
}

static double value64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void add_range(struct content *content, const struct db_range *range, double (*value)(uint64_t bits))
{
    content->nan += range->nan;
    content->infinite += range->infinite;
    content->zeros += range->negative_zeros;
    if (range->lowest > range->highest)
        return;
    content->lowest = fmin(content->lowest, value(range->lowest));
    content->highest = fmax(content->highest, value(range->highest));
}

static void content_add(struct content *content, const struct db_content *record, enum element element)
{
    bool halves = element_bytes[element] == 4;
    if (content->objects == 0) {
        content->lowest = INFINITY;
        content->highest = 0;
    }
    content->objects += record->objects;
    content->elements += halves ? 2 * record->words : record->words;
    content->zeros += halves ? record->zero_halves[0] + record->zero_halves[1] : record->zero_words;
    content->repeated += halves ? record->float32.repeated : record->float64.repeated;
    if (element == ELEMENT_FLOAT32)
        add_range(content, &record->float32, value32);
    if (element == ELEMENT_FLOAT64)
        add_range(content, &record->float64, value64);
}

static void add_samples(struct compression *compression, const struct run_process *run, const struct db_content *record,
                        enum element element)
{
    for (size_t i = 0; i < DB_CONTENT_SAMPLES; i++) {
        struct run_blob blob = run_blob(run, record->samples[i]);
        if (blob.bytes != NULL && (element == ELEMENT_FLOAT32 || element == ELEMENT_FLOAT64))
            compression_add(compression, blob.bytes, blob.length_bytes, element_bytes[element]);
    }
}

static void compression_sum(struct compression *sum, const struct compression *more)
{
    sum->samples += more->samples;
    sum->raw_bits += more->raw_bits;
    sum->coded_bits += more->coded_bits;
}

static void charge(struct model *model, const struct process *process, const struct db_content *record)
{
    const struct run_table *table = &process->run->tables[DB_KIND_SITE];
    const struct site *site = &process->sites[run_index(table, record->site)];
    if (site->record == NULL || site->record->examined == 0 || record->objects == 0) /* below an import, or set aside */
        return;
    if (!node_counts(model, process, site_node(site)))
        return;
    enum element element = content_element(record);
    struct compression compression = {0};
    add_samples(&compression, process->run, record, element);
    struct line *line = site->place != NULL ? site->place->line : NULL;
    struct contents **sums[] = {&model->contents, line != NULL ? &line->contents : NULL};
    for (size_t i = 0; i < 2 && sums[i] != NULL; i++) {
        if (*sums[i] == NULL)
            *sums[i] = memory_zeroed(1, sizeof(**sums[i]));
        struct content *content = &(*sums[i])->of[element];
        content_add(content, record, element);
        compression_sum(&content->compression, &compression);
    }
}

void content_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++) {
        struct run_cursor cursor = {0};
        const struct run_table *table = &model->processes[i].run->tables[DB_KIND_CONTENT];
        for (const struct db_content *record; (record = run_next(table, &cursor)) != NULL;)
            charge(model, &model->processes[i], record);
    }
}

void content_free(struct model *model)
{
    for (size_t i = 0; i < model->line_total; i++)
        free(model->lines[i]->contents);
    free(model->contents);
}
