/*
 * Claim: the statement fills a buffer, and what stands right behind it stores into all of that before anybody reads it: it need not be filled.
 * Evidence: the text alone (cover.h), which a short run shows as well as a long one; samples of time say whether it is worth telling. The waste
 * is what the fill's own call took, but for the page faults of fresh memory, which whoever stores there first pays.
 * Traps: those of cover.h; another name of a buffer that is kept, by which the statement that covers it reads what the fill stored
 * (origins.h); a followed store of the line that was read all the same; small buffers, of which the call is nearly all that the fill takes,
 * and empty() has that, too; what the call's arguments take.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/blank.h"
#include "findings/sites.h"
#include "model/select.h"
#include "model/source.h"
#include "python/cover.h"
#include "python/origins.h"
#include "show/page.h"

#define MADE_MIN_BYTES 16384u
#define SAMPLES_MIN 4u /* of the line */
#define WASTE_PERCENT 0.5

/* The line's heaviest site of those made as a buffer of one value; NULL: none. */
static const struct site *blank_site(struct model *model, const struct line *line)
{
    const struct site *heaviest = NULL;
    for (const struct place *place = line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL; site = site->next)
            if (site_is_blank(model, site) != BLANK_NO &&
                (heaviest == NULL || site->record->births * site->record->size_bytes >
                                         heaviest->record->births * heaviest->record->size_bytes))
                heaviest = site;
    return heaviest;
}

static double waste_s(const struct line *line, const struct site *site)
{
    double native_s = (double)line->times.ns[TIME_NATIVE] * 1e-9;
    if (site != NULL)
        native_s = fmin(native_s, (double)site->place->native_ns * 1e-9);
    return fmax(native_s - line->alive.faults.seconds, 0);
}

/* Was one of its stores that were followed loaded before it was overwritten? */
static bool is_read(struct model *model, const struct line *line)
{
    for (size_t i = 0; i < model->process_count; i++) {
        struct process *process = &model->processes[i];
        struct run_cursor cursor = {0};
        for (const struct db_pair *record; (record = run_next(&process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;)
            if (record->first_access == DB_ACCESS_STORE && record->address_class == DB_CLASS_OBJECT &&
                (record->second_access == DB_ACCESS_LOAD || (record->flags & DB_PAIR_USED) != 0) &&
                lines_of_leaf(model, process, record->first_node) == line)
                return true;
    }
    return false;
}

static void say(struct model *model, struct finding *finding)
{
    const struct source *code = source_code(model, finding->line->file);
    struct cover_fill fill;
    cover_read_fill(code, finding->line->number, &fill);
    char *by = say_place(model, finding->line->file, cover_find(code, finding->line->number, &fill));
    char *name = text_printable(fill.buffer.text, fill.buffer.length_bytes);
    char *size = page_bytes(finding->object.size_bytes), *made = page_count(finding->object.made);
    char *what =
        fill.is_made ? memory_print("%s made %s times and filled", size, made) : memory_print("Fills %s", name);
    finding->claim = memory_print("%s; %s stores into all of it before anybody reads it.", what, by);
    finding->advice =
        memory_print("%s%s writes all of it.",
                     fill.is_made ? "Make it without content: empty() or empty_like(), for " : "Leave it out: ", by);
    char *all[] = {by, name, size, made, what};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* `site`: what it makes; NULL: it fills what is kept. */
static void claim(struct model *model, struct line *line, const struct site *site)
{
    struct finding *finding = finding_add(model, line, "dead_store", "dead initialisation");
    finding->waste_s = waste_s(line, site);
    finding->part = finding->whole = line->times.samples;
    finding->say = say;
    finding_set_context(model, finding);
    finding->by_text = site == NULL;
    if (site == NULL)
        return;
    const struct db_site *record = site->record;
    finding->span = site->place->span;
    finding->first = finding->second = site;
    finding->object = (struct finding_object){.size_bytes = record->size_bytes,
                                              .made = record->births,
                                              .equal = record->births,
                                              .examined = record->examined,
                                              .sizes = 1};
    finding->part = finding->whole = record->births;
    finding->exact = true;
}

/* What the statement itself has just made has no other name yet. */
static bool is_covered(const struct source *code, int32_t line, const struct cover_fill *fill)
{
    int32_t row = cover_find(code, line, fill);
    return row > 0 && (fill->is_made || !origins_may_read(code, line, row, fill->buffer));
}

static void look_at(struct model *model, struct line *line)
{
    struct cover_fill fill;
    const struct source *code = source_code(model, line->file);
    if (!cover_read_fill(code, line->number, &fill))
        return;
    const struct site *site = fill.is_made ? blank_site(model, line) : NULL;
    bool is_small = fill.is_made && (site == NULL || site->record->size_bytes < MADE_MIN_BYTES);
    if (!is_small && model_percent(model, waste_s(line, site)) >= WASTE_PERCENT && !is_read(model, line) &&
        is_covered(code, line->number, &fill))
        claim(model, line, site);
}

void rule_covered_fill(struct model *model)
{
    for (size_t i = 0; i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (line->own && line->times.samples >= SAMPLES_MIN && !finding_has_line(line))
            look_at(model, line);
    }
}
