#include "findings/graph.h"

#include "findings/libraries.h"
#include "model/frames.h"
#include "model/phase.h"
#include "model/source.h"
#include "python/gradients.h"

#define KEEPS_STATE "modules that change with each call (BatchNorm in training) change once less."

static bool is_without_graph(struct model *model, const struct site *site)
{
    struct context context;
    bool is_off = false;
    context_expand_python(&context, model, site->process, site->record->node);
    for (size_t i = 0; i < context.count && !is_off; i++) {
        const struct frame *frame = &context.frames[i];
        is_off = frame->kind == FRAME_PYTHON && frame->file != NULL && frame->owner != OWNER_FOUNDATION &&
                 frame->owner != OWNER_STDLIB && gradients_are_off(source_code(model, frame->file), frame->line);
    }
    context_free(&context);
    return is_off;
}

static bool may_have_graph(struct model *model, const struct site *site)
{
    enum phase phase = node_phase(site->process, model_node(site->process, site->record->node));
    bool backward = model->totals.phases[PHASE_BACKWARD].objects.births > 0;
    return backward && (phase == PHASE_FORWARD || phase == PHASE_OTHER) && site_is_made_in(site, "libtorch");
}

bool graph_may_hold(struct model *model, const struct site *site)
{
    return may_have_graph(model, site) && !is_without_graph(model, site);
}

bool graph_first_is_without(struct model *model, const struct site *first, const struct site *second)
{
    return may_have_graph(model, second) && is_without_graph(model, first) && !is_without_graph(model, second);
}

/* By the program's own code, with no module of PyTorch's in between. */
static bool is_made_directly(const struct site *site)
{
    const struct node *node = model_node(site->process, site->record->node);
    return node->python != 0 && node->python == node->user;
}

/* A graph is freed by its first backward(), and without one nothing is trained; a module that is called less often may be in another state. */
const char *graph_advice(struct model *model, const struct site *first, const struct site *second)
{
    if (!may_have_graph(model, second))
        return "";
    bool is_first_without = is_without_graph(model, first), is_second_without = is_without_graph(model, second);
    if (is_second_without)
        return is_first_without ? "" : " Kept without its graph (detach()), it serves under no_grad(); " KEEPS_STATE;
    if (is_first_without)
        return " It is made under no_grad() there: where backward() goes through it here, make it with gradients, from "
               "the parameters that are trained; " KEEPS_STATE;
    if (is_made_directly(first) && is_made_directly(second))
        return " Where it is made of what is trained, one backward() goes through both, or the first needs "
               "retain_graph=True.";
    return " Where backward() goes through both, the first needs retain_graph=True, or one backward() goes through "
           "their sum; " KEEPS_STATE " What backward() goes through must be made with gradients, and from the "
           "parameters that are trained.";
}
