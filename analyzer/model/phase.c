#include "model/phase.h"

#include <string.h>

#include "model/model.h"

const char *const phase_names[PHASE_COUNT] = {
#define X(id, name, words) name,
    PHASES(X)
#undef X
};

const char *const phase_words[PHASE_COUNT] = {
#define X(id, name, words) words,
    PHASES(X)
#undef X
};

/*
 * Places of libraries, the first that matches counts. `path` is part of the file's path, `functions` the names that count
 * there: without its class, or, where the class matters, the end of the qualified name (from CPython 3.11 on); NULL: all.
 * Read in PyTorch 1.13 and 2.13, torchvision 0.29 and HIPS autograd 1.9.
 */
static const struct library_place {
    const char *path;
    const char *const *functions;
    struct phase_sign sign;
} places[] = {
#define NAMES(...)                                                                                                     \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }
#define LIBRARY(id, ...)                                                                                               \
    {                                                                                                                  \
        .phase = PHASE_##id, .strength = PHASE_BY_LIBRARY, __VA_ARGS__                                                 \
    }
    {"/torch/utils/data/", NULL, LIBRARY(DATA, .last = true)},
    {"/torchvision/datasets/", NULL, LIBRARY(DATA, .last = true)},
    {"/torchvision/transforms/", NULL, LIBRARY(DATA, .last = true)},
    {"/torch/_dynamo/convert_frame.py", NULL, LIBRARY(OTHER, .last = true)},
    {"/torch/_inductor/compile_fx.py", NAMES("compile_fx", "compile_fx_inner", "fx_codegen_and_compile"),
     LIBRARY(OTHER, .last = true)},
    {"/torch/nn/modules/module.py", NAMES("_call_impl", "_wrapped_call_impl"), LIBRARY(FORWARD)},
    {"/torch/nn/modules/module.py", NAMES("zero_grad"), LIBRARY(OPTIMIZER)},
    {"/torch/_tensor.py", NAMES("backward"), LIBRARY(BACKWARD)},
    {"/torch/autograd/__init__.py", NAMES("backward", "grad"), LIBRARY(BACKWARD)},
    {"/torch/autograd/graph.py", NAMES("_engine_run_backward"), LIBRARY(BACKWARD)},
    {"/torch/autograd/function.py", NAMES("BackwardCFunction.apply"), LIBRARY(BACKWARD)},
    {"/torch/optim/optimizer.py", NULL, LIBRARY(OPTIMIZER)},
    {"/torch/optim/lr_scheduler.py", NULL, LIBRARY(OPTIMIZER)},
    {"/torch/optim/", NAMES("step"), LIBRARY(OPTIMIZER, .calls_back = true)},
    {"/torch/optim/", NULL, LIBRARY(OPTIMIZER)},
    {"/torch/nn/utils/clip_grad.py", NULL, LIBRARY(OPTIMIZER)},
    {"/amp/grad_scaler.py", NAMES("step", "_maybe_opt_step", "update", "unscale_", "_unscale_grads_"),
     LIBRARY(OPTIMIZER)},
    /* Functions that a model calls, and whoever needs one: they decide where nothing else has. */
    {"/torch/nn/functional.py", NULL, {.phase = PHASE_FORWARD, .strength = PHASE_BY_FILE}},
    {"/autograd/tracer.py", NAMES("trace"), LIBRARY(FORWARD)},
    {"/autograd/core.py", NAMES("backward_pass"), LIBRARY(BACKWARD)},
#undef LIBRARY
#undef NAMES
};

/* "Module._call_impl" is "_call_impl", and itself. */
static bool name_ends(const char *function, const char *name)
{
    size_t length = strlen(function), part = strlen(name);
    if (length < part || strcmp(function + length - part, name) != 0)
        return false;
    return length == part || function[length - part - 1] == '.';
}

static bool is_place(const struct library_place *place, const struct code *code)
{
    if (strstr(code->file, place->path) == NULL)
        return false;
    if (place->functions == NULL)
        return true;
    for (const char *const *name = place->functions; *name != NULL; name++)
        if (name_ends(code->function, *name))
            return true;
    return false;
}

enum phase phase_find(const char *name)
{
    enum phase phase = 0;
    while (phase < PHASE_COUNT && strcmp(name, phase_names[phase]) != 0)
        phase++;
    return phase;
}

struct phase_sign phase_of_code(const struct code *code)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (is_place(&places[i], code))
            return places[i].sign;
    return phase_of_name(code);
}

bool phase_is_worker(const struct code *code)
{
    return strstr(code->file, "/torch/utils/data/_utils/worker.py") != NULL &&
           name_ends(code->function, "_worker_loop");
}

/* The first frame outside torch and the standard library: the closure, whatever it is called. */
static bool is_closure(const struct phase_sign *state, const struct code *code)
{
    return state->calls_back && code->phase.strength != PHASE_BY_LIBRARY &&
           (code->owner == OWNER_USER || code->owner == OWNER_PACKAGE);
}

/* A file's name says nothing of the program that it is, and nothing against anybody. */
static bool file_decides(const struct phase_sign *state, const struct code *code, const char *from)
{
    if (state->strength != PHASE_UNKNOWN)
        return false;
    return code->owner != OWNER_USER || (from != NULL && from != code->file);
}

void phase_enter(struct phase_sign *state, const struct code *code, const char *from)
{
    const struct phase_sign *sign = &code->phase;
    if (state->last)
        return;
    if (is_closure(state, code)) {
        *state = (struct phase_sign){.phase = PHASE_FORWARD, .strength = PHASE_BY_LIBRARY};
        return;
    }
    if (sign->strength < state->strength || sign->strength == PHASE_UNKNOWN)
        return;
    if (sign->strength == PHASE_BY_FILE && !file_decides(state, code, from))
        return;
    bool engine = state->phase == PHASE_BACKWARD && state->strength == PHASE_BY_LIBRARY;
    if (!engine || sign->phase != PHASE_FORWARD)
        *state = *sign;
}
