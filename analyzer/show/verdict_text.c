/* The verdict as a page. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/page.h"
#include "show/verdict.h"

#define LABEL_COLUMNS 12

static void put_source(const struct page *page, const struct profile_line *line)
{
    char *printable = text_printable(line->text, strlen(line->text));
    char *row = memory_print("%5d | %s", line->number, printable);
    char *cut = text_cut(row, page->width - LABEL_COLUMNS);
    fprintf(page->out, "%*s%s\n", LABEL_COLUMNS, "", cut);
    free(printable);
    free(row);
    free(cut);
}

static void put_place(const struct page *page, const struct judged_item *item)
{
    if (item->line == NULL) {
        page_wrap(page, LABEL_COLUMNS, LABEL_COLUMNS, item->what);
        return;
    }
    const struct profile_finding *finding = item->finding;
    char *where = memory_print("%s:%d %s    %s%s%s%s%s", item_path(item), item->line->number, item->line->function,
                               item->kind, finding != NULL ? ", " : "", finding != NULL ? finding->category : "",
                               finding != NULL ? "    id " : "", finding != NULL ? finding->id : "");
    char *printable = text_printable(where, strlen(where));
    page_wrap(page, LABEL_COLUMNS, LABEL_COLUMNS, printable);
    free(where);
    free(printable);
}

static void put_item(const struct page *page, const struct judged_item *item)
{
    char *label = memory_print("%-*s", LABEL_COLUMNS, judged_name(item->how));
    page_put(page, judged_fails(item->how) ? STYLE_WARN : STYLE_GOOD, label);
    free(label);
    put_place(page, item);
    if (item->line == NULL)
        return;
    if (*item->line->text != '\0')
        put_source(page, item->line);
    char *message = verdict_message(item);
    fprintf(page->out, "%*s", LABEL_COLUMNS, "");
    page_wrap(page, LABEL_COLUMNS, LABEL_COLUMNS, message);
    free(message);
}

bool verdict_show_text(FILE *out, const struct verdict *verdict)
{
    const struct judgement *judgement = verdict->judgement;
    struct page page;
    page_start(&page, out, verdict->options);
    char *subject = verdict_subject(verdict), *counts = verdict_counts(judgement);
    char *head = memory_print("%s: %s", subject, counts);
    page_put(&page, judgement->failed ? STYLE_WARN : STYLE_GOOD, judgement->failed ? "gate failed " : "gate passed ");
    page_wrap(&page, LABEL_COLUMNS, LABEL_COLUMNS, head);
    for (size_t i = 0; i < judgement->item_count; i++)
        if (verdict_tells(verdict, &judgement->items[i])) {
            fputc('\n', out);
            put_item(&page, &judgement->items[i]);
        }
    for (size_t i = 0; i < judgement->note_count; i++) {
        char *note = text_printable(judgement->notes[i], strlen(judgement->notes[i]));
        fprintf(out, "%s%-*s", i == 0 ? "\n" : "", LABEL_COLUMNS, "note");
        page_wrap(&page, LABEL_COLUMNS, LABEL_COLUMNS, note);
        free(note);
    }
    free(subject);
    free(counts);
    free(head);
    return ferror(out) == 0;
}
