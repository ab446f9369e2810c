/* What sites say of objects, summed over the totals and lines. */
#include <math.h>

#include "findings/far.h"
#include "model/model.h"

#define PERIOD_VOTES_MIN 3u

/* Only a damaged file's bytes reach the end of the range; they stay there. */
static void bytes_add(uint64_t *sum, uint64_t count, uint64_t size_bytes)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size_bytes, &bytes) || __builtin_add_overflow(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

/* Of all births, as many as of those looked at. */
static uint64_t of_births(const struct db_site *record, uint64_t part)
{
    if (record->looked_at == 0 || record->looked_at >= record->births)
        return part;
    return (uint64_t)((double)record->births * ((double)part / (double)record->looked_at));
}

static void add_estimate(struct objects *objects, const struct db_site *record, double replicas)
{
    objects->estimate += replicas;
    objects->estimate_bytes += replicas * (double)record->size_bytes;
}

/*
 * By the share of its contents' objects that are first ones. How many contents there are is known as well as a sample of
 * them tells, one in 2^far_bits.
 */
static void estimate_far(struct objects *objects, const struct db_site *record)
{
    double contents = (double)record->far_contents, results = (double)of_births(record, record->examined);
    double fresh = results * contents / (double)record->far_examined;
    double left_out = 1 - 1 / (double)(1u << record->far_bits);
    add_estimate(objects, record, fmax(results - fresh, (double)record->replicas));
    objects->variance += fresh * fresh * (left_out + 1 / contents) / contents;
}

/* Replicas among all births, if so many of the undecided ones were: those left out are as those of which it is known. */
static double with_undecided(const struct db_site *record, double later, double unseen, double undecided)
{
    double replicas = (double)record->replicas + undecided, of = fmax(later + (double)record->undecided, 1);
    return replicas + (unseen - (double)record->undecided) * replicas / of;
}

/* Births of the first period, which is looked at and new, where enough of them tell that there is one. */
static double first_births(const struct db_site *record, double known)
{
    bool is_told = record->period_replicas >= PERIOD_VOTES_MIN && record->period < known;
    return is_told ? (double)record->period : 1;
}

/*
 * One object alone was compared with nothing, and no count rests on it. Whether a library's own structure is examined at all may depend on
 * what chance left unwritten in it; most of these are made once, or are workspaces but for one.
 */
static bool is_single(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->examined == 1 && record->constant + record->replicas + record->copies + site->linked == 0;
}

/*
 * Of births that were not looked at, what the others of the site say, but for its first period. Data structures, which are looked at
 * and not examined, are never replicas; nor is what a site has but a single object of. Adding two of each kind keeps the variance
 * from 0. Those of which nothing is known may all be new, or none.
 */
static void estimate_add(struct objects *objects, const struct site *site)
{
    const struct db_site *record = site->record;
    double births = (double)record->births, replicas = (double)record->replicas;
    double known = (double)(record->workspaces + record->unfilled + record->examined);
    uint64_t compared = record->examined - is_single(site);
    bool is_structure = record->unfilled + compared == 0 && record->looked_at > record->workspaces;
    if (far_shows_more(record)) {
        estimate_far(objects, record);
        return;
    }
    if (record->looked_at == record->births || known <= 0 || is_structure) {
        add_estimate(objects, record, replicas);
        return;
    }
    double later = fmax(fmax(known - first_births(record, known), replicas), 1);
    double unseen = fmax(births - known, (double)record->undecided);
    double chance = (replicas + 2) / (later + 4);
    double middle = with_undecided(record, later, unseen, (double)record->undecided * replicas / later);
    add_estimate(objects, record, middle);
    objects->below += middle - with_undecided(record, later, unseen, 0);
    objects->above += with_undecided(record, later, unseen, (double)record->undecided) - middle;
    objects->variance += unseen * (unseen + later) * chance * (1 - chance) / (later + 4);
}

/*
 * Of a site of which a part was looked at, and of these some were results and some were not: how far off its results may be.
 * Births are looked at in pairs of neighbours, which go together: half as many are counted. Two of each kind are added.
 */
static double results_variance(const struct db_site *record)
{
    double births = (double)record->births, seen = (double)record->looked_at;
    double others = (double)(record->workspaces + record->unfilled);
    if (seen >= births || others <= 0 || others >= seen)
        return 0;
    double chance = (others + 2) / (seen + 4);
    return births * (births - seen) * chance * (1 - chance) * 2 / seen;
}

double objects_results_low(const struct objects *objects)
{
    double low = (double)objects_results(objects) - 1.96 * sqrt(objects->results_variance);
    return fmax(low, (double)objects->examined);
}

double objects_results_high(const struct objects *objects)
{
    double high = (double)objects_results(objects) + 1.96 * sqrt(objects->results_variance);
    return fmin(high, (double)objects->births);
}

struct objects_estimate objects_estimate(const struct objects *objects)
{
    bool is_exact = objects->skipped == 0 && objects->estimate <= (double)objects->replicas;
    if (is_exact || objects->examined == 0)
        return (struct objects_estimate){0};
    double half = 1.96 * sqrt(objects->variance), most = (double)objects_results(objects);
    double low = fmax(objects->estimate - objects->below - half, (double)objects->replicas);
    double high = fmin(objects->estimate + objects->above + half, objects_results_high(objects));
    double middle = fmin(objects->estimate, fmax(most, (double)objects->replicas));
    return (struct objects_estimate){.known = true,
                                     .replicas = (uint64_t)llround(middle),
                                     .low = (uint64_t)floor(fmin(low, middle)),
                                     .high = (uint64_t)ceil(fmax(high, middle))};
}

static void add_site(struct objects *objects, const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t workspaces = of_births(record, record->workspaces);
    objects->sites++;
    objects->births += record->births;
    objects->workspaces += workspaces;
    objects->unfilled += of_births(record, record->unfilled);
    objects->examined += record->examined - is_single(site);
    objects->constant += record->constant;
    objects->zero += record->zero;
    objects->replicas += record->replicas;
    objects->copies += record->copies;
    objects->live_at_end += record->live_at_end;
    objects->far_examined += record->far_examined;
    objects->far_replicas += record->far_examined - record->far_contents;
    objects->skipped += record->births - record->looked_at;
    objects->results_variance += results_variance(record);
    estimate_add(objects, site);
    bytes_add(&objects->replica_bytes, record->replicas, record->size_bytes);
    bytes_add(&objects->constant_bytes, record->constant, record->size_bytes);
    bytes_add(&objects->workspace_bytes, workspaces, record->size_bytes);
    objects->linked += site->linked;
    bytes_add(&objects->linked_bytes, site->linked, record->size_bytes);
}

static void charge_site(struct model *model, const struct site *site)
{
    const struct node *node = site_node(site);
    add_site(&model->totals.phases[node_phase(site->process, node)].objects, site);
    if (!node_counts(model, site->process, node))
        return;
    add_site(&model->totals.objects, site);
    if (site->place != NULL)
        add_site(&site->place->line->objects, site);
}

void objects_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++) {
        const struct process *process = &model->processes[i];
        struct run_cursor cursor = {0};
        while (run_next(&process->run->tables[DB_KIND_SITE], &cursor) != NULL)
            if (process->sites[cursor.index].record != NULL)
                charge_site(model, &process->sites[cursor.index]);
    }
}
