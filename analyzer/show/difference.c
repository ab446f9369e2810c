/* The comparison of two runs: a page, JSON, Markdown. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/json_parts.h"
#include "show/page.h"
#include "show/verdict.h"

#define LINES_SHOWN 8u /* on a page: one screen */
#define LABEL_COLUMNS 12

/* "made 1.0 MiB -> 12 MiB"; empty where both are nothing. Takes the two values' texts; fresh memory. */
static char *say_change(const char *what, double before, double after, char *from, char *to)
{
    char *text = before > 0 || after > 0 ? memory_print("%s %s -> %s; ", what, from, to) : memory_print("%s", "");
    free(from);
    free(to);
    return text;
}

static char *say_bytes(const char *what, double before, double after)
{
    return say_change(what, before, after, page_bytes((uint64_t)before), page_bytes((uint64_t)after));
}

/* What changed on a line; fresh memory. */
static char *say_line(const struct difference *difference, const struct difference_line *line)
{
    double before_s = difference->timed && line->base != NULL ? line->base->time_s : 0;
    double after_s = difference->timed && line->now != NULL ? line->now->time_s : 0;
    char *again = say_bytes("made again", line->before.again_bytes, line->after.again_bytes);
    char *made = say_bytes("made", line->before.bytes, line->after.bytes);
    char *births = say_change("objects", (double)line->before.births, (double)line->after.births,
                              page_count(line->before.births), page_count(line->after.births));
    char *time = say_change("time", before_s, after_s, page_seconds(before_s), page_seconds(after_s));
    char *text = memory_print("%s%s%s%s", again, made, births, time);
    if (strlen(text) >= 2)
        text[strlen(text) - 2] = '\0'; /* the last "; " */
    free(again);
    free(made);
    free(births);
    free(time);
    return text;
}

static unsigned phases_of(const struct profile_line *line)
{
    return line != NULL ? line->phases | line->ran : 0;
}

/* "; in forward, backward": where the line worked in either run; empty where that is none of a training. Fresh memory. */
static char *say_phases(const struct difference *difference, const struct difference_line *line)
{
    const unsigned phases = phases_of(line->base) | phases_of(line->now);
    char *text = memory_print("%s", "");
    for (enum phase phase = 0; phase < PHASE_OTHER && (difference->base->training || difference->now->training);
         phase++) {
        if ((phases >> phase & 1) == 0)
            continue;
        char *longer = memory_print("%s%s%s", text, *text != '\0' ? ", " : "; in ", phase_words[phase]);
        free(text);
        text = longer;
    }
    return text;
}

static const char *line_state(const struct difference_line *line)
{
    if (line->now == NULL)
        return "only before";
    if (line->base == NULL)
        return line->unmatched ? "no match" : "only now";
    return line->edited ? "edited" : "changed";
}

static char *line_title(const struct difference *difference, const struct difference_line *line)
{
    const struct profile_line *told = difference_line(line);
    char *whole = memory_print("%s:%d %s", difference_path(difference, line), told->number, told->function);
    char *title = text_printable(whole, strlen(whole));
    free(whole);
    return title;
}

static char *say_totals(const struct difference *difference)
{
    const struct profile *base = difference->base, *now = difference->now;
    char *made[2] = {page_bytes(base->object_bytes), page_bytes(now->object_bytes)};
    char *births[2] = {page_count(base->births), page_count(now->births)};
    char *seconds[2] = {page_seconds(base->time_s), page_seconds(now->time_s)};
    struct metric_value before = metric_of(base, GATE_REPLICAS), after = metric_of(now, GATE_REPLICAS);
    char *again[2] = {page_bytes((uint64_t)before.value), page_bytes((uint64_t)after.value)};
    char *text = memory_print("objects %s in %s -> %s in %s; made again in findings %s -> %s%s%s%s%s", made[0],
                              births[0], made[1], births[1], again[0], again[1], difference->timed ? "; CPU time " : "",
                              difference->timed ? seconds[0] : "", difference->timed ? " -> " : "",
                              difference->timed ? seconds[1] : "");
    for (unsigned i = 0; i < 2; i++) {
        free(made[i]);
        free(births[i]);
        free(seconds[i]);
        free(again[i]);
    }
    return text;
}

