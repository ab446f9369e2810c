#include "show/text.h"

#include <stdlib.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "model/engines.h"
#include "show/text_parts.h"

static void put_more(const struct page *page, size_t count, const char *what)
{
    if (count == 0)
        return;
    char *text = memory_print("... and %zu more %s%s (--top 0 shows all)", count, what, count == 1 ? "" : "s");
    fprintf(page->out, "%4s", "");
    page_wrap(page, 4, 4, text);
    fputc('\n', page->out);
    free(text);
}

static void put_findings(const struct page *page, struct model *model, const struct selection *selection)
{
    for (size_t i = 0; i < selection->finding_count; i++)
        text_finding(page, model, selection->findings[i], i + 1);
    put_more(page, selection->finding_matches - selection->finding_count, "finding");
    if (selection->finding_count > 0)
        page_put(page, STYLE_TITLE, "lines by waste, then by time\n\n");
}

/* The rank of the line's first finding on the page, or of the loop's that it stands in; 0 without one. */
static size_t finding_rank(const struct selection *selection, const struct line *line)
{
    for (size_t i = 0; i < selection->finding_count; i++)
        if (selection->findings[i]->line == line)
            return i + 1;
    const struct line *told_at = line->taken_apart_at != NULL ? line->taken_apart_at : line->operand_of;
    return told_at != NULL && told_at != line ? finding_rank(selection, told_at) : 0;
}

static void put_lines(const struct page *page, struct model *model, const struct selection *selection,
                      const struct options *options)
{
    for (size_t i = 0; i < selection->line_count; i++)
        text_line(page, model, selection->lines[i], i + 1, finding_rank(selection, selection->lines[i]),
                  options->min_waste_percent);
    put_more(page, selection->line_matches - selection->line_count, "line");
}

/* A store of the same value is redundant and makes the one before dead: told once. */
static bool is_told(const struct selection *selection, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (selection->pairs[i]->example == selection->pairs[index]->example)
            return true;
    return false;
}

static void put_pairs(const struct page *page, struct model *model, const struct selection *selection)
{
    if (selection->pair_count == 0)
        return;
    page_put(page, STYLE_TITLE, "redundant accesses, with the way to both\n");
    for (size_t i = 0; i < selection->pair_count; i++)
        if (!is_told(selection, i))
            text_pair(page, model, selection->pairs[i]);
    fputc('\n', page->out);
}

void text_show(FILE *out, struct model *model, const struct selection *selection, const struct options *options)
{
    struct page page;
    page_start(&page, out, options);
    text_head(&page, model, options->min_waste_percent);
    fputc('\n', out);
    put_findings(&page, model, selection);
    put_lines(&page, model, selection, options);
    put_pairs(&page, model, selection);
    text_tail(&page, model, selection, options);
}
