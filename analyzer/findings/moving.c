#include "findings/moving.h"

#include <string.h>

#include "findings/expression.h"
#include "model/frames.h"
#include "symbols/demangle.h"

/* One that joins puts parts of several together; the others hand on what they are given, or a part of it. */
struct mover {
    const char *name;
    bool joins;
};

/* Functions, or steps of their C++ names (PyTorch: at::_ops::NAME::call): copies, gathers of parts, what reads files. */
static const struct mover functions[] = {
    {"clone", false},
    {"contiguous", false},
    {"_to_copy", false},
    {"copy", false},
    {"copy_", false},
    {"flatten", false},
    {"reshape", false},
    {"array_copy", false},
    {"array_deepcopy", false},
    {"array_flatten", false},
    {"array_ravel", false},
    {"PyArray_NewCopy", false},
    {"PyArray_Flatten", false},
    {"PyArray_Ravel", false},
    {"stack", true},
    {"cat", true},
    {"index_Tensor", false},
    {"index_select", false},
    {"gather", false},
    {"take", false},
    {"array_subscript", false},
    {"array_take", false},
    {"PyArray_TakeFrom", false},
    {"array_concatenate", true},
    {"array_fromfile", false},
    {"PyArray_FromFile", false},
};

/* The same, as Python names them. */
static const struct mover python_functions[] = {
    {"clone", false},   {"contiguous", false}, {"copy", false},     {"flatten", false},      {"ravel", false},
    {"reshape", false}, {"hstack", true},      {"vstack", true},    {"column_stack", true},  {"concatenate", true},
    {"concat", true},   {"stack", true},       {"cat", true},       {"index_select", false}, {"gather", false},
    {"take", false},    {"read", false},       {"readinto", false}, {"load", false},         {"fromfile", false},
};

/* "gru" of "at::native::gru" and "at::_ops::gru::call". */
static bool has_step(const char *name, const char *step)
{
    size_t length = strlen(step);
    for (const char *at = name; (at = strstr(at, step)) != NULL; at += length)
        if ((at == name || at[-1] == ':') && (at[length] == '\0' || at[length] == ':'))
            return true;
    return false;
}

static const struct mover *mover_of(const char *function)
{
    const char *name = demangle_short(function);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (has_step(name, functions[i].name))
            return &functions[i];
    return NULL;
}

/* Native functions that put what they have computed step by step together: the result is computed. */
static bool is_recurrent(const struct frame *frame)
{
    static const char *const names[] = {"gru", "lstm", "rnn_tanh", "rnn_relu"};
    if (frame->kind != FRAME_NATIVE || frame->function == NULL)
        return false;
    const char *name = demangle_short(frame->function);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (has_step(name, names[i]))
            return true;
    return false;
}

static const struct mover *mover_named(const char *name, size_t length_bytes)
{
    for (size_t i = 0; i < sizeof(python_functions) / sizeof(python_functions[0]); i++)
        if (strlen(python_functions[i].name) == length_bytes &&
            strncmp(name, python_functions[i].name, length_bytes) == 0)
            return &python_functions[i];
    return NULL;
}

/* A foundation's own Python function around the native one: numpy's stack(), around concatenate(). */
static const struct mover *mover_around(const struct frame *frame)
{
    if (frame->kind != FRAME_PYTHON || frame->owner != OWNER_FOUNDATION || frame->function == NULL)
        return NULL;
    const char *dot = strrchr(frame->function, '.'), *name = dot != NULL ? dot + 1 : frame->function;
    return mover_named(name, strlen(name));
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

enum moves { MOVES_NOT, MOVES_TOGETHER, MOVES_COPY, MOVES_WORKED_ON };

static enum moves moves_of(const struct mover *mover)
{
    return mover == NULL ? MOVES_NOT : mover->joins ? MOVES_TOGETHER : MOVES_COPY;
}

/* The innermost that moves says how: numpy's column_stack() makes copies on its way to concatenate(). */
static enum moves functions_move(struct model *model, const struct site *site)
{
    struct context context;
    enum moves moves = MOVES_NOT;
    bool works = false;
    context_expand(&context, model, site->process, site->record->node);
    for (size_t i = 0; i < context.count; i++) {
        const struct frame *frame = &context.frames[i];
        bool is_native = frame->kind == FRAME_NATIVE && frame->function != NULL;
        enum moves own = moves_of(is_native ? mover_of(frame->function) : mover_around(frame));
        if (frame->kind == FRAME_PYTHON &&
            frame->owner != OWNER_FOUNDATION) { /* it was another call, around the one that counts */
            moves = MOVES_NOT;
            works = false;
        }
        moves = own != MOVES_NOT ? own : moves;
        works = works || is_working_in_copy(frame) || is_recurrent(frame);
    }
    context_free(&context);
    return works ? MOVES_WORKED_ON : moves;
}

/* By what the Python instruction says, where it makes the native call itself: libraries are often without names. */
static enum moves text_moves(struct model *model, const struct site *site)
{
    uint32_t frame = model_node(site->process, site->record->node)->python;
    struct operation operation = operation_at(model, site->process, frame);
    if (operation.kind == OPERATION_SUBSCRIPT)
        return MOVES_COPY;
    return operation.kind == OPERATION_CALL ? moves_of(mover_named(operation.name, operation.length_bytes)) : MOVES_NOT;
}

/* "x.float()": numbers of another type are computed, as by NumPy's astype(). Not so to(), which may go to another device. */
static bool converts(struct model *model, const struct site *site)
{
    static const char *const names[] = {"float", "double", "half", "bfloat16", "long", "int", "short", "bool"};
    struct operation operation =
        operation_at(model, site->process, model_node(site->process, site->record->node)->python);
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(names) / sizeof(names[0]); i++)
        if (operation_is_named(&operation, names[i]))
            return true;
    return false;
}

static enum moves how_it_moves(struct model *model, const struct site *site)
{
    if (converts(model, site))
        return MOVES_NOT;
    enum moves moves = functions_move(model, site);
    return moves == MOVES_NOT ? text_moves(model, site) : moves;
}

bool site_moves(struct model *model, const struct site *site)
{
    enum moves moves = how_it_moves(model, site);
    return moves == MOVES_COPY || moves == MOVES_TOGETHER;
}

bool site_joins(struct model *model, const struct site *site)
{
    return how_it_moves(model, site) == MOVES_TOGETHER;
}
