/* Counters and times that cannot be, set to 0 and counted: no figure of a report may be an impossible one. */
#include <math.h>
#include <string.h>

#include "base/intern.h"
#include "read/run_private.h"

#define COUNT_LIMIT (UINT64_C(1) << 48)   /* no run takes more samples, traps or pairs */
#define THREADS_LIMIT (UINT64_C(1) << 22) /* Linux's own limit on pids */
#define EVENTS_LIMIT (UINT64_C(1) << 62)
#define SIZE_LIMIT (UINT64_C(1) << 57)       /* the address space a processor can have */
#define PAIR_SCALE_LIMIT (UINT64_C(1) << 25) /* what one pair can stand for */
#define PAGE_LIMIT_NS (UINT64_C(100) * 1000 * 1000)
#define PAGE_BYTES 4096u
#define OBJECT_MIN_LIMIT_BYTES 65536u
#define SLACK_NS (UINT64_C(2) * 1000 * 1000 * 1000)
#define STALE_NS (UINT64_C(50) * 1000 * 1000) /* the shim refreshes a process's CPU time every 20 ms */

static void limit(struct run *run, uint64_t *value, uint64_t highest)
{
    if (*value > highest) {
        *value = 0;
        run->damaged++;
    }
}

void plausible_execs(struct run *run)
{
    struct map firsts = {0};
    for (size_t i = 0; i < run->process_count; i++) {
        struct db_process *record = run->processes[i].record;
        uint64_t cpu_ns = record->cpu_ns;
        struct map_key key = {record->pid, record->start_ticks, 0};
        struct run_process *first = map_get(&firsts, key);
        if (first == NULL)
            map_put(&firsts, key, first = &run->processes[i]);
        else if (cpu_ns > first->exec_cpu_ns)
            record->cpu_ns -= first->exec_cpu_ns;
        if (record->ended == DB_END_EXEC)
            first->exec_cpu_ns = cpu_ns;
    }
    map_free(&firsts);
}

/* How long a process can have lived. */
static uint64_t process_elapsed_limit_ns(const struct db_process *record)
{
    return record->last_monotonic_ns - record->start_monotonic_ns + SLACK_NS;
}

/* The most CPU time a process can have used. */
static uint64_t process_cpu_limit_ns(const struct db_process *record)
{
    uint64_t elapsed = process_elapsed_limit_ns(record);
    uint64_t threads = record->threads + 1;
    return elapsed < RUN_TIME_LIMIT_NS / threads ? elapsed * threads : RUN_TIME_LIMIT_NS;
}

/*
 * The most CPU time that a process's samples can stand for: what it used, and what its threads have since the shim last
 * noted that, or while a live run's file was being read; a thread's first sample stands for a whole period. Where it was
 * not noted, or could not be, what it can have used.
 */
static uint64_t sampled_cpu_limit_ns(const struct run *run, const struct db_process *record)
{
    uint64_t most = process_cpu_limit_ns(record), later = STALE_NS + run->read_ns, threads = record->threads + 1;
    if (record->cpu_ns == 0)
        return most;
    later += record->rate_hz > 0 ? UINT64_C(1000) * 1000 * 1000 / record->rate_hz : 0;
    return later < RUN_TIME_LIMIT_NS / threads ? record->cpu_ns + later * threads : RUN_TIME_LIMIT_NS;
}

/* Nothing that is counted takes less than a nanosecond of one of the threads. */
static uint64_t events_limit(const struct db_process *record)
{
    uint64_t most = 0;
    bool is_beyond = __builtin_mul_overflow(process_elapsed_limit_ns(record), record->threads + 1, &most);
    return is_beyond || most > COUNT_LIMIT ? COUNT_LIMIT : most;
}

static void process_counters(struct run *run, struct db_process *record)
{
    const uint64_t most = events_limit(record);
    uint64_t *counters[] = {&record->samples, &record->native,   &record->call_ended, &record->resolved,
                            &record->armed,   &record->finished, &record->traps,      &record->objects};
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        limit(run, counters[i], most);
    for (size_t i = 0; i < DB_DROP_COUNT; i++)
        limit(run, &record->dropped[i], most);
    limit(run, &record->shim_memory_bytes, COUNT_LIMIT);
    if (record->native > record->samples) /* a live run's counters are read one after the other */
        record->native = record->samples;
    if (record->call_ended > record->native)
        record->call_ended = record->native;
    if (record->resolved > record->native - record->call_ended)
        record->resolved = record->native - record->call_ended;
}

