/* CPU time that no sample stands for, or hardly any; the profiler's own, which none does, is told apart. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/engines.h"
#include "show/text_parts.h"

/* Below these it is start and end. */
#define MISSING_NS ((uint64_t)500000000)
#define ASKED_MIN 100.0                 /* samples that the rate asks for */
#define ASKED_OF_TAKEN 10.0             /* the budget may lower the rate, and the kernel's tick bounds it */
#define MOSTLY_NS ((uint64_t)100000000) /* where it is half of all and more */

struct missing {
    uint64_t cpu_ns, own_ns; /* the processes', and the profiler's of it, as far as it kept account */
    uint64_t missing_ns;     /* neither sampled nor its own */
};

static struct missing missing_of(const struct model *model)
{
    const struct totals *totals = &model->totals;
    const char *why_off;
    struct missing missing = {0};
    for (size_t i = 0; i < model->process_count; i++)
        missing.cpu_ns += model->processes[i].run->record->cpu_ns;
    uint64_t sampled_ns = totals_run_ns(totals) + totals->import_ns + totals->unplaced_ns;
    if (missing.cpu_ns > sampled_ns && engine_ran(model->run, DB_ENGINE_TIME, &why_off))
        missing.missing_ns = missing.cpu_ns - sampled_ns;
    missing.own_ns = model->health.shim_cpu_ns < missing.missing_ns ? model->health.shim_cpu_ns : missing.missing_ns;
    missing.missing_ns -= missing.own_ns;
    return missing;
}

static bool is_much(const struct missing *missing, uint64_t part_ns)
{
    return part_ns >= missing->cpu_ns / 10 && part_ns >= MISSING_NS;
}

static bool is_most(const struct missing *missing)
{
    return missing->missing_ns >= MOSTLY_NS && missing->missing_ns >= missing->cpu_ns / 2;
}

/* Without perf events threads are sampled by timers, which the kernel looks at when it ticks. */
static bool samples_by_timer(const struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++) {
        const struct run_process *process = model->processes[i].run;
        const char *name = run_text(process, process->record->trigger_blob);
        if (name != NULL && strcmp(name, "timer") == 0)
            return true;
    }
    return false;
}

bool text_is_mostly_missing(const struct model *model)
{
    struct missing missing = missing_of(model);
    return is_most(&missing);
}

/* Why there are none, as far as it can be known. */
static const char *unsampled(const struct model *model)
{
    const uint64_t *dropped = model->health.dropped;
    if (dropped[DB_DROP_FILE_FULL] > 0 || dropped[DB_DROP_DISK_FULL] > 0)
        return "the file had no room for it";
    if (dropped[DB_DROP_THREAD_WITHOUT_CLOCK] > 0)
        return "the kernel refused what a thread is sampled with, or the thread has a stack of less than 256 KiB "
               "(threading.stack_size())";
    if (dropped[DB_DROP_TABLE_FULL] > 0) /* not only of the tables that places of samples stand in */
        return "none is kept whose place stands in a table of the profiler's that was full, and none taken of a thread "
               "that blocks SIGTRAP";
    return samples_by_timer(model) ? "none is taken of a thread that blocks SIGTRAP, and without perf events "
                                     "(`pieprof-report doctor`) few of bursts shorter than the kernel's tick"
                                   : "none is taken of a thread that blocks SIGTRAP, and of what runs for less than a "
                                     "period of the rate only by chance";
}

/* Few samples may each stand for much: not a tenth of what the rate asks for were taken. */
static char *few_samples(const struct model *model, uint64_t cpu_ns)
{
    double asked = 0;
    for (size_t i = 0; i < model->process_count; i++) {
        const struct db_process *record = model->processes[i].run->record;
        asked += (double)record->cpu_ns * 1e-9 * record->rate_hz;
    }
    const char *why_off;
    if (asked < ASKED_MIN || (double)model->health.samples * ASKED_OF_TAKEN >= asked ||
        !engine_ran(model->run, DB_ENGINE_TIME, &why_off))
        return NULL;
    char *samples = page_count(model->health.samples), *whole = page_seconds((double)cpu_ns * 1e-9);
    char *text = memory_print("no more than %s samples stand for %s of CPU time, where the rate asks for %.0f: %s",
                              samples, whole, asked, unsampled(model));
    free(samples);
    free(whole);
    return text;
}

char *text_missing(const struct model *model)
{
    struct missing missing = missing_of(model);
    bool lost = is_most(&missing) || is_much(&missing, missing.missing_ns);
    if (!lost && !is_much(&missing, missing.own_ns))
        return few_samples(model, missing.cpu_ns);
    char *part = page_seconds((double)(lost ? missing.missing_ns : missing.own_ns) * 1e-9);
    char *whole = page_seconds((double)missing.cpu_ns * 1e-9);
    char *text =
        lost ? memory_print("%s of the processes' %s of CPU time is in no sample: %s", part, whole, unsampled(model))
             : memory_print("about %s of the processes' %s of CPU time is the profiler's own work", part, whole);
    free(part);
    free(whole);
    return text;
}
