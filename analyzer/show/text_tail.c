/* The foot of the page: what was off or lost, and what to do next. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/finding.h"
#include "model/engines.h"
#include "model/packages.h"
#include "model/processes.h"
#include "model/share.h"
#include "show/text_parts.h"
#include "symbols/binary.h"

#define OWN_IMPORTS_NS 500000000 /* of a run that works much longer it is no matter */
#define PACKAGE_PERCENT 30       /* of the time: worth a look into it */
#define REPEATS_MIN 20u          /* objects of a line */
#define REPEATS_PERCENT 5        /* of the time */

static void put_note(const struct page *page, enum style style, const char *label, const char *text)
{
    char *head = memory_print("%-8s", label);
    page_put(page, style, head);
    page_wrap(page, 8, 8, text);
    free(head);
}

/* Engines that are off for the same reason share a row. */
static void put_engines(const struct page *page, const struct model *model)
{
    bool told[DB_ENGINE_COUNT] = {false};
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++) {
        const char *why_off, *other_why;
        if (told[engine] || engine_ran(model->run, engine, &why_off))
            continue;
        char *names = memory_print("%s", engine_name(engine));
        for (enum db_engine other = engine + 1; other < DB_ENGINE_COUNT; other++) {
            if (engine_ran(model->run, other, &other_why) || strcmp(why_off, other_why) != 0)
                continue;
            char *longer = memory_print("%s, %s", names, engine_name(other));
            free(names);
            names = longer;
            told[other] = true;
        }
        char *why = text_printable(why_off, strlen(why_off)), *text = memory_print("%s: %s", names, why);
        put_note(page, STYLE_WARN, "off", text);
        free(names);
        free(why);
        free(text);
    }
}

/* Of the samples, those a reason took in a tenth of the cases and more; and reasons for which the file is not whole. */
static void put_drops(const struct page *page, const struct model *model)
{
    for (enum db_drop drop = 0; drop < DB_DROP_COUNT; drop++) {
        uint64_t count = model->health.dropped[drop];
        bool file = drop == DB_DROP_FILE_FULL || drop == DB_DROP_DISK_FULL || drop == DB_DROP_NO_RESERVE;
        if (count == 0 || (!file && count * 10 < model->health.samples))
            continue;
        char *number = page_count(count), *text = memory_print("%s times: %s", number, drop_meaning(drop));
        put_note(page, STYLE_DIM, "note", text);
        free(number);
        free(text);
    }
}

/* Verdicts another thread could have made wrong. */
static void put_unproved(const struct page *page, const struct model *model)
{
    const struct share *loads = &model->totals.shares[SHARE_LOADS], *dead = &model->totals.shares[SHARE_DEAD];
    uint64_t unproved = loads->unproved + dead->unproved,
             pairs = loads->pairs + loads->undecided + dead->pairs + dead->undecided;
    if (pairs == 0 || unproved * 10 < pairs)
        return;
    char *part = page_percent(100 * (double)unproved / (double)pairs);
    char *text = memory_print(
        "%s of the verdicts on loads and dead stores are unproved: other threads ran, and could have touched the "
        "bytes between two accesses",
        part);
    put_note(page, STYLE_DIM, "note", text);
    free(part);
    free(text);
}

/* Shares are not those of the bits. */
static void put_tolerance(const struct page *page, const struct model *model)
{
    double tolerance = engine_tolerance(model->run);
    if (tolerance <= 0)
        return;
    char *text = memory_print("accesses by instructions for floating-point numbers: values count as equal that differ "
                              "by %g of the larger one, "
                              "or less (PIEPROF_FP_TOLERANCE); all others bit by bit",
                              tolerance);
    put_note(page, STYLE_DIM, "note", text);
    free(text);
}

/* A module that trains while it is imported. Imports of a package below one of the user's own are not meant. */
static void put_imports(const struct page *page, const struct model *model)
{
    const struct totals *totals = &model->totals;
    uint64_t told_ns = totals_run_ns(totals);
    if (totals->import_own_ns < OWN_IMPORTS_NS || totals->import_own_ns * 4 < told_ns)
        return;
    char *seconds = page_seconds((double)totals->import_own_ns * 1e-9);
    char *text = memory_print("%s of CPU time passed in modules of the program's own while they were imported, and are "
                              "left out; to see the lines of such a module, run it by itself (python -m MODULE)",
                              seconds);
    put_note(page, STYLE_DIM, "note", text);
    free(seconds);
    free(text);
}

/* Fewer buffers are objects than usual. */
static void put_object_min(const struct page *page, const struct model *model)
{
    uint32_t least = engine_object_min_bytes(model->run);
    if (least <= DB_OBJECT_MIN_BYTES)
        return;
    char *bytes = page_bytes(least);
    char *text =
        memory_print("buffers below %s were no objects (PIEPROF_OBJECT_MIN): neither counted nor compared", bytes);
    put_note(page, STYLE_DIM, "note", text);
    free(bytes);
    free(text);
}