static void process_times(struct run *run, struct db_process *record)
{
    if (record->last_monotonic_ns < record->start_monotonic_ns ||
        record->last_monotonic_ns - record->start_monotonic_ns > RUN_TIME_LIMIT_NS) {
        run->damaged += record->last_monotonic_ns != 0;
        record->last_monotonic_ns = record->start_monotonic_ns;
    }
    limit(run, &record->start_unix_ns, INT64_MAX);
    limit(run, &record->cpu_ns, process_cpu_limit_ns(record));
    limit(run, &record->shim_cpu_ns, process_cpu_limit_ns(record));
    if (record->import_cpu_ns > record->cpu_ns)
        record->import_cpu_ns = record->cpu_ns;
    if (!isfinite(record->budget_percent) || record->budget_percent < 0 || record->budget_percent > 100)
        record->budget_percent = 0;
    for (size_t i = 0; i < DB_ENGINE_COUNT; i++)
        if (!(record->engines[i].tolerance >= 0 && record->engines[i].tolerance <= 1))
            record->engines[i].tolerance = 0;
    uint32_t *object_min_bytes = &record->engines[DB_ENGINE_REPLICA].object_min_bytes;
    if (*object_min_bytes > OBJECT_MIN_LIMIT_BYTES)
        *object_min_bytes = 0;
}

void plausible_process(struct run *run, struct run_process *process)
{
    struct db_process *record = process->record;
    limit(run, &record->threads, THREADS_LIMIT); /* the limits of the others are computed of it */
    process_times(run, record);
    process_counters(run, record);
    if (record->ended == DB_END_EXIT && (record->end_detail < 0 || record->end_detail > 255)) {
        record->end_detail = 0;
        run->damaged++;
    }
    process->sampled_limit_ns = process->nodes_left_ns = sampled_cpu_limit_ns(run, record);
    for (size_t i = 0; i < DB_ENGINE_COUNT; i++)
        record->engines[i].why_off[DB_REASON_BYTES - 1] = '\0';
    for (size_t i = 0; i < DB_EVENTS_MAX; i++)
        record->events[i][DB_EVENT_NAME_BYTES - 1] = '\0';
}

void plausible_node(struct run *run, struct run_process *process, struct db_node *node)
{
    limit(run, &node->samples, events_limit(process->record));
    limit(run, &node->cpu_ns, process->nodes_left_ns);
    process->nodes_left_ns -= node->cpu_ns;
    if (node->native_cpu_ns > node->cpu_ns)
        node->native_cpu_ns = node->cpu_ns;
}

void plausible_pair(struct run *run, const struct run_process *process, struct db_pair *pair)
{
    limit(run, &pair->count, events_limit(process->record));
    limit(run, &pair->weight_ns, process->sampled_limit_ns);
    if (pair->scale < pair->count || pair->scale / PAIR_SCALE_LIMIT > pair->count ||
        pair->scale_squares < pair->scale || pair->scale_squares / PAIR_SCALE_LIMIT > pair->scale) {
        pair->scale = pair->scale_squares = pair->count;
        run->damaged++;
    }
}

void plausible_counter(struct run *run, struct db_counter *counter)
{
    limit(run, &counter->value, EVENTS_LIMIT);
}

/* A part of a whole; a live run's counters are read one after the other, so it may be a little more. */
static uint64_t part_of(uint64_t *part, uint64_t whole)
{
    if (*part > whole)
        *part = whole;
    return whole - *part;
}

static void small_part_of(uint32_t *part, uint64_t whole)
{
    if (*part > whole)
        *part = (uint32_t)whole;
}

/* So many spans of a process's life; its own end is noted by samples, and may be behind. */
static void part_of_time(struct run *run, uint64_t *sum_ns, const struct db_process *record, uint64_t spans)
{
    uint64_t most = 0;
    if (__builtin_mul_overflow(process_elapsed_limit_ns(record), spans, &most))
        most = UINT64_MAX;
    limit(run, sum_ns, spans <= UINT64_MAX / RUN_TIME_LIMIT_NS ? spans * RUN_TIME_LIMIT_NS : UINT64_MAX);
    part_of(sum_ns, most);
}

static void at_least(uint64_t *value, uint64_t lowest)
{
    if (*value < lowest)
        *value = lowest;
}

/* Sums over the same contents: births are numbered in 32 bits, so that no product leaves its range. */
static void far_history(struct run *run, struct db_site *site)
{
    limit(run, &site->far_births, UINT32_MAX);
    part_of(&site->far_births, site->births);
    part_of(&site->far_examined, site->far_births);
    uint64_t replicas = part_of(&site->far_contents, site->far_examined), contents = site->far_contents;
    part_of(&site->far_period_replicas, replicas);
    part_of(&site->far_spans, contents * site->far_births);
    part_of(&site->far_squares, site->far_examined * site->far_examined);
    at_least(&site->far_squares, contents > 0 ? site->far_examined * site->far_examined / contents : 0);
    if (contents == 0)
        site->far_examined = site->far_period_replicas = site->far_squares = 0;
    if (site->far_bits > DB_FAR_BITS_MAX) {
        site->far_bits = 0;
        run->damaged++;
    }
}

