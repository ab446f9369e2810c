/* The top of the page: what ran, how well it was seen, where its time went, what its accesses were. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/engines.h"
#include "model/processes.h"
#include "model/share.h"
#include "show/text_parts.h"

#define TRIED_PLENTY 100u /* samples: fewer are told */

void text_row(const struct page *page, const char *name, char *text)
{
    char *label = memory_print("%-8s", name);
    page_put(page, STYLE_DIM, label);
    page_wrap(page, 8, 8, text);
    free(label);
    free(text);
}

static void put_command(const struct page *page, const struct model *model)
{
    char *command =
        model->process_count > 0 ? process_command(model->processes[0].run, 2000) : memory_print("(no command)");
    char *printable = text_printable(command, strlen(command)), *cut = text_cut(printable, page->width);
    page_put(page, STYLE_TITLE, cut);
    fputc('\n', page->out);
    free(command);
    free(printable);
    free(cut);
}

/* The states a reader is told of. */
static const struct ending {
    const char *state, *run, *others;
} endings[] = {{"running", ", still running", "still running"},
               {"killed", ", ended without notice (killed, or by a signal)", "ended without notice"},
               {"signal", ", ended by a signal", "ended by a signal"},
               {"unknown", ", its end was not recorded", "of unrecorded end"}};
#define ENDINGS (sizeof(endings) / sizeof(endings[0]))

/* The process the run began with; where it replaced itself by another program, that. */
static size_t root_process(const struct model *model)
{
    size_t root = 0;
    for (size_t i = 1; i < model->process_count; i++) {
        const struct db_process *record = model->processes[root].run->record;
        if (record->ended == DB_END_EXEC && model->processes[i].run->record->pid == record->pid)
            root = i;
    }
    return root;
}

static bool ended_so(const struct model *model, size_t process, const struct ending *ending)
{
    return process < model->process_count &&
           strcmp(process_state(model->run, model->processes[process].run->record), ending->state) == 0;
}

/* "1 process", "12 processes (3 killed)": how the others ended, but for those that just did. Fresh memory. */
static char *run_processes(const struct model *model, size_t root)
{
    char *text = memory_print("%zu process%s", model->process_count, model->process_count == 1 ? "" : "es");
    bool any = false;
    for (size_t kind = 0; kind < ENDINGS; kind++) {
        size_t count = 0;
        for (size_t i = 0; i < model->process_count; i++)
            count += i != root && ended_so(model, i, &endings[kind]);
        if (count == 0)
            continue;
        char *longer = memory_print("%s%s%zu %s", text, any ? ", " : " (", count, endings[kind].others);
        free(text);
        text = longer;
        any = true;
    }
    uint64_t unrecorded = model->run->header->dropped_joins;
    char *number = page_count(unrecorded);
    char *whole = unrecorded == 0
                      ? memory_print("%s%s", text, any ? ")" : "")
                      : memory_print("%s%s and %s more that found no room in the file", text, any ? ")" : "", number);
    free(number);
    free(text);
    return whole;
}

/* How the run ended, unless it just ended. */
static const char *run_ending(const struct model *model, size_t root)
{
    for (size_t kind = 0; kind < ENDINGS; kind++)
        if (ended_so(model, root, &endings[kind]))
            return endings[kind].run;
    return "";
}

/* Where few samples were tried, the budget spent on others, the share alone would promise too much. */
static char *run_resolved(const struct health *health)
{
    uint64_t tried = health->native - health->call_ended;
    if (tried == 0)
        return memory_print("%s", "");
    double percent = 100.0 * (double)health->resolved / (double)tried;
    if (tried >= TRIED_PLENTY)
        return memory_print(", %.0f %% resolved", percent);
    return memory_print(", %.0f %% of %" PRIu64 " tried resolved", percent, tried);
}