/* What is made once has no place from then on: arrays that grow are each of a size of their own. */
static void put_crowded(const struct page *page, const struct model *model)
{
    bool is_crowded = false;
    for (size_t i = 0; i < model->process_count; i++)
        is_crowded = is_crowded || process_is_crowded(model->processes[i].run);
    if (!is_crowded)
        return;
    char *places = page_count(DB_SITES_CROWDED);
    char *text = memory_print("%s places of results and more, each of one size: what was made there once, later on, "
                              "is not counted (arrays that grow, sizes that vary)",
                              places);
    put_note(page, STYLE_DIM, "note", text);
    free(places);
    free(text);
}

/* Without the names of its own functions the interpreter's call machinery cannot be told from the rest of it. */
static void put_stripped(const struct page *page, const struct model *model)
{
    double python_s = (double)model->totals.times.ns[TIME_PYTHON] * 1e-9;
    if (model->process_count == 0 || model_percent(model, python_s) < 10)
        return;
    const struct process *process = &model->processes[0];
    for (size_t i = 0; i < process->module_count; i++) {
        const struct db_module *module = process->modules[i].record;
        const char *path = modules_path(process->run, module);
        if ((module->flags & DB_MODULE_INTERPRETER) == 0 ||
            !binary_stripped(binary_get(path, module->build_id, module->build_id_bytes)))
            continue;
        char *name = text_printable(path, strlen(path));
        char *text = memory_print("%s is stripped, so part of the boundary counts as Python; its debug symbols, or "
                                  "DEBUGINFOD_URLS, would tell them apart",
                                  name);
        put_note(page, STYLE_DIM, "note", text);
        free(name);
        free(text);
        return;
    }
}

static const char *why_nothing(const struct run *run)
{
    if (run->header->dropped_joins > 0)
        return "there was no room for it, on the disk or under a limit of file size. Make room, or let PIEPROF_OUT "
               "name "
               "a file elsewhere, and run again.";
    return "no process of this run reached Python code. Was the library preloaded into python itself? `pieprof-report "
           "doctor` tells what works here.";
}

/* Libraries whose functions could not be named. */
static void put_troubled(const struct page *page)
{
    unsigned shown = 0;
    for (const struct binary *binary = NULL; (binary = binary_next_troubled(binary)) != NULL && shown < 5; shown++) {
        const char *path = *binary_path(binary) ? binary_path(binary) : "(a library without a name)";
        char *name = text_printable(path, strlen(path));
        char *text = memory_print("%s: %s", name, binary_trouble((struct binary *)(uintptr_t)binary));
        put_note(page, STYLE_DIM, "note", text);
        free(name);
        free(text);
    }
}

/* Do the watched stores say something? Few do not, nor those between which other threads ran. */
static bool stores_are_told(const struct model *model)
{
    const char *why_off;
    return engine_ran(model->run, DB_ENGINE_ACCESS, &why_off) &&
           share_estimate(&model->totals.shares[SHARE_STORES]).known &&
           share_estimate(&model->totals.shares[SHARE_DEAD]).known;
}

/* What was looked for, and not found; NULL when nothing was. */
static const char *nothing_found(const struct model *model)
{
    const char *why_off;
    bool access = stores_are_told(model);
    if (!engine_ran(model->run, DB_ENGINE_REPLICA, &why_off))
        return access ? "no line was found that stores for nothing" : NULL;
    if (model->health.dropped[DB_DROP_SITES_FULL] > 0)
        return "no line was found that computes again what it had where it was looked: there were more places than the "
               "library has room for";
    return access ? "no line was found that computes again what it had, or stores for nothing"
                  : "no line was found that computes again what it had";
}

static char *next_finding(const struct model *model, const struct finding *finding)
{
    char *path = text_path(model, finding->line->file);
    char *text = memory_print("%s:%d first: %s", path, finding->line->number, finding->advice);
    free(path);
    return text;
}

/* Where time was not measured: no rate would have helped. Fresh memory. */
static char *without_time(const struct model *model)
{
    const char *why_off;
    bool any = false;
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++)
        any = any || engine_ran(model->run, engine, &why_off);
    return memory_print("%s; PIEPROF_ENGINES=all records what can be recorded here.%s",
                        any ? "no time was measured, for the time engine was off: nothing tells which lines matter"
                            : "nothing was recorded, for no engine was on",
                        model->finding_count > 0 ? " --min-waste 0 shows what was found all the same." : "");
}

/* The lines do not say where the time is. Fresh memory. */
static char *without_samples(void)
{
    return memory_print(
        "most of the CPU time is in no sample, as the head of this page says: what is known of the run is "
        "little.");
}

static const struct line *longest(const struct selection *selection)
{
    const struct line *most = selection->lines[0];
    for (size_t i = 1; i < selection->line_count; i++)
        if (times_total(&selection->lines[i]->times) > times_total(&most->times))
            most = selection->lines[i];
    return most;
}

/* A package that the program spends its time in has lines of its own, of which none is named unless it is asked for. Fresh memory. */
static char *within_package(const struct model *model)
{
    uint64_t ns = 0;
    const char *package = packages_heaviest(model, &ns);
    double percent = model_percent(model, (double)ns * 1e-9);
    if (package == NULL || percent < PACKAGE_PERCENT)
        return memory_print("%s", "");
    char *name = text_printable(package, strlen(package)), *share = page_percent(percent);
    char *text = memory_print(" %s of the time is spent in %s and what it calls: --own %s looks at its lines, too.",
                              share, name, name);
    free(name);
    free(share);
    return text;
}

