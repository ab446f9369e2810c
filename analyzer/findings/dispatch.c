#include "findings/dispatch.h"

#include <string.h>

#include "findings/expression.h"
#include "model/source.h"
#include "python/given.h"
#include "python/scope.h"

#define LEVELS_MAX 8u /* of Python, from the loop's function inwards */

/* A Python frame: its function, and the call at which it stands. */
struct level {
    const char *function; /* its qualified name */
    struct word called, arguments;
    const struct source *code;
    int32_t def; /* 0: the module */
};

static bool read_level(struct level *level, struct model *model, struct process *process, uint32_t frame)
{
    struct code *code = NULL;
    struct word call;
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    call.text = operation_code(model, process, frame, &call.length_bytes, &level->code);
    if (code == NULL || call.text == NULL)
        return false;
    level->function = code->function;
    level->def = scope_function(level->code, span.line);
    if (!word_call(call, &level->called, &level->arguments))
        level->called = level->arguments = (struct word){call.text, 0};
    return true;
}

/*
 * The levels from `around` inwards are the last of those on the way, which is read from within. Returns how many are known, `around` the first;
 * the innermost ones of a long way are left out.
 */
static size_t read_levels(struct level *levels, struct model *model, struct process *process, uint32_t node_id,
                          uint32_t around)
{
    uint32_t frames[LEVELS_MAX];
    size_t seen = 0, count = 0;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    for (; record != NULL; node_id = record->parent, record = run_record(process->run, DB_KIND_NODE, node_id)) {
        if (record->frame != DB_FRAME_PYTHON)
            continue;
        frames[seen++ % LEVELS_MAX] = node_id;
        if (node_id == around)
            break;
    }
    while (record != NULL && count < seen && count < LEVELS_MAX &&
           read_level(&levels[count], model, process, frames[(seen - 1 - count) % LEVELS_MAX]))
        count++;
    return count;
}

static struct word last_part(const char *function)
{
    return word_last_part((struct word){function, strlen(function)});
}

/* May the function be the same in each pass, though it goes by a name of the loop's? What is defined in the loop's own is not made in it. */
static bool may_be_one(const struct level *function, const struct level *around)
{
    static const char locals[] = ".<locals>.";
    const struct word name = last_part(function->function);
    const char *made = strstr(function->function, locals);
    size_t outer = strlen(around->function);
    bool is_around = made != NULL && (size_t)(made - function->function) == outer &&
                     strncmp(function->function, around->function, outer) == 0 &&
                     strstr(made + sizeof(locals) - 1, locals) == NULL;
    return *name.text == '<' || *name.text == '_' || (made != NULL && !is_around);
}

/* What the level outside hands in for a parameter of the one within; empty: not known. */
static struct word handed(const struct level *outside, const struct level *within, struct word name)
{
    struct parameter parameter;
    struct word argument = {name.text, 0};
    if (!word_equal(word_last_part(outside->called), last_part(within->function)) ||
        !given_parameter(within->code, within->def, name, &parameter))
        return argument;
    argument = given_argument(outside->arguments, &parameter, name);
    return argument.length_bytes != SIZE_MAX ? argument : (struct word){name.text, 0};
}

/* Is the function of level `at` called by what the outermost level calls one of these names? */
static bool goes_by(const struct level *levels, size_t at, struct word targets)
{
    struct word name = levels[at - 1].called;
    if (name.length_bytes == 0 || word_last_part(name).text != name.text ||
        word_equal(name, last_part(levels[at].function)) || may_be_one(&levels[at], &levels[0]))
        return false;
    for (size_t i = at - 1; i > 0 && name.length_bytes > 0; i--)
        name = handed(&levels[i - 1], &levels[i], name);
    return name.length_bytes > 0 && word_equal(word_name_at(name.text, word_end(name)), name) &&
           word_mentions(targets, name) > 0;
}

bool dispatch_is_by(struct model *model, struct process *process, uint32_t node_id, uint32_t around,
                    struct word targets)
{
    struct level levels[LEVELS_MAX];
    size_t count = read_levels(levels, model, process, node_id, around);
    for (size_t at = 1; at < count; at++)
        if (goes_by(levels, at, targets))
            return true;
    return false;
}
