#include "findings/finish_package.h"

#include "findings/changed.h"
#include "findings/elided.h"
#include "findings/filled.h"

#define FRAMES_MAX 200
#define WAYS_MAX 4096u /* looked at in all: each is a search of a function's text */

static bool is_among(const struct changed *changed, int32_t line)
{
    for (size_t i = 0; i < changed->count; i++)
        if (changed->lines[i] == line)
            return true;
    return false;
}

/* Of the function that stands at `frame`. */
static uint64_t take_lines(struct model *model, struct process *process, uint32_t frame, bool all)
{
    uint64_t sum = 0;
    struct changed changed;
    struct caller *caller = callers_of_function(model, process, frame);
    if (caller == NULL)
        return 0;
    changed_find(&changed, model, process, frame);
    for (; caller != NULL; caller = caller->beside)
        if (all || is_among(&changed, caller->line))
            sum += caller_take(caller);
    return sum;
}

static bool is_of_package(struct model *model, struct process *process, const struct db_node *record)
{
    const struct code *code =
        record->frame == DB_FRAME_PYTHON ? model_code(model, process, (uint32_t)(record->value >> 32)) : NULL;
    return code != NULL && code->owner == OWNER_PACKAGE;
}

uint64_t finish_package_take(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    struct map *finished = &model->callers.finished;
    uint32_t line = lines_frame_of_leaf(model, process, site->record->node),
             frame = callers_frame(process, site->record->node);
    bool is_blank = site_is_filled_in_package(model, site);
    uint64_t sum = 0;
    if (site_is_elided_below(model, site)) /* what they finish was not looked at */
        return 0;
    for (unsigned i = 0; frame != line && finished->count < WAYS_MAX && i < FRAMES_MAX; i++) {
        const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
        if (record == NULL)
            break;
        if (is_of_package(model, process, record)) {
            struct map_key key = {model_node(process, frame)->way, 0, 0};
            if (map_get(finished, key) != NULL)
                break;
            map_put(finished, key, model);
            sum += take_lines(model, process, frame, is_blank && frame_hands_out_blank(model, site, frame));
        }
        frame = record->parent;
    }
    return sum;
}
