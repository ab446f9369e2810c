#include "findings/row_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "findings/sites.h"
#include "findings/walks.h"
#include "model/share.h"
#include "model/source.h"
#include "python/given.h"
#include "python/single_row.h"
#include "show/page.h"

#define KIND "tiny_calls"
#define SAMPLES_MIN 10u
/* Of the time below such calls, at least: of a network that works for a millisecond on a row it is less. */
#define PYTHON_SHARE 0.10

enum row_callee row_callee_of(const struct code *code)
{
    static const char *const calls[] = {"Module._call_impl", "Module._wrapped_call_impl", "Module.__call__"};
    const struct word function = {code->function, strlen(code->function)};
    bool is_module = code->owner == OWNER_FOUNDATION && strstr(code->file, "/torch/nn/modules/module.py") != NULL;
    if (is_module && (WORD_IS_ONE_OF(function, calls) || WORD_IS_ONE_OF(word_last_part(function), calls)))
        return CALLEE_MODULE;
    return code->owner == OWNER_PACKAGE ? CALLEE_PACKAGE : CALLEE_OTHER;
}

bool row_draws_once(const struct code *code)
{
    return code->owner == OWNER_PACKAGE && (strstr(code->file, "/torchvision/transforms/") != NULL ||
                                            strstr(code->file, "/kornia/augmentation/") != NULL);
}

/* "f" of "f(x)"; empty: it is no call. */
static struct word called_at_start(struct word text)
{
    struct word name = word_name_at(text.text, word_end(text));
    bool is_call = word_end(name) < word_end(text) && *word_end(name) == '(';
    return (struct word){text.text, is_call ? name.length_bytes : 0};
}

void row_call_read(struct row_call *call, const struct loop_text *loop, struct word text, bool is_whole_row)
{
    call->text = text;
    call->is_whole_row = is_whole_row;
    if (!single_row_call(loop, text, is_whole_row, &call->function, &call->row)) {
        call->row = (struct single_row){.source = ROW_NONE};
        call->function = is_whole_row ? (struct word){text.text, 0} : called_at_start(text);
    }
    call->model = call->function;
}

void row_passed_read(struct row_passed *passed, const struct model *model, const struct code *code, int32_t def,
                     struct word text, bool is_whole_row)
{
    struct loop_text function;
    single_row_read_function(&function, source_joined(model, code->file), def);
    *passed = (struct row_passed){.code = source_code(model, code->file), .def = def};
    if (!single_row_call(&function, text, is_whole_row, &passed->model, &passed->row) ||
        passed->row.source != ROW_OF_ITEM)
        passed->code = NULL;
}

/* Methods of estimators that give a result for each row, whatever the others are. */
bool row_is_model(struct word function, enum row_callee callee)
{
    static const char *const methods[] = {"predict",           "predict_proba", "predict_log_proba",
                                          "decision_function", "transform",     "inverse_transform",
                                          "score_samples",     "kneighbors",    "apply"};
    if (function.length_bytes == 0 || callee == CALLEE_OTHER)
        return false;
    return callee == CALLEE_MODULE || (memchr(function.text, '.', function.length_bytes) != NULL &&
                                       WORD_IS_ONE_OF(word_last_part(function), methods));
}

/* "predict(x[i])", of a function that hands its parameter on: what the model is handed is a batch by one of them. */
static bool takes(struct row_call *call, const struct loop_text *loop, const struct row_passed *passed)
{
    struct parameter parameter;
    struct word called = given_definition_name(passed->code, passed->def), argument;
    struct word function = called_at_start(call->text);
    if (call->is_whole_row || function.length_bytes == 0 || !word_equal(word_last_part(function), called) ||
        !given_parameter(passed->code, passed->def, passed->row.item, &parameter) ||
        parameter.of_object != (word_last_part(function).text > function.text))
        return false;
    argument = given_argument(word_in_bracket(word_end(function), word_end(call->text)), &parameter, passed->row.item);
    if (argument.length_bytes == 0 || argument.length_bytes == SIZE_MAX)
        return false;
    struct single_row row = single_row_read(loop, argument);
    row.is_batch = row.is_batch != passed->row.is_batch;
    call->function = function;
    call->row = row;
    call->model = passed->model;
    return row.source != ROW_NONE;
}

