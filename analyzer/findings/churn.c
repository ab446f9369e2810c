/*
 * Claim: the line asks for fresh memory again and again where one buffer, made once, would do.
 * Evidence: large objects of its sites are made and freed in turn; the kernel had to give most of their pages each time, as
 * they were not there at birth and were at the end; what that takes, by what a page was tried to cost and never more than the
 * time below the instruction, is worth it; and the line can be told where to put its result: it assigns to a name what a
 * NumPy operation makes that takes `out`.
 * Traps: temporaries within an expression (NumPy reuses some by itself); memory that malloc had kept (no page is fresh);
 * results that are kept (hardly any is freed before the next, or one, the best so far, outlives later ones); what automatic differentiation keeps, which nothing tells
 * from what it does not: PyTorch's objects are facts, no findings; workspaces of a library; lines that another rule has.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/churn_loop.h"
#include "findings/churn_ring.h"
#include "findings/expression.h"
#include "findings/loop.h"
#include "findings/numpy_call.h"
#include "findings/sites.h"
#include "findings/statement.h"
#include "model/select.h"
#include "python/words.h"
#include "show/page.h"

#define AGAIN_MIN 8u
#define AGAIN_OF_ALIVE 4u
#define WASTE_PERCENT 0.5
#define LOOPS_MAX 32u

/* Are its objects made and freed in turn, each in fresh memory? */
static bool is_churned(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t again = record->births - record->most_alive;
    double made_bytes = (double)record->births * (double)record->size_bytes;
    return again >= AGAIN_MIN && record->most_alive <= CHURN_ALIVE_MAX &&
           again >= AGAIN_OF_ALIVE * record->most_alive && record->workspaces * 2 <= record->looked_at &&
           faults_of_site(site->process, record).bytes * 2 >= made_bytes;
}

/* A line's sites of which the claim holds. */
struct churn {
    const struct site **sites;
    size_t count, capacity;
    struct line_span span;
    double waste_s;
    uint64_t samples;
};

static uint64_t again_of(const struct site *site)
{
    return site->record->births - site->record->most_alive;
}

static double again_bytes(const struct site *site)
{
    return (double)again_of(site) * (double)site->record->size_bytes;
}

/* "x = x @ w[i] + b[i]", of layers of unlike widths: what is made of what it was before takes no one buffer. */
static bool takes_itself_in_sizes(struct model *model, const struct place *place, const struct site *site)
{
    size_t name_bytes = 0, length = 0;
    uint32_t frame = model_node(site->process, site->record->node)->python;
    const char *name = statement_target(model, site->process, frame, &name_bytes);
    const char *text = operation_text(model, site->process, frame, &length);
    bool other_size = false;
    for (const struct site *other = place->sites; other != NULL; other = other->next)
        other_size |=
            other->record->size_bytes != site->record->size_bytes && other->record->births * 2 >= site->record->births;
    if (!other_size || name == NULL || text == NULL)
        return false;
    for (const char *at = text; at + name_bytes <= text + length; at++)
        if (memcmp(at, name, name_bytes) == 0 && (at == text || !word_char(at[-1])) && !word_char(at[name_bytes]))
            return true;
    return false;
}

static bool is_told(struct model *model, const struct place *place, const struct site *site)
{
    return is_churned(site) && numpy_call_taker(model, site).length_bytes > 0 &&
           statement_assigns(model, site->process, model_node(site->process, site->record->node)->python) &&
           loop_around(model, site->process, site->record->node, false).file != NULL &&
           !takes_itself_in_sizes(model, place, site) && churn_is_in_turn(model, site) &&
           numpy_call_is_own(model, site);
}

/* No more than the place's own time: where memory is only touched later, the line would win nothing. */
static void add_place(struct model *model, struct churn *churn, const struct place *place)
{
    double seconds = 0, most_s = (double)place->ns * 1e-9;
    size_t before = churn->count;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        if (!is_told(model, place, site))
            continue;
        if (churn->count == before && !numpy_call_is_all(model, site))
            return;
        double part = (double)again_of(site) / (double)site->record->births;
        seconds += faults_of_site(site->process, site->record).seconds * part;
        churn->sites = memory_grow(churn->sites, churn->count, &churn->capacity, sizeof(struct site *));
        churn->sites[churn->count++] = site;
    }
    if (churn->count == before)
        return;
    churn->waste_s += fmin(seconds, most_s);
    churn->samples += place->samples;
    churn->span = place->span;
}

/* Does the loop stand around the site? */
static bool is_within(struct model *model, const struct site *site, struct loop loop)
{
    struct loop loops[LOOPS_MAX];
    size_t count = loops_around(model, site->process, site->record->node, loops, LOOPS_MAX);
    for (size_t i = 0; i < count; i++)
        if (loop_is(loops[i], loop))
            return true;
    return false;
}

