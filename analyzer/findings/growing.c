/*
 * Claim: the line copies all that it has in order to add a little, again and again.
 * Evidence: it assigns to a name what a call that joins buffers makes of that same name (`x = np.concatenate([x, y])`), in a
 * loop; and what it made was nearly always larger than what it had made before, of many sizes. The waste is its time but for
 * the part that what was added is of what was made.
 * Traps: batches that are joined in the order of their lengths (the name is not among the arguments); a window that slides
 * (its size stays, at once or once it is full); a few parts that are joined (few sizes). Data frames are told by frame_rows.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/expression.h"
#include "findings/libraries.h"
#include "findings/loop.h"
#include "findings/sites.h"
#include "findings/statement.h"
#include "model/processes.h"
#include "model/select.h"
#include "model/source.h"
#include "python/given.h"
#include "python/region.h"
#include "python/scope.h"
#include "python/stores.h"
#include "python/suite.h"
#include "python/words.h"
#include "show/page.h"

#define SIZES_MIN 16u
#define GROWN_MIN 4u   /* times as large as the first */
#define FALLING_OF 10u /* one step in so many may lead to a smaller one */
#define STAYS_OF 10u   /* ... and one result in so many may be of a size at which it stays */
#define WASTE_PERCENT 0.5

static const char *const joins[] = {"concatenate", "append", "vstack", "hstack", "column_stack", "row_stack",
                                    "dstack",      "insert", "pad",    "cat",    "concat"};

/* Of a place: its sites of growing size, which were met in that order. */
struct growth {
    const struct site *first, *last;
    uint64_t sizes, falling, results;
    uint64_t staying; /* results of one size that was made oftener than the smaller one before it */
    double bytes, added_bytes;
};

static bool names(struct word text, struct word name)
{
    for (const char *at = text.text, *end = at + text.length_bytes; at + name.length_bytes <= end; at++) {
        bool begins = at == text.text || (!word_char(at[-1]) && at[-1] != '.');
        const char *behind = at + name.length_bytes;
        if (begins && word_equal((struct word){at, name.length_bytes}, name) && (behind == end || !word_char(*behind)))
            return true;
    }
    return false;
}

/* "x = np.concatenate([x, y])"; "x, n = np.append(x, y), n + 1" */
static bool joins_itself(struct model *model, const struct site *site)
{
    uint32_t frame = callers_frame(site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    struct word target = statement_item(model, site->process, frame), text = {0};
    text.text = operation_text(model, site->process, frame, &text.length_bytes);
    if (operation.kind != OPERATION_CALL || target.length_bytes == 0 || text.text == NULL)
        return false;
    const char *behind = operation.name + operation.length_bytes;
    struct word arguments = {behind, (size_t)(text.text + text.length_bytes - behind)};
    for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++)
        if (operation_is_named(&operation, joins[i]))
            return names(arguments, target) &&
                   loop_around(model, site->process, site->record->node, false).file != NULL;
    return false;
}

/* "store.seen" of "self.seen": by whatever name the object has. */
static bool names_attribute(struct word text, struct word name)
{
    struct word last = word_last_part(name);
    for (const char *at = text.text;
         (at = memmem(at, (size_t)(word_end(text) - at), last.text, last.length_bytes)) != NULL; at++) {
        const char *behind = at + last.length_bytes;
        if (at > text.text && at[-1] == '.' && (behind == word_end(text) || !word_char(*behind)))
            return true;
    }
    return false;
}

/* Do rows other than those of the joining statement use it? Not those that give an attribute a value. */
static bool is_used(const struct source *code, const int32_t *rows, const int32_t *own, struct word name)
{
    bool is_attribute = word_last_part(name).text != name.text;
    for (int32_t row = rows[0]; row <= rows[1]; row++) {
        struct word text;
        size_t indent = 0;
        if ((row >= own[0] && row <= own[1]) || !suite_row(code, row, &text, &indent))
            continue;
        if (is_attribute ? names_attribute(text, name) && stores_effect(text, name) != STORE_REBINDS
                         : word_mentions(text, name) > 0)
            return true;
    }
    return false;
}

