/* Pages that hot and cold objects share, on the page. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "show/text_parts.h"

#define INDENT 8

static char *text_place(const struct model *model, const struct line *line)
{
    char *path = text_path(model, line->file), *text = memory_print("%s:%d", path, line->number);
    free(path);
    return text;
}

void text_mixing(const struct page *page, const struct model *model)
{
    if (!mixing_matters(model))
        return;
    const struct mix *mix = &model->mixing.mixes[0];
    char *hot = text_place(model, mix->hot), *cold = text_place(model, mix->cold);
    double part = (double)mix->accesses / (double)model->accesses; /* counters of a damaged file do not agree */
    char *percent = page_percent(part < 1 ? 100 * part : 100);
    char *more = model->mixing.count > 1 ? memory_print("; %zu more such pairs", model->mixing.count - 1)
                                         : memory_print("%s", "");
    char *text =
        memory_print("objects of %s share pages with those of %s, and are at least %.0f times as hot for each "
                     "byte there (%" PRIu64 " of %" PRIu64 " sampled accesses); %s of all accesses are to them%s",
                     hot, cold, mix->ratio_low, mix->accesses, mix->accesses + mix->cold_accesses, percent, more);
    page_put(page, STYLE_DIM, "pages   ");
    page_wrap(page, INDENT, INDENT, text);
    char *all[] = {hot, cold, percent, more, text};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}
