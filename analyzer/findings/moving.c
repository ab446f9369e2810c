#include "findings/moving.h"

#include <string.h>

#include "findings/expression.h"
#include "model/frames.h"
#include "symbols/demangle.h"

/* Functions, or steps of their C++ names (PyTorch: at::_ops::NAME::call): copies, gathers of parts, what reads files. */
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
    "array_fromfile",
    "PyArray_FromFile",
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

/* The same, as Python names them. */
static const char *const moving_names[] = {"clone",   "contiguous", "copy",     "flatten",      "ravel",
                                           "reshape", "hstack",     "vstack",   "column_stack", "concatenate",
                                           "concat",  "stack",      "cat",      "index_select", "gather",
                                           "take",    "read",       "readinto", "load",         "fromfile"};

static bool is_moving_name(const char *name, size_t length_bytes)
{
    for (size_t i = 0; i < sizeof(moving_names) / sizeof(moving_names[0]); i++)
        if (strlen(moving_names[i]) == length_bytes && strncmp(name, moving_names[i], length_bytes) == 0)
            return true;
    return false;
}

/* A foundation's own Python function around the native one: numpy's stack(), around concatenate(). */
static bool is_moving_function(const struct frame *frame)
{
    if (frame->kind != FRAME_PYTHON || frame->owner != OWNER_FOUNDATION || frame->function == NULL)
        return false;
    const char *dot = strrchr(frame->function, '.'), *name = dot != NULL ? dot + 1 : frame->function;
    return is_moving_name(name, strlen(name));
}

/* Foundations' Python functions that copy what they are given and then work in the copy: the result is computed. */
static bool is_working_in_copy(const struct frame *frame)
{
    static const char *const names[] = {"sort",       "partition",     "unique",      "_unique1d",
                                        "median",     "_median",       "percentile",  "quantile",
                                        "nanmedian",  "nanpercentile", "nanquantile", "_quantile_ureduce_func",
                                        "nan_to_num", "meshgrid"};
    if (frame->kind != FRAME_PYTHON || frame->owner != OWNER_FOUNDATION || frame->function == NULL)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(frame->function, names[i]) == 0)
            return true;
    return false;
}

enum moves { MOVES_NOT, MOVES_COPY, MOVES_WORKED_ON };

static enum moves functions_move(struct model *model, const struct site *site)
{
    struct context context;
    bool moves = false, works = false;
    context_expand(&context, model, site->process, site->record->node);
    for (size_t i = 0; i < context.count; i++) {
        const struct frame *frame = &context.frames[i];
        bool native = frame->kind == FRAME_NATIVE && frame->function != NULL && is_moving(frame->function);
        if (frame->kind == FRAME_PYTHON && frame->owner != OWNER_FOUNDATION)
            moves = works = false; /* it was another call, around the one that counts */
        moves = moves || native || is_moving_function(frame);
        works = works || is_working_in_copy(frame);
    }
    context_free(&context);
    return works ? MOVES_WORKED_ON : moves ? MOVES_COPY : MOVES_NOT;
}

/* By what the Python instruction says, where it makes the native call itself: libraries are often without names. */
static bool text_moves(struct model *model, const struct site *site)
{
    uint32_t frame = model_node(site->process, site->record->node)->python;
    struct operation operation = operation_at(model, site->process, frame);
    return operation.kind == OPERATION_SUBSCRIPT ||
           (operation.kind == OPERATION_CALL && is_moving_name(operation.name, operation.length_bytes));
}

bool site_moves(struct model *model, const struct site *site)
{
    enum moves moves = functions_move(model, site);
    return moves == MOVES_COPY || (moves == MOVES_NOT && text_moves(model, site));
}