/* May something use what is joined so far, while the loop runs? An attribute others may, in the same file; a function gives it to its caller. */
static bool is_used_meanwhile(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    uint32_t frame = callers_frame(process, site->record->node);
    struct loop_body body;
    struct code *code = NULL;
    struct word target = statement_item(model, process, frame);
    int32_t own[2], rows[2];
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    const struct source *source = code != NULL ? source_code(model, code->file) : NULL;
    if (target.length_bytes == 0 || word_end(target)[-1] == ']' || source == NULL ||
        !suite_rows(source, 1, span.line, &own[0], &own[1]))
        return true;
    bool is_attribute = memchr(target.text, '.', target.length_bytes) != NULL;
    bool is_looped = loop_of_frame(model, process, frame, &body);
    if (!is_attribute && !is_looped)
        return true;
    rows[0] = is_attribute ? 1 : body.first;
    rows[1] = is_attribute ? (int32_t)source->line_count : body.last;
    return is_used(source, rows, own, target);
}

/* `place`: of the loop; NULL: which of them is not known. */
static char *say_advice(bool used, const char *place)
{
    char *where = place != NULL ? memory_print("the loop at %s", place) : memory_print("the loops around"), *text;
    if (!used)
        text = memory_print("Append the parts to a list and join them once behind %s, or store them into a buffer of "
                            "the final size, made before %s.",
                            where, place != NULL ? "it" : "they begin to fill it");
    else
        text = memory_print("What is joined so far may be read in %s: store each part into a buffer of the final size, "
                            "made before %s (where that is not known, one that is made twice as large when it is "
                            "full), and read the part of it that is filled.",
                            where, place != NULL ? "it" : "they begin to fill it");
    free(where);
    return text;
}

/* A place lists its sites from the last that was met on; the sites of one call in one process are looked at. */
static struct growth growth_of(const struct place *place)
{
    struct growth growth = {.last = place->sites};
    const struct site *larger = NULL;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        const struct db_site *record = site->record;
        if (site->process != growth.last->process || site->python != growth.last->python || site_results(site) == 0)
            continue;
        if (larger != NULL && larger->record->size_bytes > record->size_bytes)
            growth.added_bytes +=
                (double)site_results(larger) * (double)(larger->record->size_bytes - record->size_bytes);
        if (larger != NULL && site_results(larger) > 2 * site_results(site) && site_results(larger) > growth.staying)
            growth.staying = site_results(larger);
        growth.falling += larger != NULL && larger->record->size_bytes < record->size_bytes;
        growth.sizes++;
        growth.results += site_results(site);
        growth.bytes += (double)site_results(site) * (double)record->size_bytes;
        growth.first = larger = site;
    }
    return growth;
}

static bool grows(const struct growth *growth)
{
    return growth->bytes > 0 && growth->sizes >= SIZES_MIN && growth->falling * FALLING_OF <= growth->sizes &&
           growth->staying * STAYS_OF <= growth->results &&
           growth->last->record->size_bytes >= GROWN_MIN * growth->first->record->size_bytes;
}

static double waste_s(const struct place *place, const struct growth *growth)
{
    return (double)place->ns * 1e-9 * fmax(0, 1 - growth->added_bytes / growth->bytes);
}

/* A name of the function's own, which ends with it: it grows through no loop further out. */
static bool is_own_name(struct model *model, struct process *process, uint32_t frame, struct word target)
{
    struct code *code = NULL;
    struct parameter parameter;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    const struct source *source = code != NULL && span.line > 0 ? source_code(model, code->file) : NULL;
    int32_t def = source != NULL ? scope_function(source, span.line) : 0;
    return def > 0 && word_equal(target, word_last_part(target)) && region_is_local(source, def, target) &&
           !given_parameter(source, def, target, &parameter);
}

/*
 * What has each size once grows through all loops around. Of a name that has them several times the nearest makes it anew; attributes
 * and items may be as many arrays: none is told.
 */