/* "base.db -> out.db, phase forward". Fresh memory. */
static char *say_names(const struct difference *difference)
{
    const struct profile *now = difference->now;
    bool restricted = now->phase < PHASE_COUNT;
    return memory_print("%s -> %s%s%s", difference->base->name, now->name, restricted ? ", " : "",
                        restricted ? profile_phase_words(now->phase) : "");
}

static void put_labelled(const struct page *page, enum style style, const char *label, const char *text)
{
    char *padded = memory_print("%-*s", LABEL_COLUMNS, label), *printable = text_printable(text, strlen(text));
    page_put(page, style, padded);
    page_wrap(page, LABEL_COLUMNS, LABEL_COLUMNS, printable);
    free(padded);
    free(printable);
}

static void put_findings(const struct page *page, const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->item_count; i++) {
        const struct judged_item *item = &judgement->items[i];
        bool told = judged_fails(item->how) || item->how == JUDGED_GONE;
        if (!told)
            continue;
        const char *phase = verdict_phase(item);
        char *text = memory_print("%s:%d %s    %s%s%s. %s", item_path(item), item->line->number, item->line->function,
                                  item->kind, phase != NULL ? ", in " : "", phase != NULL ? phase : "", item->what);
        put_labelled(page, judged_fails(item->how) ? STYLE_WARN : STYLE_GOOD, judged_name(item->how), text);
        free(text);
    }
}

bool difference_show_text(FILE *out, const struct difference *difference, const struct options *options)
{
    struct page page;
    page_start(&page, out, options);
    char *totals = say_totals(difference), *counts = verdict_counts(&difference->judgement);
    char *names = say_names(difference);
    put_labelled(&page, STYLE_TITLE, "runs", names);
    put_labelled(&page, STYLE_PLAIN, "totals", totals);
    put_labelled(&page, STYLE_PLAIN, "findings", counts);
    put_findings(&page, &difference->judgement);
    for (size_t i = 0; i < difference->line_count && i < LINES_SHOWN; i++) {
        const struct difference_line *line = &difference->lines[i];
        char *title = line_title(difference, line), *what = say_line(difference, line);
        char *phases = say_phases(difference, line), *text = memory_print("%s    %s%s", title, what, phases);
        put_labelled(&page, STYLE_PLAIN, line_state(line), text);
        char *all[] = {title, what, phases, text};
        for (size_t j = 0; j < sizeof(all) / sizeof(all[0]); j++)
            free(all[j]);
    }
    if (difference->line_count > LINES_SHOWN)
        fprintf(out, "%-*s%zu further lines changed; --format json lists them\n", LABEL_COLUMNS, "",
                difference->line_count - LINES_SHOWN);
    if (difference->unmatched > 0)
        fprintf(out, "%-*s%zu of the changed lines could not be matched with a line of the first run\n", LABEL_COLUMNS,
                "note", difference->unmatched);
    for (size_t i = 0; i < difference->judgement.note_count; i++)
        put_labelled(&page, STYLE_DIM, "note", difference->judgement.notes[i]);
    free(totals);
    free(counts);
    free(names);
    return ferror(out) == 0;
}

static json_t *json_side(const struct difference *difference, const struct profile *profile,
                         const struct profile_line *line, const struct line_objects *objects)
{
    if (line == NULL)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "path", json_text(line_path(profile, line)));
    json_object_set_new(object, "line", json_integer(line->number));
    json_object_set_new(object, "function", json_text(line->function));
    json_object_set_new(object, "text", json_text(line->text));
    json_object_set_new(object, "phases", json_phases_of(phases_of(line)));
    json_put_count(object, "births", objects->births);
    json_put_count(object, "bytes", (uint64_t)objects->bytes);
    json_put_count(object, "again_bytes", (uint64_t)objects->again_bytes);
    json_object_set_new(object, "time_s", difference->timed ? json_seconds(line->time_s) : json_null());
    return object;
}

static json_t *json_total(const struct profile *profile)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text(profile->name));
    json_put_count(object, "births", profile->births);
    json_put_count(object, "bytes", profile->object_bytes);
    json_put_count(object, "findings", (uint64_t)metric_of(profile, GATE_FINDINGS).value);
    json_put_count(object, "again_bytes", (uint64_t)metric_of(profile, GATE_REPLICAS).value);
    json_object_set_new(object, "time_s", profile->from_run ? json_seconds(profile->time_s) : json_null());
    return object;
}

