/*
 * Claim: the line makes a buffer and fills it, and another overwrites all of that unread: it need not be filled.
 * Evidence: sampled stores of the line, nearly all of which met a store of a later native call before any load; the
 * line calls what fills (zeros, ones, full); and what overwrites is told to write all of a buffer (out=buffer,
 * buffer[:] = ..., copy_). The waste is the line's native time but for the page faults of fresh memory, which whoever
 * stores there first pays. Where the text says it all (covered_fill.c), no store need be followed.
 * Traps: out=buffer with where=, which
 * leaves the rest as it was filled; padding (the border is read, and a sample hardly meets it: parts of a buffer do not
 * count as all of it, nor does what a name is given that stands for one); one-hot rows and masks (read); stores that nobody could follow (another thread ran: undecided);
 * zeros of fresh memory, which the kernel clears: empty() would pay for that, too, and nothing was stored.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "findings/blank.h"
#include "findings/overwrite.h"
#include "findings/sites.h"
#include "model/select.h"
#include "show/page.h"

#define DEAD_MIN 16u
#define OTHER_OF_DEAD 50u /* one store in so many may have met something else */
#define WASTE_PERCENT 0.5

/* Of one line: what became of the sampled stores into objects it had made. */
struct filling {
    struct line *line, *by;  /* `by`: what overwrote most at once */
    const struct site *site; /* of what it made */
    struct process *process;
    uint32_t node; /* of the stores */
    uint64_t dead, other, undecided, most;
};

static struct filling *filling_of(struct map *fillings, struct line *line)
{
    struct map_key key = {(uintptr_t)line, 0, 0};
    struct filling *filling = map_get(fillings, key);
    if (filling == NULL) {
        filling = memory_zeroed(1, sizeof(*filling));
        filling->line = line;
        map_put(fillings, key, filling);
    }
    return filling;
}

/*
 * A store of the line into an object that the line itself made, and what came next. Two lines are two native calls, also
 * where the shim saw no end of the first: a library's own Python function may have made that, as numpy's ones_like() does,
 * and nothing need be called from its place on the stack again.
 */
static void add_pair(struct model *model, struct process *process, const struct db_pair *record, struct map *fillings)
{
    const struct site *site = objects_site_of_pair(process, record);
    struct line *line = lines_of_leaf(model, process, record->first_node);
    if (line == NULL || site == NULL || site->place->line != line || site_is_blank(model, site) != BLANK_YES)
        return;
    struct filling *filling = filling_of(fillings, line);
    bool used = (record->flags & DB_PAIR_USED) != 0 || record->second_access == DB_ACCESS_LOAD;
    bool unseen = (record->flags & DB_PAIR_UNPROVED) != 0 || ((record->flags & DB_PAIR_SLEPT) != 0 && !used);
    struct line *by = lines_of_leaf(model, process, record->second_node);
    if (unseen) {
        filling->undecided += record->count;
    } else if (used || by == NULL || by == line || !overwrite_is_whole(model, by)) {
        filling->other += record->count;
    } else {
        filling->dead += record->count;
        filling->by = record->count > filling->most ? by : filling->by;
        if (record->count > filling->most) {
            filling->site = site;
            filling->process = process;
            filling->node = record->first_node;
        }
        filling->most = record->count > filling->most ? record->count : filling->most;
    }
}

static void add_process(struct model *model, struct process *process, struct map *fillings)
{
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(&process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;) {
        bool sampled = (record->flags & DB_PAIR_FIRST) != 0 && record->second_access != DB_ACCESS_NONE;
        if (!sampled || record->first_access != DB_ACCESS_STORE || record->address_class != DB_CLASS_OBJECT)
            continue;
        const struct node *first = model_node(process, record->first_node);
        if (first != NULL && !first->in_import)
            add_pair(model, process, record, fillings);
    }
}

/* What the line's fills took beyond page faults. */
static double waste_s(const struct filling *filling)
{
    const struct line *line = filling->line;
    double native_s = (double)line->times.ns[TIME_NATIVE] * 1e-9 - line->alive.faults.seconds;
    return fmax(native_s, 0) * (double)filling->dead / (double)(filling->dead + filling->other);
}

static bool is_dead(const struct model *model, const struct filling *filling)
{
    uint64_t samples = filling->line->times.samples;
    double least = samples > 0 ? fmax(0, 1 - 2 / sqrt((double)samples)) : 0;
    return filling->dead >= DEAD_MIN && filling->other * OTHER_OF_DEAD <= filling->dead &&
           filling->undecided <= filling->dead && !finding_has_line(filling->line) &&
           model_percent(model, waste_s(filling) * least) >= WASTE_PERCENT;
}

static void say(struct model *model, struct finding *finding)
{
    char *size = page_bytes(finding->object.size_bytes), *made = page_count(finding->object.made);
    char *dead = page_count(finding->part), *whole = page_count(finding->whole);
    char *by = say_place(model, finding->by->file, finding->by->number);
    finding->claim =
        memory_print("%s made %s times and filled; of %s stores that were followed, %s were overwritten by "
                     "%s before anybody read them.",
                     size, made, whole, dead, by);
    finding->advice = memory_print("Make it without content: empty() or empty_like(), for %s writes all of it.", by);
    char *all[] = {size, made, dead, whole, by};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

static void claim_line(struct model *model, const struct filling *filling)
{
    struct finding *finding = finding_add(model, filling->line, "dead_store", "dead initialisation");
    finding->waste_s = waste_s(filling);
    finding->part = filling->dead;
    finding->whole = filling->dead + filling->other;
    finding->by = filling->by;
    finding->process = filling->process;
    finding->node = filling->node;
    const struct db_site *record = filling->site->record;
    finding->span = filling->site->place->span;
    finding->first = finding->second = filling->site;
    finding->object = (struct finding_object){
        .size_bytes = record->size_bytes, .made = record->births, .examined = record->examined, .sizes = 1};
    finding->say = say;
}

void rule_dead_store(struct model *model)
{
    struct map fillings = {0};
    for (size_t i = 0; i < model->process_count; i++)
        add_process(model, &model->processes[i], &fillings);
    for (size_t i = 0; i < model->line_total; i++) {
        struct filling *filling = map_get(&fillings, (struct map_key){(uintptr_t)model->lines[i], 0, 0});
        if (filling != NULL && is_dead(model, filling))
            claim_line(model, filling);
        free(filling);
    }
    map_free(&fillings);
}
