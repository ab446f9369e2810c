/* Memory on the page: the peak of the live bytes, what stood there, the curve as a row of bars. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/text_parts.h"

#define INDENT 8
#define PEAK_LINES 4
#define PEAK_PERCENT 3.0 /* of the peak: what a line must have to be told */
#define BARS 48
#define LEVELS 8

/* Does the reader's terminal take UTF-8? As the C library decides. */
static bool takes_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < 3 && (locale == NULL || *locale == '\0'); i++)
        locale = getenv(names[i]);
    return locale != NULL && (strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL);
}

/* The highest level in each of BARS parts, or fewer, as bars of up to the peak's height. Fresh memory; NULL where nothing moves. */
static char *bars(const struct memory *memory, size_t columns)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    const char *const *levels = takes_utf8() ? blocks : plain;
    struct memory_curve curve;
    lifetime_curve(memory, &curve);
    size_t most_bars = columns < BARS ? columns : BARS, count = curve.count < most_bars ? curve.count : most_bars;
    if (count < 2 || memory->record->peak_bytes == 0)
        return NULL;
    char *text = memory_zeroed(count, 4);
    for (size_t bar = 0; bar < count; bar++) {
        uint64_t most = 0;
        for (size_t i = bar * curve.count / count; i < (bar + 1) * curve.count / count; i++)
            most = curve.max_bytes[i] > most ? curve.max_bytes[i] : most;
        double part = (double)most / (double)memory->record->peak_bytes;
        size_t level = (size_t)(part * (LEVELS - 1) + 0.5);
        strcat(text, levels[level < LEVELS ? level : LEVELS - 1]);
    }
    return text;
}

/* "   210 MiB   51 %  model.py:31 make_cache: 12 objects, each for 1.2 s". Takes `what`. */
static void put_part(const struct page *page, const struct memory *memory, uint64_t bytes, char *what)
{
    char *size = page_bytes(bytes);
    char *percent = page_percent(100 * (double)bytes / (double)memory->record->snapshot_bytes);
    char *cost = memory_print("%*s%10s %5s  ", INDENT, "", size, percent);
    fputs(cost, page->out);
    page_wrap(page, strlen(cost), strlen(cost), what);
    free(size);
    free(percent);
    free(cost);
    free(what);
}

/* "each for 1.2 s", of those that ended; "kept" where none did. Fresh memory. */
static char *text_lifetime(const struct alive *alive)
{
    double seconds;
    if (!lifetime_mean_s(alive, &seconds))
        return memory_print("kept to the end");
    char *mean = seconds < 1e-3 ? memory_print("less than 1 ms") : page_seconds(seconds);
    char *text = alive->ended < alive->births ? memory_print("alive for %s in the mean, or to the end", mean)
                                              : memory_print("alive for %s in the mean", mean);
    free(mean);
    return text;
}

/* Adds "; 12 never filled (3 MiB)" to the text; nothing for none. */
static void add_part(char **text, uint64_t count, const char *what, uint64_t bytes)
{
    if (count == 0)
        return;
    char *number = page_count(count), *size = page_bytes(bytes);
    char *longer = memory_print("%s; %s %s (%s)", *text, number, what, size);
    free(number);
    free(size);
    free(*text);
    *text = longer;
}

/* Adds "; page faults on 3.1 GiB of fresh memory, about 1.2 s"; nothing for less than a millisecond. */
static void add_faults(char **text, const struct faults *faults)
{
    if (faults->seconds < 1e-3)
        return;
    char *size = page_bytes(faults->bytes < 0x1p62 ? (uint64_t)faults->bytes : UINT64_C(1) << 62);
    char *time = page_seconds(faults->seconds);
    char *longer = memory_print("%s; page faults on %s of fresh memory, about %s", *text, size, time);
    free(size);
    free(time);
    free(*text);
    *text = longer;
}

static void add_facts(char **text, const struct alive *alive)
{
    add_part(text, alive->again, "freed and allocated again", alive->again_bytes);
    add_part(text, alive->unfilled, "unchanged at their end", alive->unfilled_bytes);
    add_faults(text, &alive->faults);
}

/* "; of it 128 MiB that OpenBLAS keeps to work in". Fresh memory. */
static char *text_reserve(const struct alive *alive)
{
    char *size = page_bytes(alive->reserve_bytes);
    char *text = alive->reserve_bytes == 0 ? memory_print("%s", "")
                 : alive->reserve_bytes >= alive->peak_bytes
                     ? memory_print(", which OpenBLAS keeps to work in")
                     : memory_print("; %s of it OpenBLAS keeps to work in", size);
    free(size);
    return text;
}

static char *text_peak_line(const struct model *model, const struct line *line)
{
    char *path = text_path(model, line->file), *function = text_printable(line->function, strlen(line->function));
    char *count = page_count(line->alive.peak_objects), *lifetime = text_lifetime(&line->alive);
    char *reserve = text_reserve(&line->alive);
    char *text = memory_print("%s:%d %s: %s object%s, %s%s", path, line->number, function, count,
                              line->alive.peak_objects == 1 ? "" : "s", lifetime, reserve);
    free(reserve);
    free(path);
    free(function);
    free(count);
    free(lifetime);
    return text;
}

static bool is_told(const struct memory *memory, uint64_t bytes)
{
    return (double)bytes * 100 >= PEAK_PERCENT * (double)memory->record->snapshot_bytes;
}