/* Objects overlap no other, but come again and again: no more than all that were asked can have been fresh. */
static void pages_of_site(struct run *run, struct db_site *site)
{
    uint64_t most = 0;
    small_part_of(&site->pages_asked, site->births);
    if (__builtin_mul_overflow(site->pages_asked, site->size_bytes, &most))
        most = UINT64_MAX;
    limit(run, &site->fresh_bytes, most);
    part_of(&site->untouched_bytes, site->fresh_bytes);
    part_of(&site->huge_bytes, site->fresh_bytes);
}

/*
 * At the peak no site had more than all had, nor had all sites together; twice that, for the sums are kept without a lock, is none that was
 * written.
 */
static void peak_of_site(struct run *run, struct run_process *process, struct db_site *site)
{
    const struct db_live *live = run_record(process, DB_KIND_LIVE, 1);
    uint64_t objects = site->peak_objects;
    part_of(&objects, site->births);
    if (live != NULL && site->size_bytes != 0) {
        const uint64_t most = live->snapshot_bytes / site->size_bytes;
        limit(run, &objects, most < UINT64_MAX / 2 ? 2 * most + 1 : UINT64_MAX);
        part_of(&objects, process->peak_left_bytes / site->size_bytes);
        process->peak_left_bytes -= objects * site->size_bytes;
    }
    site->peak_objects = (uint32_t)objects;
}

/* When contents were new: as in FORMAT.md, or not known. A live run's are written one after the other. */
static void when_new(struct db_site *site, uint64_t contents)
{
    uint64_t span = (uint64_t)site->new_last - site->new_first, step = site->new_step, bursts = site->new_bursts;
    const bool is_stepless = bursts > 2 && (step == 0 ? site->undecided == 0 : span / step < bursts - 2);
    if (bursts == 0 || bursts > contents || site->new_first == 0 || site->new_last < site->new_first ||
        site->new_last > site->births || is_stepless || site->new_digits > DB_NEW_MEASURED) {
        site->new_first = 0;
        site->new_last = UINT32_MAX;
        site->new_step = site->new_bursts = 0;
        site->new_digits = 0;
    }
    if ((uint64_t)site->new_growing + site->new_other + 2 > site->new_bursts)
        site->new_growing = site->new_other = 0;
}

void plausible_site(struct run *run, struct run_process *process, struct db_site *site)
{
    uint64_t *counters[] = {
        &site->births, &site->workspaces, &site->unfilled,        &site->examined,     &site->constant,
        &site->zero,   &site->replicas,   &site->period_replicas, &site->copies,       &site->looked_at,
        &site->ended,  &site->far_births, &site->far_contents,    &site->far_examined, &site->far_period_replicas};
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        limit(run, counters[i], events_limit(process->record));
    limit(run, &site->size_bytes, SIZE_LIMIT);
    uint64_t passed = part_of(&site->looked_at, site->births);
    small_part_of(&site->undecided, passed);
    uint64_t left = part_of(&site->workspaces, site->looked_at);
    part_of(&site->examined, left);
    part_of(&site->unfilled, site->examined);
    small_part_of(&site->live_at_end, site->births);
    small_part_of(&site->last_known, site->births);
    small_part_of(&site->recurring, site->births);
    left = part_of(&site->constant, site->examined);
    part_of(&site->zero, site->constant);
    small_part_of(&site->alike, site->constant);
    left = part_of(&site->replicas, left);
    part_of(&site->period_replicas, site->replicas);
    when_new(site, left);
    part_of(&site->copies, left);
    part_of(&site->ended, site->births);
    small_part_of(&site->most_alive, site->births);
    peak_of_site(run, process, site);
    part_of_time(run, &site->lifetime_ns, process->record, site->ended);
    far_history(run, site);
    pages_of_site(run, site);
}

/* A level of live bytes, and a part of it. The sums are kept without a lock: one that is below zero for a moment is zero. */
static int64_t level(struct run *run, int64_t *bytes, int64_t whole)
{
    run->damaged += *bytes > (int64_t)SIZE_LIMIT || *bytes < -(int64_t)SIZE_LIMIT;
    if (*bytes < 0 || *bytes > (int64_t)SIZE_LIMIT)
        *bytes = 0;
    if (*bytes > whole)
        *bytes = whole;
    return whole - *bytes;
}

