/*
 * The row of what was wasted. Where most of what one line of the user's takes is wasted in several places of the packages
 * that it calls, this is said, too: each place's advice is for the package, where the user can keep that line's own result.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "findings/loop.h"
#include "show/text_parts.h"

#define PLACES_FEW 3u /* within one line: fewer say by themselves where they are entered from */

/* Seconds wasted in one way, and the part of them that --min-waste keeps from the findings below. */
struct wasted {
    const char *what;
    double seconds, hidden_s;
};

/* "computed again 11.2 s (18 %)", or nothing; `*text` grows. */
static void add_waste(const struct model *model, char **text, const struct wasted *wasted)
{
    if (wasted->seconds <= 0)
        return;
    char *time = page_seconds(wasted->seconds), *percent = page_percent(model_percent(model, wasted->seconds));
    char *hidden_time = page_seconds(wasted->hidden_s);
    char *hidden = wasted->hidden_s > 0 ? memory_print(", %s below --min-waste",
                                                       wasted->hidden_s < wasted->seconds ? hidden_time : "all of it")
                                        : memory_print("%s", "");
    char *longer = memory_print("%s%s%s %s (%s%s)", *text, **text ? "   " : "", wasted->what, time, percent, hidden);
    free(time);
    free(percent);
    free(hidden_time);
    free(hidden);
    free(*text);
    *text = longer;
}

/* Does --min-waste keep a line's waste from the findings? Where some tell it, by what these are held against. */
static bool is_hidden(const struct model *model, const struct line *line, double seconds, double min_waste_percent)
{
    bool told = false;
    for (size_t i = 0; i < model->finding_count; i++) {
        const struct finding *finding = model->findings[i];
        if (finding->line == line && select_finding_percent(model, finding) >= min_waste_percent)
            return false;
        told = told || finding->line == line;
    }
    return told || model_percent(model, seconds) < min_waste_percent;
}

enum way { AGAIN, STORED, ALLOCATED, APART, WAYS };

static enum way way_of_kind(const char *kind)
{
    if (strcmp(kind, "churn") == 0)
        return ALLOCATED;
    if (strcmp(kind, "tiny_calls") == 0)
        return APART;
    return strstr(kind, "_store") != NULL ? STORED : AGAIN;
}

/* Of each line the greatest, of those that findings tell where there are any: a fix wins its time once. */
static enum way way_of(const struct model *model, const struct line *line, const double seconds[WAYS])
{
    bool told[WAYS] = {false}, any = false;
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == line)
            told[way_of_kind(model->findings[i]->kind)] = any = true;
    enum way most = WAYS;
    for (enum way way = AGAIN; way < WAYS; way++)
        if ((!any || told[way]) && (most == WAYS || seconds[way] > seconds[most]))
            most = way;
    return most;
}

/* What was wasted on the line, in the way that counts. */
static double waste_of(const struct model *model, const struct line *line, enum way *way)
{
    const double seconds[WAYS] = {line->computed_again_s, line->stored_s, line->allocated_s, line->taken_apart_s};
    *way = way_of(model, line, seconds);
    return seconds[*way];
}

static bool is_told_again(const struct model *model, const struct line *line, double min_waste_percent, double *seconds)
{
    enum way way;
    *seconds = waste_of(model, line, &way);
    return way == AGAIN && line->found && !is_hidden(model, line, *seconds, min_waste_percent);
}

/* Does the user's line below which the finding stands go round in a loop, so that the same call may be made again? */
static bool is_looped(struct model *model, const struct finding *finding)
{
    const struct node *node = model_node(finding_process(finding), finding_node(finding));
    return node != NULL && loop_around(model, finding_process(finding), node->user, false).file != NULL;
}

static bool is_any_looped(struct model *model, const struct line *entrance)
{
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line->caller == entrance && is_looped(model, model->findings[i]))
            return true;
    return false;
}

/* Of one line of the user's: nothing where it is called once, or the packages that it calls waste less than half of its time, or in few places. */
static void put_within(const struct page *page, struct model *model, const struct line *entrance,
                       double min_waste_percent)
{
    double all_s = 0, seconds;
    size_t places = 0;
    for (size_t i = 0; i < model->line_count; i++)
        if (model->lines[i]->caller == entrance && is_told_again(model, model->lines[i], min_waste_percent, &seconds)) {
            all_s += seconds;
            places++;
        }
    const double carried_s = (double)entrance->carried_ns * 1e-9;
    if (places < PLACES_FEW || all_s * 2 < carried_s || !is_any_looped(model, entrance))
        return;
    char *wasted = page_seconds(all_s), *whole = page_seconds(carried_s), *path = text_path(model, entrance->file);
    text_row(page, "",
             memory_print("%s of it in %zu places of the packages that %s:%d calls, which takes %s in all: look there "
                          "first whether the same call is made again, and keep its result",
                          wasted, places, path, entrance->number, whole));
    free(wasted);
    free(whole);
    free(path);
}

/* Where the finding stands that the line's waste goes by. */
static const struct line *told_at(const struct line *line, enum way way)
{
    if (way == APART && line->taken_apart_at != NULL)
        return line->taken_apart_at;
    return way == AGAIN && line->operand_of != NULL && !line->found ? line->operand_of : line;
}

void text_waste(const struct page *page, struct model *model, double min_waste_percent)
{
    struct wasted ways[WAYS] = {{.what = "computed again"},
                                {.what = "stored for nothing"},
                                {.what = "allocated again"},
                                {.what = "element by element"}};
    for (size_t i = 0; i < model->line_count; i++) {
        const struct line *line = model->lines[i];
        enum way way;
        const double seconds = waste_of(model, line, &way);
        ways[way].seconds += seconds;
        ways[way].hidden_s += is_hidden(model, told_at(line, way), seconds, min_waste_percent) ? seconds : 0;
    }
    char *text = memory_print("%s", "");
    for (size_t way = 0; way < WAYS; way++)
        add_waste(model, &text, &ways[way]);
    if (*text == '\0') {
        free(text);
        return;
    }
    text_row(page, "wasted", text);
    /* A package's line leads where the user's line carries half of the run (model/lines.c): there is hardly another. */
    const struct line *entrance = NULL;
    for (size_t i = 0; i < model->line_count && entrance == NULL; i++)
        entrance = model->lines[i]->caller;
    if (entrance != NULL)
        put_within(page, model, entrance, min_waste_percent);
}
