#include "findings/by_product.h"

struct makers makers_of_new(const struct site_rule *rule, const struct own_sizes *sizes)
{
    struct makers makers = {.count = 0};
    for (size_t i = 0; i < sizes->count && makers.count < MAKERS_MAX; i++) {
        const struct site *site = sizes->sites[i].site;
        if (!sizes->sites[i].carries && rule->differing(site) > site->record->examined / 2)
            makers.sites[makers.count++] = site;
    }
    return makers;
}

/* Does the native call that made these objects make new ones, too, as often, elsewhere in it? Where it is the same place, that is another call's. */
static bool makes_new_as_well(const struct makers *makers, const struct site *made)
{
    const struct node *node = makers->count > 0 ? model_node(made->process, made->record->node) : NULL;
    for (size_t i = 0; i < makers->count && node != NULL; i++) {
        const struct site *site = makers->sites[i];
        const struct node *other = model_node(site->process, site->record->node);
        bool is_same_call = site->process == made->process && other != NULL && other->python == node->python &&
                            site->record->node != made->record->node;
        if (is_same_call && site->record->births >= made->record->births / 4 * 3)
            return true;
    }
    return false;
}

/* Not of another package, whose compiled code may make several things one after the other. */
static bool is_of_foundations(struct model *model, const struct site *site)
{
    const struct node *node = model_node(site->process, site->record->node);
    const struct db_node *frame = node != NULL ? run_record(site->process->run, DB_KIND_NODE, node->python) : NULL;
    struct code *code = NULL;
    if (frame != NULL && frame->frame == DB_FRAME_PYTHON)
        model_position(model, site->process, frame, &code);
    return code != NULL && !path_of_package_code(code->file);
}

bool is_by_product(struct model *model, const struct makers *makers, const struct site *site)
{
    return makes_new_as_well(makers, site) && is_of_foundations(model, site);
}