static void put_run(const struct page *page, const struct model *model)
{
    const struct health *health = &model->health;
    const char *python = model->process_count > 0 ? process_python(model->processes[0].run->record) : NULL;
    char *seconds = page_seconds(model->duration_s), *samples = page_count(health->samples);
    char *resolved = run_resolved(health);
    size_t root = root_process(model);
    char *processes = run_processes(model, root);
    char *text = memory_print("%s%s, %s, CPython %s; %s samples%s", seconds, run_ending(model, root), processes,
                              python != NULL ? python : "(version unknown)", samples, resolved);
    page_wrap(page, 0, 4, text);
    free(processes);
    free(seconds);
    free(samples);
    free(resolved);
    free(text);
}

/* " in forward, which is 43 % of the run's 3.71 s": of the phase asked for, where one is. Fresh memory. */
static char *run_phase(const struct model *model)
{
    if (model->phase == PHASE_COUNT)
        return memory_print("%s", "");
    double phase_s = (double)times_total(&model->totals.times) * 1e-9;
    char *run = page_seconds((double)totals_run_ns(&model->totals) * 1e-9),
         *percent = page_percent(model_percent(model, phase_s));
    char *text = memory_print(" in %s, which is %s of the run's %s", phase_words[model->phase], percent, run);
    free(run);
    free(percent);
    return text;
}

static void put_time(const struct page *page, const struct model *model)
{
    const struct totals *totals = &model->totals;
    double total = (double)times_total(&totals->times), least = fmax(total, 1);
    if (totals_run_ns(totals) == 0)
        return;
    char *all = page_seconds(total * 1e-9), *imports = page_seconds((double)totals->import_ns * 1e-9);
    char *parts[TIME_KINDS], *phase = run_phase(model);
    for (size_t i = 0; i < TIME_KINDS; i++)
        parts[i] = page_percent(100 * (double)totals->times.ns[i] / least);
    char *left_out = totals->import_ns > 0 ? memory_print(" (imports left out: %s)", imports) : memory_print("%s", "");
    text_row(page, "time",
             total > 0 ? memory_print("native %s, Python %s, boundary %s of %s CPU time%s%s", parts[TIME_NATIVE],
                                      parts[TIME_PYTHON], parts[TIME_BOUNDARY], all, phase, left_out)
                       : memory_print("%s CPU time%s%s", all, phase, left_out));
    for (size_t i = 0; i < TIME_KINDS; i++)
        free(parts[i]);
    free(all);
    free(phase);
    free(imports);
    free(left_out);
}

/* Time of threads without Python, told at the lines that launched their work. */
static void put_workers(const struct page *page, const struct model *model)
{
    double seconds = (double)model->totals.worker_ns * 1e-9, percent = model_percent(model, seconds);
    if (percent < 1)
        return;
    char *time = page_seconds(seconds), *part = page_percent(percent);
    text_row(page, "",
             memory_print("%s of it (%s) on worker threads, at the lines that launched their work", time, part));
    free(time);
    free(part);
}

/* ", WHAT (0.3 s)" behind what is there; nothing for less than half a millisecond. `*text` grows. */
static void add_elsewhere(char **text, const char *what, uint64_t part_ns)
{
    if (part_ns < 500000)
        return;
    char *time = page_seconds((double)part_ns * 1e-9);
    char *longer = memory_print("%s%s %s (%s)", *text, **text ? "," : "", what, time);
    free(time);
    free(*text);
    *text = longer;
}

/* Time no Python line stands for: a library's own threads, the interpreter's start and end. */
static void put_elsewhere(const struct page *page, const struct model *model)
{
    const struct totals *totals = &model->totals;
    double seconds = (double)totals->elsewhere_ns * 1e-9, percent = model_percent(model, seconds);
    if (percent < 1)
        return;
    char *time = page_seconds(seconds), *part = page_percent(percent), *what = memory_print("%s", "");
    add_elsewhere(&what, "native threads, start and end",
                  totals->elsewhere_ns - totals->waiting_ns - totals->interpreter_ns);
    add_elsewhere(&what, "the interpreter's own start and end, above among Python", totals->interpreter_ns);
    add_elsewhere(&what, "workers that wait for work", totals->waiting_ns);
    text_row(page, "",
             memory_print("%s of it (%s) outside every Python line%s%s", time, part, *what != '\0' ? ":" : "", what));
    free(time);
    free(part);
    free(what);
}