/* All bins but the last are full; of a run's end the shim may have noted the half alone. */
static uint64_t bin_limit_ns(const struct db_process *record, uint32_t bins)
{
    return 2 * process_elapsed_limit_ns(record) / (bins > 1 ? bins - 1 : 1);
}

void plausible_live(struct run *run, struct run_process *process, struct db_live *live)
{
    limit(run, &live->peak_bytes, SIZE_LIMIT);
    part_of_time(run, &live->peak_at_ns, process->record, 1);
    part_of_time(run, &live->snapshot_at_ns, process->record, 1);
    limit(run, &live->page_ns, PAGE_LIMIT_NS);
    limit(run, &live->huge_page_ns, PAGE_LIMIT_NS);
    level(run, &live->bytes, (int64_t)live->peak_bytes);
    level(run, &live->siteless_bytes, level(run, &live->small_bytes, live->bytes));
    part_of(&live->snapshot_bytes, live->peak_bytes);
    process->peak_left_bytes = live->snapshot_bytes;
    part_of(&live->snapshot_siteless_bytes, part_of(&live->snapshot_small_bytes, live->snapshot_bytes));
    if (live->bins > DB_LIVE_BINS || live->bin_ns == 0 || live->bin_ns > bin_limit_ns(process->record, live->bins)) {
        live->bins = 0;
        run->damaged++;
    }
    for (size_t i = 0; i < DB_LIVE_BINS; i++)
        part_of(&live->max_bytes[i], live->peak_bytes);
}

void plausible_link(struct run *run, const struct run_process *process, struct db_link *link)
{
    const struct db_site *second = run_record(process, DB_KIND_SITE, link->second_site);
    limit(run, &link->objects, COUNT_LIMIT);
    part_of(&link->objects, second != NULL ? second->examined : 0);
}

/* Of `elements`; sizes beyond the greatest finite one are none. */
static void range_of_content(struct run *run, struct db_range *range, uint64_t elements, uint64_t infinite)
{
    uint64_t left = part_of(&range->infinite, part_of(&range->nan, elements));
    left = part_of(&range->negative_zeros, left);
    part_of(&range->repeated, elements);
    if (range->lowest <= range->highest && (left == 0 || range->lowest == 0 || range->highest >= infinite)) {
        run->damaged++;
        range->highest = 0;
        range->lowest = UINT64_MAX;
    }
}

void plausible_content(struct run *run, const struct run_process *process, struct db_content *content)
{
    const struct db_site *site = run_record(process, DB_KIND_SITE, content->site);
    part_of(&content->objects, site != NULL ? site->births : 0);
    limit(run, &content->words, content->objects * (DB_CONTENT_BYTES / sizeof(uint64_t)));
    uint64_t left = part_of(&content->zero_words, content->words), set = 0;
    for (size_t i = 0; i < 2; i++) {
        uint64_t halves = part_of(&content->zero_halves[i], content->words);
        part_of(&content->floats[i], halves);
        part_of(&content->shorts[i], halves);
        set += halves;
    }
    part_of(&content->fractions, set);
    for (size_t i = 0; i < 3; i++)
        part_of(&content->fraction_bits[i], content->fractions);
    part_of(&content->doubles, left);
    part_of(&content->whole, left);
    part_of(&content->flags[0], left);
    part_of(&content->flags[1], content->flags[0]);
    range_of_content(run, &content->float32, set, UINT64_C(0x7f800000));
    range_of_content(run, &content->float64, left, UINT64_C(0x7ff0000000000000));
}

void plausible_heat(struct run *run, const struct run_process *process, struct db_heat *heat)
{
    const struct db_site *site = run_record(process, DB_KIND_SITE, heat->site);
    limit(run, &heat->accesses, events_limit(process->record));
    uint64_t left = part_of(&heat->forgotten, heat->accesses);
    part_of(&heat->objects, site != NULL ? site->births : 0);
    part_of_time(run, &heat->lives_ns, process->record, heat->objects);
    for (size_t i = 0; i < DB_HEAT_PARTS; i++)
        left = part_of(&heat->parts[i], left);
}

/* Of the accesses that were found, or trapped; at least a byte of each of the two, at most a page. */
void plausible_neighbour(struct run *run, const struct run_process *process, struct db_neighbour *neighbour)
{
    limit(run, &neighbour->accesses, 2 * (process->record->samples + process->record->traps) + 1);
    limit(run, &neighbour->bytes, neighbour->accesses * PAGE_BYTES);
    limit(run, &neighbour->neighbour_bytes, neighbour->accesses * PAGE_BYTES);
}
