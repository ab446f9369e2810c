#include "findings/checkpoint.h"

#include <string.h>

#include "model/frames.h"

/* PyTorch's, DeepSpeed's and FairScale's. */
static const char *const ends[] = {"/torch/utils/checkpoint.py", "/activation_checkpointing/checkpointing.py",
                                   "/fairscale/nn/checkpoint/checkpoint_activations.py"};

static bool is_checkpoint(const struct frame *frame)
{
    size_t length = frame->file != NULL ? strlen(frame->file) : 0;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (length > strlen(ends[i]) && strcmp(frame->file + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

enum checkpoint site_checkpoint(struct model *model, const struct site *site)
{
    struct context context;
    enum checkpoint found = CHECKPOINT_NONE;
    context_expand_python(&context, model, site->process, site->record->node);
    for (size_t i = 0; i < context.count; i++) {
        const struct frame *frame = &context.frames[i];
        if (frame->kind != FRAME_PYTHON)
            continue;
        if (is_checkpoint(frame))
            found = CHECKPOINT_ITSELF;
        else if (found == CHECKPOINT_ITSELF && frame->owner != OWNER_FOUNDATION)
            found = CHECKPOINT_AROUND;
    }
    context_free(&context);
    return found;
}
