#include "findings/arguments.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"
#include "model/source.h"
#include "python/given.h"
#include "python/made_of.h"
#include "python/region.h"
#include "python/same_value.h"
#include "python/scope.h"

#define STEPS_MAX 8u

/* The Python frame at the node or around it; 0: there is none. */
static uint32_t frame_from(const struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (; record != NULL && record->frame != DB_FRAME_PYTHON; record = run_record(process->run, DB_KIND_NODE, node_id))
        node_id = record->parent;
    return record != NULL ? node_id : 0;
}

static uint32_t outer(const struct process *process, uint32_t frame)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    return record != NULL ? frame_from(process, record->parent) : 0;
}

static bool stand_at_one(struct model *model, struct process *process, uint32_t one, uint32_t other)
{
    struct code *code = NULL, *other_code = NULL;
    struct line_span a = model_position(model, process, run_record(process->run, DB_KIND_NODE, one), &code),
                     b = model_position(model, process, run_record(process->run, DB_KIND_NODE, other), &other_code);
    return code != NULL && code == other_code && a.line == b.line && a.column == b.column;
}

/* Of the function that the frame's line stands in; of the module all. */
static struct word rows_around(struct model *model, struct process *process, uint32_t frame)
{
    struct code *code = NULL;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    const struct source *source = source_code(model, code->file);
    int32_t def = scope_function(source, span.line);
    if (def == 0)
        return (struct word){source->text, source->length_bytes};
    struct region_span body = region_function(source, def);
    return region_rows(&body);
}

/* A function on the way from the calls that differ to the native one, innermost first. */
struct step {
    struct word call; /* what it stands at */
    const struct source *code;
    int32_t def;
};

struct steps {
    struct step steps[STEPS_MAX];
    size_t count;
    bool open; /* there are others, or some of which the text is not known */
};

/* The foundations' own functions do the same with the same arguments. */
static void add_step(struct steps *steps, struct model *model, struct process *process, uint32_t frame)
{
    struct code *code = NULL;
    struct step step;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    if (code == NULL || code->owner == OWNER_FOUNDATION || code->owner == OWNER_STDLIB) {
        steps->open = steps->open || code == NULL;
        return;
    }
    step.call.text = operation_code(model, process, frame, &step.call.length_bytes, &step.code);
    step.def = step.call.text != NULL ? scope_function(step.code, span.line) : 0;
    size_t length = strlen(code->function);
    bool is_function = step.def > 0 && length > 0 && code->function[length - 1] != '>'; /* as "<lambda>" */
    steps->open = steps->open || !is_function || steps->count == STEPS_MAX;
    if (!steps->open)
        steps->steps[steps->count++] = step;
}

/* "encode" of "nets[0].encode"; empty where it ends with a bracket. */
static struct word name_of(struct word callee)
{
    const char *at = word_end(callee);
    while (at > callee.text && word_char(at[-1]))
        at--;
    return (struct word){at, (size_t)(word_end(callee) - at)};
}

/* "net" of "net.encode(x)", where "encode" is called; of "net(x)", where PyTorch calls "forward". Empty: another function is called. */
static struct word object_of(struct word callee, struct word called)
{
    struct word name = name_of(callee), none = {callee.text, 0};
    if (name.length_bytes == 0 || !word_equal(name, called))
        return word_is(called, "forward") || word_is(called, "__call__") ? callee : none;
    return name.text > callee.text ? (struct word){callee.text, (size_t)(name.text - callee.text) - 1} : none;
}

/* What the call hands in for the parameter; empty: nothing. False: that is not known. */
static bool argument_of(const struct step *step, struct word call, struct word name, struct word *argument)
{
    struct word callee, arguments, called = given_definition_name(step->code, step->def);
    struct parameter parameter;
    if (!word_callee(call, &callee, &arguments) || !given_parameter(step->code, step->def, name, &parameter))
        return false;
    struct word object = object_of(callee, called);
    bool is_called = object.length_bytes > 0 || word_equal(callee, called);
    if (!is_called || parameter.of_object != (object.length_bytes > 0) || isupper((unsigned char)*callee.text))
        return false;
    bool is_object = parameter.of_object && parameter.place == 0;
    *argument = is_object ? object : given_argument(arguments, &parameter, name);
    return argument->length_bytes != SIZE_MAX;
}

/* What the native function takes is made of these parameters of the outermost step. */
static bool read_parameters(const struct steps *steps, struct words *parameters)
{
    struct words taken = {.words = {steps->steps[0].call}, .count = 1};
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *step = &steps->steps[i];
        *parameters = (struct words){.count = 0};
        for (size_t k = 0; k < taken.count; k++)
            if (!made_of_parameters(step->code, step->def, taken.words[k], parameters))
                return false;
        taken.count = 0;
        for (size_t k = 0; k < parameters->count && i + 1 < steps->count; k++) {
            struct word argument;
            if (!argument_of(step, steps->steps[i + 1].call, parameters->words[k], &argument))
                return false;
            if (argument.length_bytes > 0)
                taken.words[taken.count++] = argument;
        }
    }
    return true;
}

/* Do two calls of the outermost step hand in the same for what the native function takes? */
static bool hand_the_same(const struct steps *steps, struct word rows, struct word first, struct word second)
{
    struct words parameters;
    struct word one, other;
    const struct step *innermost = &steps->steps[0];
    if (steps->open || steps->count == 0 || !read_parameters(steps, &parameters) ||
        made_of_is_stored_into(innermost->code, innermost->def, innermost->call))
        return false;
    const struct step *outermost = &steps->steps[steps->count - 1];
    for (size_t i = 0; i < parameters.count; i++)
        if (!argument_of(outermost, first, parameters.words[i], &one) ||
            !argument_of(outermost, second, parameters.words[i], &other) || values_differ(rows, one, other))
            return false;
    return true;
}

enum arguments arguments_compare(struct model *model, struct process *process, uint32_t first_node,
                                 uint32_t second_node)
{
    uint32_t one = frame_from(process, first_node), other = frame_from(process, second_node);
    struct steps steps = {.count = 0};
    struct word first, second;
    while (one != 0 && other != 0 && one != other && stand_at_one(model, process, one, other)) {
        add_step(&steps, model, process, one);
        one = outer(process, one);
        other = outer(process, other);
    }
    if (one == 0 || other == 0 || one == other)
        return ARGUMENTS_SAME;
    const struct db_node *a = run_record(process->run, DB_KIND_NODE, one),
                         *b = run_record(process->run, DB_KIND_NODE, other);
    if (a->parent != b->parent || a->value >> 32 != b->value >> 32)
        return ARGUMENTS_SAME;
    first.text = operation_text(model, process, one, &first.length_bytes);
    second.text = operation_text(model, process, other, &second.length_bytes);
    struct word rows = rows_around(model, process, one);
    if (first.text == NULL || second.text == NULL || !values_differ(rows, first, second))
        return ARGUMENTS_SAME;
    return hand_the_same(&steps, rows, first, second) ? ARGUMENTS_SAME_TAKEN : ARGUMENTS_DIFFER;
}
