/* Phases of the training on the page: a row of the head, a tag of lines and findings. */
#include <stdlib.h>

#include "base/memory.h"
#include "show/text_parts.h"

/* Two phases make a training; one alone is some function of that name. */
bool text_is_training(const struct model *model)
{
    unsigned recognised = 0;
    for (enum phase phase = 0; phase < PHASE_OTHER; phase++)
        recognised += times_total(&model->totals.phases[phase].times) > 0;
    return recognised >= 2;
}

/* ", forward 62 %" to the text; nothing for what is too little to be told as a percent. */
static void add_part(char **text, const char *words, double ns, double total_ns)
{
    if (ns <= 0 || ns < total_ns * 0.0005)
        return;
    char *percent = page_percent(100 * ns / total_ns);
    char *longer = memory_print("%s%s%s %s", *text, **text ? ", " : "", words, percent);
    free(percent);
    free(*text);
    *text = longer;
}

/* What ran on threads without Python is apart from what Python called and is none of the four. */
void text_phases(const struct page *page, const struct model *model)
{
    if (!text_is_training(model))
        return;
    char *text = memory_print("%s", "");
    double total = (double)totals_run_ns(&model->totals);
    const struct phase_totals *phases = model->totals.phases, *other = &phases[PHASE_OTHER];
    for (enum phase phase = 0; phase < PHASE_OTHER; phase++)
        add_part(&text, phase_words[phase], (double)times_total(&phases[phase].times), total);
    add_part(&text, phase_words[PHASE_OTHER], (double)(times_total(&other->times) - other->elsewhere_ns), total);
    add_part(&text, "outside Python", (double)other->elsewhere_ns, total);
    page_put(page, STYLE_DIM, "phases  ");
    page_wrap(page, 8, 8, text);
    free(text);
}

char *text_line_phases(const struct model *model, const struct line *line)
{
    uint64_t total = 0;
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        total += line->phase_ns[phase];
    if (!text_is_training(model) || total == 0 || line->phase_ns[PHASE_OTHER] == total)
        return NULL;
    char *text = memory_print("%s", "");
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        if (line->phase_ns[phase] == total) {
            free(text);
            return memory_print("all in %s", phase_words[phase]);
        }
        add_part(&text, phase_words[phase], (double)line->phase_ns[phase], (double)total);
    }
    char *whole = memory_print("%s%s", model->phase < PHASE_COUNT ? "over the run " : "", text);
    free(text);
    return whole;
}

const char *text_phase(const struct model *model, enum phase phase)
{
    return text_is_training(model) && phase != PHASE_OTHER ? phase_words[phase] : NULL;
}
