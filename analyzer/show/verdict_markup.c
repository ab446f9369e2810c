/* The verdict in Markdown, in JUnit's XML and as workflow commands of GitHub Actions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/text.h"
#include "show/verdict.h"

/* `<code>text</code>` with everything in it escaped: in it neither Markdown nor mentions work. */
static void put_code(FILE *out, const char *text)
{
    char *escaped = escape_html(text);
    fprintf(out, "<code>%s</code>", escaped);
    free(escaped);
}

static void put_escaped(FILE *out, char *(*escape)(const char *text), const char *text)
{
    char *escaped = escape(text);
    fputs(escaped, out);
    free(escaped);
}

static void put_markdown_item(FILE *out, const struct judged_item *item)
{
    char *title = verdict_title(item), *message = verdict_message(item);
    fputs("- **", out);
    put_escaped(out, escape_html, title);
    fputs("**", out);
    if (item->line != NULL && *item->line->text != '\0') {
        fputs("<br>", out);
        put_code(out, item->line->text);
    }
    fputs("<br>", out);
    put_escaped(out, escape_html, message);
    if (item->finding != NULL)
        fprintf(out, " <sub>id %s</sub>", item->finding->id);
    fputc('\n', out);
    free(title);
    free(message);
}

bool verdict_show_markdown(FILE *out, const struct verdict *verdict)
{
    const struct judgement *judgement = verdict->judgement;
    char *subject = verdict_subject(verdict), *counts = verdict_counts(judgement);
    fprintf(out, "### PieProf: gate %s\n\n", judgement->failed ? "failed" : "passed");
    put_code(out, subject);
    fprintf(out, ": %s\n\n", counts);
    for (size_t i = 0; i < judgement->item_count; i++)
        if (verdict_tells(verdict, &judgement->items[i]))
            put_markdown_item(out, &judgement->items[i]);
    for (size_t i = 0; i < judgement->note_count; i++) {
        fputs("- note: ", out);
        put_escaped(out, escape_html, judgement->notes[i]);
        fputc('\n', out);
    }
    free(subject);
    free(counts);
    return ferror(out) == 0;
}

static void put_junit_case(FILE *out, const struct judged_item *item)
{
    char *title = verdict_title(item), *message = verdict_message(item);
    char *name = escape_xml(title), *why = escape_xml(message), *path = escape_xml(item_path(item));
    fprintf(out, "  <testcase classname=\"pieprof.%s\" name=\"%s\" file=\"%s\"", item->kind, name, path);
    if (item->line != NULL)
        fprintf(out, " line=\"%d\"", item->line->number);
    if (judged_fails(item->how))
        fprintf(out, ">\n    <failure type=\"%s\" message=\"%s\">%s</failure>\n  </testcase>\n", judged_name(item->how),
                why, why);
    else if (item->how == JUDGED_SUPPRESSED || item->how == JUDGED_ALLOWED)
        fprintf(out, "><skipped message=\"%s\"/></testcase>\n", why);
    else
        fputs("/>\n", out);
    free(title);
    free(message);
    free(name);
    free(why);
    free(path);
}

bool verdict_show_junit(FILE *out, const struct verdict *verdict)
{
    const struct judgement *judgement = verdict->judgement;
    size_t failures = 0, skipped = judgement->counts[JUDGED_SUPPRESSED] + judgement->counts[JUDGED_ALLOWED];
    for (enum judged how = 0; how < JUDGED_COUNT; how++)
        failures += judged_fails(how) ? judgement->counts[how] : 0;
    bool empty = judgement->item_count == 0;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"pieprof gate\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" errors=\"0\">\n",
            empty ? 1 : judgement->item_count, failures, skipped);
    if (verdict->now->phase < PHASE_COUNT)
        fprintf(out, "  <properties><property name=\"phase\" value=\"%s\"/></properties>\n",
                phase_names[verdict->now->phase]);
    for (size_t i = 0; i < judgement->item_count; i++)
        put_junit_case(out, &judgement->items[i]);
    if (empty)
        fputs("  <testcase classname=\"pieprof\" name=\"no finding\"/>\n", out);
    fputs("</testsuite>\n", out);
    return ferror(out) == 0;
}

static void put_command(FILE *out, const struct judged_item *item)
{
    char *title = verdict_title(item), *message = verdict_message(item);
    char *text = escape_command(message, false), *name = escape_command(title, true);
    char *path = escape_command(item_path(item), true);
    if (item->line == NULL) {
        fprintf(out, "::error title=%s::%s\n", name, text);
    } else {
        fprintf(out, "::error file=%s,line=%d", path, item->line->number);
        if (item->line->column >= 0 && item->line->end_column > item->line->column)
            fprintf(out, ",col=%d,endColumn=%d", item->line->column + 1, item->line->end_column + 1);
        fprintf(out, ",title=PieProf%%3A %s::%s\n", name, text);
    }
    free(title);
    free(message);
    free(text);
    free(name);
    free(path);
}

/*
 * Workflow commands begin a row, and the page holds foreign text: they are stopped around it, with a word that nobody can
 * have foreseen.
 */
bool verdict_show_github(FILE *out, const struct verdict *verdict)
{
    uint64_t word[2] = {0};
    if (getrandom(word, sizeof(word), 0) != (ssize_t)sizeof(word))
        return false;
    fprintf(out, "::stop-commands::%016" PRIx64 "%016" PRIx64 "\n", word[0], word[1]);
    bool good = verdict_show_text(out, verdict);
    fprintf(out, "::%016" PRIx64 "%016" PRIx64 "::\n", word[0], word[1]);
    return verdict_show_commands(out, verdict) && good;
}

bool verdict_show_commands(FILE *out, const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->judgement->item_count; i++)
        if (judged_fails(verdict->judgement->items[i].how))
            put_command(out, &verdict->judgement->items[i]);
    return ferror(out) == 0;
}