static json_t *json_findings(const struct judgement *judgement)
{
    json_t *findings = json_array();
    for (size_t i = 0; i < judgement->item_count; i++) {
        const struct judged_item *item = &judgement->items[i];
        json_t *object = json_object();
        json_object_set_new(object, "verdict", json_string(judged_name(item->how)));
        json_object_set_new(object, "id", json_text(item->finding != NULL ? item->finding->id : NULL));
        json_object_set_new(object, "kind", json_text(item->kind));
        json_object_set_new(object, "path", json_text(item_path(item)));
        json_object_set_new(object, "line", json_integer(item->line->number));
        json_object_set_new(object, "phase", json_phase_asked(item_phase(item)));
        json_object_set_new(object, "why", json_text(item->what));
        json_array_append_new(findings, object);
    }
    return findings;
}

bool difference_show_json(FILE *out, const struct difference *difference)
{
    json_t *root = json_object(), *lines = json_array(), *notes = json_array();
    for (size_t i = 0; i < difference->line_count; i++) {
        const struct difference_line *line = &difference->lines[i];
        json_t *object = json_object();
        json_object_set_new(object, "state", json_string(line_state(line)));
        json_object_set_new(object, "base", json_side(difference, difference->base, line->base, &line->before));
        json_object_set_new(object, "now", json_side(difference, difference->now, line->now, &line->after));
        json_array_append_new(lines, object);
    }
    for (size_t i = 0; i < difference->judgement.note_count; i++)
        json_array_append_new(notes, json_text(difference->judgement.notes[i]));
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "phase", json_phase_asked(difference->now->phase));
    json_object_set_new(root, "base", json_total(difference->base));
    json_object_set_new(root, "now", json_total(difference->now));
    json_object_set_new(root, "findings", json_findings(&difference->judgement));
    json_object_set_new(root, "lines", lines);
    json_put_count(root, "unmatched", difference->unmatched);
    json_object_set_new(root, "notes", notes);
    return json_print(out, root, JSON_INDENT(2)) && fputc('\n', out) != EOF;
}

static void put_escaped(FILE *out, const char *text)
{
    char *escaped = escape_html(text);
    fputs(escaped, out);
    free(escaped);
}

static void put_markdown_notes(FILE *out, const struct difference *difference)
{
    fputc('\n', out);
    for (size_t i = 0; i < difference->judgement.note_count; i++) {
        fputs("- note: ", out);
        put_escaped(out, difference->judgement.notes[i]);
        fputc('\n', out);
    }
    if (difference->unmatched > 0)
        fprintf(out, "- note: %zu of the changed lines could not be matched with a line of the first run\n",
                difference->unmatched);
}

bool difference_show_markdown(FILE *out, const struct difference *difference)
{
    char *totals = say_totals(difference);
    fputs("### PieProf\n\n", out);
    put_escaped(out, totals);
    fputs("\n\n", out);
    for (size_t i = 0, rows = 0; i < difference->judgement.item_count; i++) {
        const struct judged_item *item = &difference->judgement.items[i];
        if (!judged_fails(item->how) && item->how != JUDGED_GONE)
            continue;
        if (rows++ == 0)
            fputs("| finding | where | what |\n|---|---|---|\n", out);
        fprintf(out, "| %s | <code>", judged_name(item->how));
        put_escaped(out, item_path(item));
        fprintf(out, ":%d</code> | ", item->line->number);
        put_escaped(out, item->what);
        if (verdict_phase(item) != NULL)
            fprintf(out, " In %s.", verdict_phase(item));
        fputs(" |\n", out);
    }
    if (difference->line_count > 0)
        fputs("\n| line | | what |\n|---|---|---|\n", out);
    for (size_t i = 0; i < difference->line_count && i < LINES_SHOWN; i++) {
        char *title = line_title(difference, &difference->lines[i]),
             *what = say_line(difference, &difference->lines[i]),
             *phases = say_phases(difference, &difference->lines[i]);
        fputs("| <code>", out);
        put_escaped(out, title);
        fprintf(out, "</code> | %s | ", line_state(&difference->lines[i]));
        put_escaped(out, what);
        put_escaped(out, phases);
        fputs(" |\n", out);
        free(title);
        free(what);
        free(phases);
    }
    put_markdown_notes(out, difference);
    free(totals);
    return ferror(out) == 0;
}