bool row_call_is_of_model(struct row_call *call, const struct loop_text *loop, enum row_callee callee,
                          const struct row_passed *passed)
{
    bool is_it = passed != NULL ? row_is_model(passed->model, callee) && takes(call, loop, passed)
                                : row_is_model(call->function, callee);
    call->of_module = call->of_module || (is_it && callee == CALLEE_MODULE);
    return is_it;
}

/* An estimator takes rows of one length alone, whatever they come from; a network may take each as long as it is. */
static bool is_proved(const struct walk *walk, const struct row_call *call)
{
    const enum row_source source = call->row.source;
    return source == ROW_OF_ARRAY || (source != ROW_NONE && !call->of_module) ||
           (source == ROW_OF_SUBSCRIPT && walk->proved > 0) ||
           (source == ROW_OF_ITEM && walk->header_array >= WALK_ITEMS_MIN);
}

/* The model, or what its rows are of, is not another one in each round. */
static bool stays(const struct walk *walk, struct word name)
{
    const struct words *stored = &walk->text.stored;
    bool is_stored = words_have(stored, word_first_part(name)) || words_have(stored, word_last_part(name));
    return name.length_bytes == 0 || (!is_stored && stored->count < WORDS_MAX);
}

static bool is_claim(const struct walk *walk, const struct row_call *call)
{
    return call->below.samples >= SAMPLES_MIN && call->row.is_batch && is_proved(walk, call) && !walk->text.carried &&
           !walk->text.few && !walk_may_remember_beside(walk) && stays(walk, call->function) &&
           stays(walk, call->row.array) &&
           share_estimate_counts(call->below.python, call->below.samples, 0).low >= PYTHON_SHARE;
}

/* "net() for one row of x", "predict(), which calls net(), for one row". */
static char *call_text(const struct row_call *call)
{
    bool is_passed = !word_equal(call->function, call->model);
    const struct word function = call->function, model = call->model, array = call->row.array;
    return memory_print("%.*s()%s%.*s%s for one row%s%.*s", (int)function.length_bytes, function.text,
                        is_passed ? ", which calls " : "", is_passed ? (int)model.length_bytes : 0, model.text,
                        is_passed ? "()," : "", array.length_bytes > 0 ? " of " : "", (int)array.length_bytes,
                        array.length_bytes > 0 ? array.text : "");
}

static void say(struct model *model, struct finding *finding)
{
    char *loop = say_loop(model, finding);
    char *samples = page_count(finding->whole);
    char *python = page_percent(100 * (double)finding->part / (double)finding->whole);
    finding->claim =
        memory_print("Calls %s in each round of %s: of %s samples below these calls, %s lie in Python code, "
                     "which one call has once for however many rows.",
                     finding->called, loop, samples, python);
    finding->advice = memory_print("%s", finding->instead);
    free(loop);
    free(samples);
    free(python);
}

static char *instead_of(const struct row_call *call)
{
    const char *mode = call->of_module
                           ? "; a network must be in eval mode, for in training dropout and batch norm go by the batch"
                           : "";
    return memory_print("Hand %.*s() all rows in one call, or some hundred in each: what it returns has a row for each "
                        "of them. The last digits may differ%s.",
                        (int)call->model.length_bytes, call->model.text, mode);
}

static void claim(struct model *model, const struct row_call *call)
{
    const struct below *below = &call->below;
    struct line *line = lines_get(model, below->process, below->frame);
    double seconds = (double)below->ns * 1e-9;
    if (line == NULL || finding_is_told_better(model, line, seconds))
        return;
    struct finding *finding = finding_add(model, line, KIND, "slice under-utilisation");
    finding->process = below->process;
    finding->node = below->frame;
    finding->called = call_text(call);
    finding->instead = instead_of(call);
    finding->waste_s = seconds;
    finding->beside_s = seconds - below_charge(below, line);
    finding->part = below->python;
    finding->whole = below->samples;
    finding->say = say;
}

void row_calls_claim(struct model *model, const struct walks *walks)
{
    for (size_t i = 0; i < walks->spot_count; i++) {
        const struct spot *spot = walks->spots[i];
        if (spot->walk != NULL && is_claim(spot->walk, &spot->row_call))
            claim(model, &spot->row_call);
    }
}