static void put_at_peak(const struct page *page, const struct model *model)
{
    const struct memory *memory = &model->memory;
    size_t told = 0;
    uint64_t rest = memory->other_bytes;
    for (; told < memory->line_count && told < PEAK_LINES && is_told(memory, memory->lines[told]->alive.peak_bytes);
         told++)
        put_part(page, memory, memory->lines[told]->alive.peak_bytes, text_peak_line(model, memory->lines[told]));
    for (size_t i = told; i < memory->line_count; i++)
        if (__builtin_add_overflow(rest, memory->lines[i]->alive.peak_bytes, &rest))
            rest = UINT64_MAX;
    const struct {
        uint64_t bytes;
        const char *what;
    } others[] = {{rest, model->phase < PHASE_COUNT ? "other lines, and other phases" : "other lines"},
                  {memory->record->snapshot_siteless_bytes, "made where no Python runs"},
                  {memory->import_bytes, "made by imports"},
                  {memory->record->snapshot_small_bytes, "objects below 16 KiB"}};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i].bytes > 0 && is_told(memory, others[i].bytes))
            put_part(page, memory, others[i].bytes, memory_print("%s", others[i].what));
}

/* An object that found no room in the map stood somewhere, too, but nobody knows until when. */
static void put_uncounted(const struct page *page, const struct memory *memory)
{
    if (memory->uncounted == 0)
        return;
    char *count = page_count(memory->uncounted);
    char *text = memory_print("%s object%s made while the object map was full %s not counted: the peak was higher, if "
                              "they stood then",
                              count, memory->uncounted == 1 ? "" : "s", memory->uncounted == 1 ? "is" : "are");
    fprintf(page->out, "%*s", INDENT, "");
    page_wrap(page, INDENT, INDENT, text);
    free(count);
    free(text);
}

/* What all objects of some size have in common; nothing where there were none. */
static void put_all(const struct page *page, const struct alive *alive)
{
    if (alive->births == 0)
        return;
    char *births = page_count(alive->births), *lifetime = text_lifetime(alive);
    char *text = memory_print("%s of 16 KiB and more, those of imports and workspaces too: %s", births, lifetime);
    add_facts(&text, alive);
    fprintf(page->out, "%*s", INDENT, "");
    page_wrap(page, INDENT, INDENT, text);
    free(births);
    free(lifetime);
    free(text);
}

/* "; of process 4243, the highest of 3". Fresh memory. */
static char *text_process(const struct memory *memory)
{
    return memory->processes > 1 ? memory_print(" in process %u, the highest of %zu", memory->process->run->record->pid,
                                                memory->processes)
                                 : memory_print("%s", "");
}

void text_memory(const struct page *page, const struct model *model)
{
    const struct memory *memory = &model->memory;
    if (memory->record == NULL || memory->record->peak_bytes == 0)
        return;
    char *peak = page_bytes(memory->record->peak_bytes);
    char *at = page_seconds((double)memory->record->peak_at_ns * 1e-9), *process = text_process(memory);
    double fraction = (double)memory->record->snapshot_bytes / (double)memory->record->peak_bytes;
    char *curve = bars(memory, page->width - INDENT);
    char *near = fraction < 0.995 ? memory_print("; below: what stood at %.0f %% of it", 100 * fraction)
                                  : memory_print("%s", "");
    char *text =
        memory_print("peak %s alive at %s%s%s%s%s", peak, at, process, memory->record->snapshot_bytes > 0 ? near : "",
                     curve != NULL ? "  " : "", curve != NULL ? curve : "");
    page_put(page, STYLE_DIM, "memory  ");
    page_wrap(page, INDENT, INDENT, text);
    if (memory->record->snapshot_bytes > 0)
        put_at_peak(page, model);
    put_uncounted(page, memory);
    put_all(page, &memory->all);
    char *all[] = {peak, at, process, curve, near, text};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* " between forward and backward", " after forward", or nothing; fresh memory. */
static char *say_uses(const struct line_idle *line)
{
    const char *before = line->before < PHASE_COUNT ? phase_words[line->before] : NULL,
               *after = line->after < PHASE_COUNT ? phase_words[line->after] : NULL;
    if (before != NULL && after != NULL)
        return line->before == line->after ? memory_print(" within %s", before)
                                           : memory_print(" between %s and %s", before, after);
    if (before != NULL)
        return memory_print(" after %s", before);
    return after != NULL ? memory_print(" before %s", after) : memory_print("%s", "");
}

/* Adds "; idle between forward and backward from 8 % to 90 % of their lives (0.31 s): ..." with what shows it. */
static void add_idle(char **text, const struct line_idle *line)
{
    const struct idle *idle = &line->widest;
    if (line->site == NULL)
        return;
    char *time = page_seconds(idle->seconds),
         *sum = page_bytes(line->byte_seconds < 0x1p62 ? (uint64_t)line->byte_seconds : UINT64_C(1) << 62);
    char *uses = say_uses(line);
    char *longer =
        memory_print("%s; idle%s from %.0f %% to %.0f %% of their lives (%s): %" PRIu64 " of %" PRIu64
                     " sampled accesses lie there, %.0f would if they were as dense; %s times seconds in all",
                     *text, uses, 100.0 * idle->from / DB_HEAT_PARTS, 100.0 * idle->to / DB_HEAT_PARTS, time,
                     idle->seen, idle->accesses, idle->expected, sum);
    free(uses);
    free(time);
    free(sum);
    free(*text);
    *text = longer;
}

char *text_line_memory(const struct model *model, const struct line *line)
{
    const struct alive *alive = &line->alive;
    if (model->memory.record == NULL || alive->births == 0)
        return NULL;
    char *lifetime = text_lifetime(alive), *peak = page_bytes(alive->peak_bytes);
    char *text = memory_print("memory %s%s%s", lifetime, alive->peak_bytes > 0 ? ", at the peak " : "",
                              alive->peak_bytes > 0 ? peak : "");
    add_facts(&text, alive);
    add_idle(&text, &line->idle);
    free(lifetime);
    free(peak);
    return text;
}