/* Samples for whose place there was no room. */
static void put_unplaced(const struct page *page, const struct model *model)
{
    if (model->totals.unplaced_ns == 0)
        return;
    char *time = page_seconds((double)model->totals.unplaced_ns * 1e-9);
    bool alone = totals_run_ns(&model->totals) == 0;
    text_row(page, alone ? "time" : "",
             memory_print("%s%s was sampled, but there was no room left to store where: left out", time,
                          alone ? "" : " more"));
    free(time);
}

static void put_missing(const struct page *page, const struct model *model)
{
    char *text = text_missing(model);
    if (text != NULL)
        text_row(page, "", text);
}

/* "385 watched: redundant 3 % (2-6 %), dead 4 % (2-6 %); between calls 4 % and 5 %". Nothing where too few are known. */
static void put_watched(const struct page *page, const char *label, const struct share *shares,
                        const enum share_kind *kinds, size_t count)
{
    static const char *const words[SHARE_KINDS] = {"redundant", "redundant", "dead"};
    char *text = page_count(shares[kinds[0]].pairs), *across = memory_print("%s", "");
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        const struct share *share = &shares[kinds[i]];
        char *whole = text_share(share_estimate(share));
        struct estimate between = share_estimate_across(share);
        char *longer =
            whole == NULL ? NULL : memory_print("%s%s %s %s", text, known ? "," : " watched:", words[kinds[i]], whole);
        if (whole != NULL && between.known) {
            char *more = memory_print("%s%s %s %.0f %%", across, *across ? "," : "; between calls", words[kinds[i]],
                                      100 * between.fraction);
            free(across);
            across = more;
        }
        if (longer != NULL) {
            free(text);
            text = longer;
            known = true;
        }
        free(whole);
    }
    if (known)
        text_row(page, label, memory_print("%s%s", text, across));
    free(text);
    free(across);
}

static void put_accesses(const struct page *page, const struct model *model)
{
    static const enum share_kind stores[] = {SHARE_STORES, SHARE_DEAD}, loads[] = {SHARE_LOADS};
    put_watched(page, "stores", model->totals.shares, stores, 2);
    put_watched(page, "loads", model->totals.shares, loads, 1);
}

static void put_objects(const struct page *page, const struct model *model)
{
    char *text = text_objects(&model->totals.objects);
    if (text != NULL)
        text_row(page, "objects", text);
}

/* "PAPI_TOT_INS 1.93e+11": counts of PIEPROF_EVENTS. */
static void put_events(const struct page *page, const struct model *model)
{
    char *text = memory_print("%s", "");
    for (size_t i = 0; i < DB_EVENTS_MAX && model->event_names[i] != NULL; i++) {
        char *name = text_printable(model->event_names[i], strlen(model->event_names[i]));
        char *longer = memory_print("%s%s%s %.3g", text, i > 0 ? ", " : "", name, model->event_totals[i]);
        free(name);
        free(text);
        text = longer;
    }
    if (*text != '\0')
        text_row(page, "events", text);
    else
        free(text);
}

void text_head(const struct page *page, struct model *model, double min_waste_percent)
{
    put_command(page, model);
    put_run(page, model);
    put_time(page, model);
    put_workers(page, model);
    put_elsewhere(page, model);
    put_unplaced(page, model);
    put_missing(page, model);
    text_phases(page, model);
    put_events(page, model);
    put_accesses(page, model);
    put_objects(page, model);
    text_memory(page, model);
    text_mixing(page, model);
    text_waste(page, model, min_waste_percent);
}