/* That of the site that is told of, where it is around all others as well: the line may be reached on several ways. */
static struct churn_loop loop_of(struct model *model, const struct finding *finding)
{
    struct churn_loop found = churn_loop_of(model, finding->second);
    for (const struct place *place = finding->line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL && found.loop.file != NULL; site = site->next)
            if (place != finding->second->place && !is_within(model, site, found.loop) && is_told(model, place, site) &&
                numpy_call_is_all(model, site))
                found.loop = (struct loop){0};
    return found;
}

/* "Make 2 buffers for each size outside the loop at train.py:14, hand them in". Fresh memory. */
static char *say_make(struct model *model, const struct churn_loop *where, uint64_t alive)
{
    char *place = where->loop.file != NULL ? say_place(model, where->loop.file, where->loop.line) : NULL;
    bool several = alive > 1 || where->each_size;
    char *buffers = alive > 1 ? memory_print("%" PRIu64 " buffers", alive)
                              : memory_print("%s buffer", where->each_size ? "a" : "one");
    const char *each = where->each_size ? " for each size" : "", *them = several ? "them" : "it";
    char *text = place == NULL ? memory_print("Make %s%s once, keep %s", buffers, each, them)
                               : memory_print("Make %s%s outside the loop at %s%s%s", buffers, each, place,
                                              where->handed ? ", hand " : "",
                                              !where->handed ? ""
                                              : several      ? "them in"
                                                             : "it in");
    free(place);
    free(buffers);
    return text;
}

static void say(struct model *model, struct finding *finding)
{
    const struct finding_object *object = &finding->object;
    const struct site *site = finding->second;
    struct operation taker = numpy_call_taker(model, site);
    struct churn_loop where = loop_of(model, finding);
    uint64_t alive = site->record->most_alive;
    char *size = page_bytes(object->size_bytes), *made = page_count(object->made), *again = page_count(object->equal);
    char *others = say_others(object), *make = say_make(model, &where, alive);
    const char *into = alive > 1 ? "them in turn" : where.each_size ? "them" : "it";
    const char *part = object->sizes > 1 && !where.each_size ? "[:length]" : "";
    finding->claim = memory_print("%s made %s times, %s times after the one before had been freed, in memory that the "
                                  "kernel had to give anew, page by page%s.",
                                  size, made, again, others);
    finding->advice = memory_print("%s, and write into %s: np.%.*s(..., out=buffer%s).", make, into,
                                   (int)taker.length_bytes, taker.name, part);
    char *all[] = {size, made, again, others, make};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* By size, largest first. */
static int size_order(const void *left, const void *right)
{
    const struct site *a = *(const struct site *const *)left, *b = *(const struct site *const *)right;
    if (a->record->size_bytes != b->record->size_bytes)
        return a->record->size_bytes > b->record->size_bytes ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* Sums over all sizes, and those of the size that was made again in most bytes. */
static void fill_objects(struct finding *finding, const struct churn *churn)
{
    struct finding_object object = {0}, told = {0};
    double bytes = 0, most_bytes = -1, all_bytes = 0;
    uint64_t sizes = 0, asked = 0;
    for (size_t i = 0; i < churn->count; i++) {
        const struct site *site = churn->sites[i];
        const struct db_site *record = site->record;
        if (i == 0 || record->size_bytes != object.size_bytes) {
            object = (struct finding_object){.size_bytes = record->size_bytes};
            bytes = 0;
            sizes++;
        }
        object.made += record->births;
        object.examined += record->pages_asked;
        object.equal += again_of(site);
        bytes += again_bytes(site);
        all_bytes += again_bytes(site);
        asked += record->pages_asked;
        finding->part += again_of(site);
        finding->whole += record->births;
        if (finding->second == NULL || again_bytes(site) > again_bytes(finding->second))
            finding->first = finding->second = site;
        if (bytes > most_bytes) {
            most_bytes = bytes;
            told = object;
        }
    }
    finding->object = told;
    finding->object.sizes = sizes;
    finding->exact = asked == finding->whole;
    finding->waste_bytes = all_bytes < 0x1p62 ? (uint64_t)all_bytes : UINT64_C(1) << 62;
}

static void claim_line(struct model *model, struct line *line, struct churn *churn)
{
    churn->count = 0;
    churn->waste_s = 0;
    churn->samples = 0;
    for (const struct place *place = line->places; place != NULL; place = place->next)
        if (!place->claimed)
            add_place(model, churn, place);
    double least = churn->samples > 0 ? fmax(0, 1 - 2 / sqrt((double)churn->samples)) : 0;
    if (churn->count == 0 || model_percent(model, churn->waste_s * least) < WASTE_PERCENT)
        return;
    qsort(churn->sites, churn->count, sizeof(struct site *), size_order);
    struct finding *finding = finding_add(model, line, "churn", "API misuse");
    finding->span = churn->span;
    finding->waste_s = fmin(churn->waste_s, (double)times_total(&line->times) * 1e-9);
    finding->say = say;
    fill_objects(finding, churn);
}

void rule_churn(struct model *model)
{
    struct churn churn = {0};
    for (size_t i = 0; i < model->line_total; i++)
        if (model->lines[i]->places != NULL && !finding_has_line(model->lines[i]))
            claim_line(model, model->lines[i], &churn);
    free(churn.sites);
}
