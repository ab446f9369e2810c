/* One finding: where, how much, what to call it, its text, what was measured, what to do, the way there. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/finding.h"
#include "model/share.h"
#include "show/text_parts.h"

#define INDENT 4

/* "exact", "by the text", or the interval of a share that rests on some of the objects; or on samples of all. Fresh memory. */
static char *certainty(const struct finding *finding)
{
    if (finding->by_text)
        return memory_print("by the text");
    if (finding->looked_at_all && finding->by_samples)
        return memory_print("compared by samples");
    char *share =
        finding->exact ? NULL : text_share(share_estimate_counts(finding->part, finding->whole, finding->undecided));
    char *text = memory_print("%s%s",
                              finding->exact  ? "exact"
                              : share != NULL ? share
                                              : "few looked at",
                              finding->by_samples ? ", by samples" : "");
    free(share);
    return text;
}

/* "0.41 s (5 %)", or "96 MiB of the peak". Fresh memory. */
static char *finding_cost(const struct model *model, const struct finding *finding)
{
    char *time = page_seconds(finding->waste_s), *percent = page_percent(model_percent(model, finding->waste_s));
    char *bytes = page_bytes(finding->waste_bytes);
    char *text = finding->by_memory ? memory_print("%s of the peak", bytes) : memory_print("%s (%s)", time, percent);
    free(time);
    free(percent);
    free(bytes);
    return text;
}

static void put_title(const struct page *page, const struct model *model, const struct finding *finding, size_t rank)
{
    const struct line *line = finding->line;
    char *path = text_path(model, line->file), *function = text_printable(line->function, strlen(line->function));
    char *cost = finding_cost(model, finding);
    char *where = memory_print("%s:%d %s", path, line->number, function), *sure = certainty(finding);
    const char *phase = text_phase(model, finding_phase(finding));
    char *what =
        memory_print("  %s    %s, %s%s%s", cost, finding->category, sure, phase ? "; in " : "", phase ? phase : "");
    size_t room = page->width - INDENT, columns = text_columns(where);
    fprintf(page->out, "%2zu  ", rank);
    char *cut = text_cut(where, room);
    page_put(page, STYLE_TITLE, cut);
    bool same_row = columns + text_columns(what) + 2 <= room;
    if (!same_row)
        fprintf(page->out, "\n%*s", INDENT - 2, "");
    page_wrap(page, same_row ? INDENT + columns : INDENT - 2, INDENT, what);
    char *all[] = {path, function, cost, where, sure, what, cut};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

static void put_sentence(const struct page *page, enum style style, const char *text)
{
    static const char *const on[] = {[STYLE_PLAIN] = "", [STYLE_DIM] = "\033[2m", [STYLE_WARN] = "\033[33m"};
    fprintf(page->out, "%*s%s", INDENT, "", page->color ? on[style] : "");
    page_wrap(page, INDENT, INDENT, text);
    if (page->color)
        fputs("\033[0m", page->out);
}

static void put_way(const struct page *page, struct model *model, const struct process *process, uint32_t node,
                    const char *label)
{
    char *way = text_context(model, process, node, true), *text = memory_print("%s%s", label, way);
    put_sentence(page, STYLE_DIM, text);
    free(way);
    free(text);
}

void text_finding(const struct page *page, struct model *model, const struct finding *finding, size_t rank)
{
    bool two = finding->first != finding->second;
    put_title(page, model, finding, rank);
    bool several = finding->parts.count > 1;
    text_source(page, model, finding->line, several ? finding->parts.spans : &finding->span,
                several ? finding->parts.count : 1);
    text_caller(page, model, finding->line);
    put_sentence(page, STYLE_PLAIN, finding->claim);
    put_sentence(page, STYLE_WARN, finding->advice);
    if (two)
        put_way(page, model, finding->first->process, finding->first->record->node, "first: ");
    put_way(page, model, finding_process(finding), finding_node(finding), two ? "again: " : "");
    fputc('\n', page->out);
}
