#include "model/mixing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/share.h"

/* One of the two lines is `a`, the other `b`, in the order of their addresses. */
struct sums {
    const struct line *a, *b;
    uint64_t a_accesses, b_accesses;
    double a_bytes, b_bytes;
};

/* Those met, in the order of the records. */
struct table {
    struct map map;
    struct sums **all;
    size_t count, capacity;
};

static struct sums *sums_of(struct table *table, const struct line *a, const struct line *b)
{
    struct map_key key = {(uintptr_t)a, (uintptr_t)b, 0};
    struct sums *sums = map_get(&table->map, key);
    if (sums != NULL)
        return sums;
    sums = memory_zeroed(1, sizeof(*sums));
    sums->a = a;
    sums->b = b;
    map_put(&table->map, key, sums);
    table->all = memory_grow(table->all, table->count, &table->capacity, sizeof(struct sums *));
    return table->all[table->count++] = sums;
}

/* NULL: of no line. */
static const struct site *site_of(const struct process *process, uint32_t site_id)
{
    const struct site *site = &process->sites[run_index(&process->run->tables[DB_KIND_SITE], site_id)];
    return site->record != NULL && site->place != NULL ? site : NULL;
}

/* One of the two must count, whichever was accessed: of two sites both records are told, or none. */
static void add_record(const struct model *model, struct table *table, const struct process *process,
                       const struct db_neighbour *record)
{
    const struct site *site = site_of(process, record->site), *neighbour = site_of(process, record->neighbour);
    if (site == NULL || neighbour == NULL || site->place->line == neighbour->place->line ||
        (!node_counts(model, process, site_node(site)) && !node_counts(model, process, site_node(neighbour))))
        return;
    const struct line *line = site->place->line, *other = neighbour->place->line;
    bool first = (uintptr_t)line < (uintptr_t)other;
    struct sums *sums = first ? sums_of(table, line, other) : sums_of(table, other, line);
    *(first ? &sums->a_accesses : &sums->b_accesses) += record->accesses;
    *(first ? &sums->a_bytes : &sums->b_bytes) += (double)record->bytes;
    *(first ? &sums->b_bytes : &sums->a_bytes) += (double)record->neighbour_bytes;
}

/* False: the two do not differ for certain. */
static bool compare(const struct sums *sums, struct mix *mix)
{
    double all = (double)(sums->a_accesses + sums->b_accesses);
    bool a_hot = (double)sums->a_accesses * sums->b_bytes >= (double)sums->b_accesses * sums->a_bytes;
    *mix = (struct mix){.hot = a_hot ? sums->a : sums->b,
                        .cold = a_hot ? sums->b : sums->a,
                        .accesses = a_hot ? sums->a_accesses : sums->b_accesses,
                        .cold_accesses = a_hot ? sums->b_accesses : sums->a_accesses,
                        .hot_bytes = (a_hot ? sums->a_bytes : sums->b_bytes) / all,
                        .cold_bytes = (a_hot ? sums->b_bytes : sums->a_bytes) / all};
    struct estimate share = share_estimate_counts(mix->accesses, mix->accesses + mix->cold_accesses, 0);
    if (!share.known || mix->hot_bytes <= 0 || mix->cold_bytes <= 0 || share.low >= 1)
        return false;
    mix->ratio_low = share.low / (1 - share.low) * mix->cold_bytes / mix->hot_bytes;
    return mix->ratio_low >= MIXING_RATIO;
}

static int order(const void *left, const void *right)
{
    const struct mix *a = left, *b = right;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    int files = strcmp(a->hot->file, b->hot->file);
    if (files == 0)
        files = a->hot->number - b->hot->number;
    return files != 0 ? files : a->cold->number - b->cold->number;
}

void mixing_charge(struct model *model)
{
    struct mixing *mixing = &model->mixing;
    struct table table = {0};
    for (size_t i = 0; i < model->process_count; i++) {
        const struct process *process = &model->processes[i];
        struct run_cursor cursor = {0};
        const struct db_neighbour *record;
        while ((record = run_next(&process->run->tables[DB_KIND_NEIGHBOUR], &cursor)) != NULL)
            add_record(model, &table, process, record);
    }
    for (size_t i = 0; i < table.count; i++) {
        struct mix mix;
        if (table.all[i]->a_accesses + table.all[i]->b_accesses > 0 && compare(table.all[i], &mix)) {
            mixing->mixes = memory_grow(mixing->mixes, mixing->count, &mixing->capacity, sizeof(*mixing->mixes));
            mixing->mixes[mixing->count++] = mix;
            mixing->accesses += mix.accesses + mix.cold_accesses;
        }
        free(table.all[i]);
    }
    if (mixing->count > 0)
        qsort(mixing->mixes, mixing->count, sizeof(*mixing->mixes), order);
    free(table.all);
    map_free(&table.map);
}

void mixing_free(struct model *model)
{
    free(model->mixing.mixes);
    model->mixing = (struct mixing){0};
}

bool mixing_matters(const struct model *model)
{
    return model->mixing.count > 0 && (double)model->mixing.mixes[0].accesses >= MIXING_SHARE * (double)model->accesses;
}