static struct loop loop_of_growth(struct model *model, const struct site *site, const struct growth *growth)
{
    uint32_t frame = callers_frame(site->process, site->record->node);
    struct word target = statement_item(model, site->process, frame);
    if (growth->results <= growth->sizes)
        return is_own_name(model, site->process, frame, target)
                   ? loop_outermost_in(model, site->process, frame)
                   : loop_outermost(model, site->process, site->record->node);
    return word_equal(target, word_last_part(target)) && word_end(target)[-1] != ']'
               ? loop_around(model, site->process, site->record->node, false)
               : (struct loop){0};
}

static void say(struct model *model, struct finding *finding)
{
    struct growth growth = growth_of(finding->second->place);
    const struct site *site = finding->second;
    struct loop loop = loop_of_growth(model, site, &growth);
    char *made = page_count(growth.results), *place = loop.file != NULL ? say_place(model, loop.file, loop.line) : NULL;
    char *from = page_bytes(growth.first->record->size_bytes), *to = page_bytes(growth.last->record->size_bytes);
    char *all_bytes = page_bytes((uint64_t)fmin(growth.bytes, 0x1p62));
    char *added = page_bytes((uint64_t)fmin(growth.added_bytes, 0x1p62));
    const char *least = finding->exact ? "" : "at least ";
    finding->claim =
        memory_print("Made %s%s times, each time a little larger, from %s to %s%s: %s%s were written to add %s.", least,
                     made, from, to, finding->exact ? "" : " or more", least, all_bytes, added);
    finding->advice = say_advice(is_used_meanwhile(model, site), place);
    char *all[] = {made, place, from, to, all_bytes, added};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

static bool holds(struct model *model, const struct place *place, const struct growth *growth)
{
    double least = place->samples > 0 ? fmax(0, 1 - 2 / sqrt((double)place->samples)) : 0;
    return growth->first != NULL && grows(growth) && joins_itself(model, growth->last) &&
           !site_is_made_by_pandas(model, growth->last) &&
           model_percent(model, waste_s(place, growth) * least) >= WASTE_PERCENT;
}

/* One that leads, of several on a line, is told of. */
static void tell(struct finding *finding, const struct place *place, const struct growth *growth)
{
    finding->span = place->span;
    finding->first = finding->second = growth->last;
    finding->object = (struct finding_object){.size_bytes = growth->last->record->size_bytes,
                                              .made = growth->results,
                                              .examined = growth->results,
                                              .equal = growth->results,
                                              .sizes = growth->sizes};
}

/* A line that grows several arrays has one finding, which tells of that with most bytes. */
static struct finding *claim_place(struct model *model, struct line *line, struct place *place, struct finding *finding)
{
    struct growth growth = growth_of(place);
    if (!holds(model, place, &growth))
        return finding;
    if (finding == NULL) {
        finding = finding_add(model, line, "churn", "API misuse");
        finding->exact = !process_is_crowded(growth.last->process->run);
        finding->say = say;
    }
    uint64_t bytes = (uint64_t)fmin(growth.bytes - growth.added_bytes, 0x1p62);
    if (bytes > finding->waste_bytes || finding->second == NULL)
        tell(finding, place, &growth);
    finding->waste_s = fmin(finding->waste_s + waste_s(place, &growth), (double)times_total(&line->times) * 1e-9);
    finding->waste_bytes += bytes;
    finding->whole += growth.results;
    finding->part = finding->whole;
    parts_add(&finding->parts, place->span, waste_s(place, &growth));
    place->claimed = true;
    return finding;
}

static void claim_line(struct model *model, struct line *line)
{
    struct finding *finding = NULL;
    for (struct place *place = line->places; place != NULL; place = place->next)
        if (!place->claimed)
            finding = claim_place(model, line, place, finding);
    if (finding != NULL && finding->parts.count == 1)
        finding->parts.count = 0;
}

void rule_growing(struct model *model)
{
    for (size_t i = 0; i < model->line_total; i++)
        if (!finding_has_line(model->lines[i]))
            claim_line(model, model->lines[i]);
}