static const char *why_unlisted(const struct options *options)
{
    return options->kind != NULL || options->file_glob != NULL
               ? "what was found is of other kinds, or in other files, or takes too little time."
           : options->min_waste_percent > 0
               ? "what was found takes too little time to be listed; --min-waste 0 shows it."
               : "what was found is no waste of time.";
}

/* The line with most time, among those of which most objects equal an earlier one; NULL: there is none that is worth a look. */
static const struct line *repeating(const struct model *model, const struct selection *selection)
{
    const struct line *most = NULL;
    for (size_t i = 0; i < selection->line_count; i++) {
        const struct line *line = selection->lines[i];
        struct objects_estimate estimate = objects_estimate(&line->objects);
        uint64_t ns = times_total(&line->times), results = objects_results(&line->objects),
                 replicas = estimate.known ? estimate.replicas : line->objects.replicas;
        bool repeats = results >= REPEATS_MIN && 2 * replicas >= results;
        if (repeats && model_percent(model, (double)ns * 1e-9) >= REPEATS_PERCENT &&
            (most == NULL || ns > times_total(&most->times)))
            most = line;
    }
    return most;
}

/* Why no finding stands at it, nobody can say in a sentence; that it repeats is seen above. Fresh memory. */
static char *say_repeating(const struct model *model, const struct selection *selection)
{
    const struct line *line = repeating(model, selection);
    if (line == NULL)
        return memory_print("%s", "");
    char *path = text_path(model, line->file);
    char *text =
        memory_print(", for sure. Most of what %s:%d made equals an earlier one (its objects, above), by chance, "
                     "or as what is only moved does: see whether it can be kept",
                     path, line->number);
    free(path);
    return text;
}

/* Nothing listed was found: what the first line says, or where the time is. */
static char *next_line(const struct model *model, const struct selection *selection, const struct options *options)
{
    const struct line *line = selection->lines[0], *most = longest(selection);
    char *path = text_path(model, line->file), *longest_path = text_path(model, most->file),
         *package = within_package(model), *repeats = say_repeating(model, selection), *text;
    if (line->wasteful && model_percent(model, line->stored_s) >= options->min_waste_percent)
        text = memory_print("%s:%d first: its stores are for nothing.", path, line->number);
    else if (model->finding_count > 0)
        text = memory_print("%s %s:%d has most of the time.%s", why_unlisted(options), longest_path, most->number,
                            package);
    else if (text_is_mostly_missing(model))
        text = without_samples();
    else if (nothing_found(model) == NULL)
        text = memory_print(
            "little but time was measured; the access engine with more watched stores (PIEPROF_BUDGET), and "
            "the replica engine, tell what is stored and computed for nothing.");
    else
        text = memory_print(
            "%s%s%s%s%s. The time is where the lines above say; %s:%d has most of it.%s",
            model->phase < PHASE_COUNT ? "in " : "", model->phase < PHASE_COUNT ? phase_words[model->phase] : "",
            model->phase < PHASE_COUNT ? " " : "", nothing_found(model), repeats, longest_path, most->number, package);
    free(repeats);
    free(package);
    free(path);
    free(longest_path);
    return text;
}

static char *next_step(const struct model *model, const struct selection *selection, const struct options *options)
{
    const char *why_off;
    if (model->process_count == 0)
        return memory_print("nothing was recorded: %s", why_nothing(model->run));
    if (totals_run_ns(&model->totals) == 0 && model->totals.unplaced_ns > 0)
        return memory_print("there was no room to store where the time went: make some, or raise PIEPROF_MAX_SIZE.");
    if (!engine_ran(model->run, DB_ENGINE_TIME, &why_off) && selection->finding_count == 0)
        return without_time(model);
    bool nothing = selection->line_count == 0 && selection->finding_count == 0;
    if ((nothing || totals_run_ns(&model->totals) == 0) && text_is_mostly_missing(model))
        return without_samples();
    if (totals_run_ns(&model->totals) == 0 && selection->finding_count == 0)
        return memory_print("the run was too short to be sampled; profile more of it, or raise PIEPROF_RATE.");
    if (nothing)
        return memory_print("nothing to report%s.", options->kind || options->file_glob || options->phase != PHASE_COUNT
                                                        ? " for these options"
                                                        : "");
    return selection->finding_count > 0 ? next_finding(model, selection->findings[0])
                                        : next_line(model, selection, options);
}

void text_tail(const struct page *page, const struct model *model, const struct selection *selection,
               const struct options *options)
{
    put_engines(page, model);
    put_tolerance(page, model);
    put_imports(page, model);
    put_object_min(page, model);
    put_crowded(page, model);
    put_unproved(page, model);
    put_stripped(page, model);
    put_troubled(page);
    put_drops(page, model);
    char *text = next_step(model, selection, options);
    put_note(page, STYLE_TITLE, "next", text);
    free(text);
}
