#include "findings/moving.h"

#include <string.h>

#include "model/frames.h"
#include "symbols/demangle.h"

/* Functions, or steps of their C++ names (PyTorch: at::_ops::NAME::call): copies, then gathers of parts. */
static const char *const moving[] = {
    "clone",
    "contiguous",
    "_to_copy",
    "copy",
    "copy_",
    "flatten",
    "reshape",
    "array_copy",
    "array_deepcopy",
    "array_flatten",
    "array_ravel",
    "PyArray_NewCopy",
    "PyArray_Flatten",
    "PyArray_Ravel",
    "stack",
    "cat",
    "index_Tensor",
    "index_select",
    "gather",
    "take",
    "array_subscript",
    "array_take",
    "PyArray_TakeFrom",
    "array_concatenate",
};

static bool is_moving(const char *function)
{
    const char *name = demangle_short(function);
    for (size_t i = 0; i < sizeof(moving) / sizeof(moving[0]); i++) {
        size_t length = strlen(moving[i]);
        for (const char *at = name; (at = strstr(at, moving[i])) != NULL; at += length)
            if ((at == name || at[-1] == ':') && (at[length] == '\0' || at[length] == ':'))
                return true;
    }
    return false;
}

bool site_moves(struct model *model, const struct site *site)
{
    struct context context;
    bool moves = false;
    context_expand(&context, model, site->process, site->record->node);
    for (size_t i = 0; i < context.count && !moves; i++)
        moves = context.frames[i].kind == FRAME_NATIVE && context.frames[i].function != NULL &&
                is_moving(context.frames[i].function);
    context_free(&context);
    return moves;
}
