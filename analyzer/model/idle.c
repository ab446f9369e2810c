#include "model/idle.h"

#include <math.h>

#include "model/model.h"

#define QUANTILE 3.7190164854556804 /* of the normal distribution: beyond it lies one of 10,000 */
#define DENSE 0.5
#define WINDOW_MIN 4u /* parts */
#define BIRTHS_MIN 16u
#define TURNS_MIN 4u /* births for each object that was alive at once */
#define WORD_MAX 0x1p62

/* Half the quantile of chi-square with 2 (count + 1) degrees of freedom, by Wilson and Hilferty (1931); a little high for few. */
double idle_poisson_bound(uint64_t count)
{
    double n = (double)count + 1, root = 1 - 1 / (9 * n) + QUANTILE / (3 * sqrt(n));
    return n * root * root * root;
}

static bool is_made_again(const struct db_site *site)
{
    return site->births >= BIRTHS_MIN && site->births / TURNS_MIN >= site->most_alive;
}

static void look(struct idle *window, const uint64_t *parts)
{
    window->seen = 0;
    for (unsigned i = window->from; i < window->to; i++)
        window->seen += parts[i];
    window->expected = (double)window->accesses * (window->to - window->from) / DB_HEAT_PARTS;
    window->at_most = idle_poisson_bound(window->seen) / window->expected;
}

/* Accesses that are surely missing in the window. */
static double missing(const struct idle *window)
{
    return window->expected * (1 - window->at_most);
}

static void choose(struct idle *idle, struct idle window, const uint64_t *parts)
{
    for (window.from = 0; window.from + WINDOW_MIN <= DB_HEAT_PARTS; window.from++)
        for (window.to = window.from + WINDOW_MIN; window.to <= DB_HEAT_PARTS; window.to++) {
            look(&window, parts);
            if (window.at_most < DENSE && (idle->to == 0 || missing(&window) > missing(idle)))
                *idle = window;
        }
}

bool idle_of(const struct db_site *site, const struct db_heat *heat, struct idle *idle)
{
    struct idle window = {0};
    *idle = window;
    for (unsigned i = 0; i < DB_HEAT_PARTS; i++) {
        window.accesses += heat->parts[i];
        window.late += i >= DB_HEAT_PARTS - IDLE_LATE_PARTS ? heat->parts[i] : 0;
    }
    if (heat->objects == 0 || window.accesses == 0 || !is_made_again(site))
        return false;
    choose(idle, window, heat->parts);
    double life_s = (double)heat->lives_ns * 1e-9 / (double)heat->objects;
    idle->seconds = life_s * (idle->to - idle->from) / DB_HEAT_PARTS;
    return idle->to > idle->from;
}

static uint64_t bytes_of(uint64_t objects, uint64_t size_bytes)
{
    double bytes = (double)objects * (double)size_bytes;
    return bytes < WORD_MAX ? (uint64_t)bytes : (uint64_t)WORD_MAX;
}

/*
 * Of the objects that stood at the peak those that were idle then: one may be in use, of the others as many as are at that point of
 * their lives in the mean.
 */
static uint64_t idle_at_peak(const struct db_site *site, const struct idle *idle)
{
    return idle->to == DB_HEAT_PARTS ? (uint64_t)site->peak_objects * (DB_HEAT_PARTS - idle->from) / DB_HEAT_PARTS : 0;
}

/* The phase of most accesses in these parts of a life: each part's are told as its last was. */
static enum phase phase_in(const struct process *process, const struct db_heat *heat, unsigned from, unsigned to)
{
    uint64_t accesses[PHASE_COUNT] = {0};
    enum phase most = PHASE_COUNT;
    for (unsigned i = from; i < to; i++) {
        const struct node *node = model_node(process, heat->nodes[i]);
        if (node != NULL)
            accesses[node_phase(process, node)] += heat->parts[i];
    }
    for (enum phase phase = 0; phase < PHASE_OTHER; phase++)
        if (accesses[phase] > (most < PHASE_COUNT ? accesses[most] : accesses[PHASE_OTHER]))
            most = phase;
    return most;
}

static void charge_line(struct model *model, const struct site *site, const struct db_heat *heat)
{
    struct line_idle *line = &site->place->line->idle;
    const struct db_site *record = site->record;
    struct idle idle;
    line->accesses += heat->accesses;
    if (!idle_of(record, heat, &idle))
        return;
    double byte_seconds = idle.seconds * (double)record->births * (double)record->size_bytes;
    line->byte_seconds += byte_seconds;
    line->objects += record->births;
    if (site->process == model->memory.process)
        line->peak_bytes += bytes_of(idle_at_peak(record, &idle), record->size_bytes);
    if (line->site == NULL || byte_seconds > line->site_byte_seconds) {
        line->site = site;
        line->widest = idle;
        line->before = phase_in(site->process, heat, 0, idle.from);
        line->after = phase_in(site->process, heat, idle.to, DB_HEAT_PARTS);
        line->site_byte_seconds = byte_seconds;
    }
}

static void charge_process(struct model *model, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_heat *record; (record = run_next(&process->run->tables[DB_KIND_HEAT], &cursor)) != NULL;) {
        const struct site *site = &process->sites[run_index(&process->run->tables[DB_KIND_SITE], record->site)];
        if (site->record == NULL) /* below an import */
            continue;
        model->accesses += record->accesses;
        if (site->place != NULL && node_counts(model, process, site_node(site)))
            charge_line(model, site, record);
    }
}

void idle_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        charge_process(model, &model->processes[i]);
}
