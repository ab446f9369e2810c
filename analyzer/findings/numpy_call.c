#include "findings/numpy_call.h"

#include <string.h>

#include "model/frames.h"
#include "model/source.h"
#include "python/imports.h"

#define NUMPY_LIBRARY "_multiarray_umath"

/* NumPy's operators, as functions. Not "**", which takes others than power() for some exponents: slower, and of other digits. */
static const struct {
    const char *text, *function;
} operators[] = {{"+", "add"},           {"-", "subtract"},       {"*", "multiply"}, {"/", "divide"},
                 {"//", "floor_divide"}, {"%", "remainder"},      {"@", "matmul"},   {"&", "bitwise_and"},
                 {"|", "bitwise_or"},    {"^", "bitwise_xor"},    {"<", "less"},     {">", "greater"},
                 {"<=", "less_equal"},   {">=", "greater_equal"}, {"==", "equal"},   {"!=", "not_equal"}};

/* NumPy's functions that take `out`. */
static const char *const takers[] = {
    "abs",      "absolute", "add",      "arctan", "arctan2", "ceil",       "clip",    "concatenate", "cos",
    "cosh",     "cumprod",  "cumsum",   "divide", "dot",     "exp",        "exp2",    "expm1",       "floor",
    "hypot",    "log",      "log10",    "log1p",  "log2",    "matmul",     "maximum", "minimum",     "mod",
    "multiply", "negative", "power",    "rint",   "round",   "sign",       "sin",     "sinh",        "sqrt",
    "square",   "stack",    "subtract", "tan",    "tanh",    "true_divide"};

/* ... that arrays have as methods: "x.dot(y)". */
static const char *const methods[] = {"clip", "cumprod", "cumsum", "dot", "round"};

/* Signs, as functions. */
static const struct {
    const char *text, *function;
} signs[] = {{"-", "negative"}, {"+", "positive"}, {"~", "invert"}};

static uint32_t frame_of(const struct site *site)
{
    return model_node(site->process, site->record->node)->python;
}

struct operation numpy_call_taker(struct model *model, const struct site *site)
{
    struct operation operation = operation_at(model, site->process, frame_of(site));
    size_t length = 0;
    bool is_sign =
        operation.kind == OPERATOR && operation.name == operation_text(model, site->process, frame_of(site), &length);
    for (size_t i = 0; is_sign && i < sizeof(signs) / sizeof(signs[0]); i++)
        if (operation_is_named(&operation, signs[i].text))
            return (struct operation){OPERATION_CALL, signs[i].function, strlen(signs[i].function)};
    for (size_t i = 0; !is_sign && operation.kind == OPERATOR && i < sizeof(operators) / sizeof(operators[0]); i++)
        if (operation_is_named(&operation, operators[i].text))
            return (struct operation){OPERATION_CALL, operators[i].function, strlen(operators[i].function)};
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(takers) / sizeof(takers[0]); i++)
        if (operation_is_named(&operation, takers[i]))
            return operation;
    return (struct operation){0};
}

static bool is_numpys(const struct frame *frame)
{
    return frame->kind == FRAME_NATIVE && frame->library != NULL &&
           strncmp(frame->library, NUMPY_LIBRARY, strlen(NUMPY_LIBRARY)) == 0;
}

/* Does the interpreter call NumPy there, and NumPy make the object itself? */
static bool is_made_by_numpy(struct model *model, const struct site *site)
{
    struct context context;
    context_expand(&context, model, site->process, site->record->node);
    size_t first = context.count;
    while (first > 0 && context.frames[first - 1].kind != FRAME_PYTHON)
        first--;
    while (first < context.count && context.frames[first].interpreter)
        first++;
    bool made =
        first < context.count && is_numpys(&context.frames[first]) && is_numpys(&context.frames[context.count - 1]);
    context_free(&context);
    return made;
}

/* "np" of "np.exp", "exp" of "exp"; empty for a method of what is no name: "(a + b).dot". */
static struct word module_of(struct model *model, const struct site *site, const struct operation *call)
{
    size_t length = 0;
    const char *text = operation_text(model, site->process, frame_of(site), &length), *at = call->name;
    while (at > text && (word_char(at[-1]) || at[-1] == '.'))
        at--;
    const char *end = at;
    while (end < call->name + call->length_bytes && word_char(*end))
        end++;
    return (struct word){at, (size_t)(end - at)};
}

/*
 * Operators and methods are NumPy's where their operands are; that the advice may name "np", that must be no other module. A function
 * is what the file's imports say.
 */
static bool names_numpy(struct model *model, const struct site *site)
{
    static const struct word np = {"np", 2};
    struct code *code;
    struct operation operation = operation_at(model, site->process, frame_of(site));
    model_position(model, site->process, run_record(site->process->run, DB_KIND_NODE, frame_of(site)), &code);
    const struct source *source = source_code(model, code->file);
    struct word module = operation.kind == OPERATION_CALL ? module_of(model, site, &operation) : (struct word){0};
    struct word function = {operation.name, operation.length_bytes};
    enum imported from = module.length_bytes > 0 ? imports_of_name(source, module) : IMPORTED_BY_NONE;
    bool is_bare = module.text == function.text;
    bool is_method = operation.kind == OPERATION_CALL && !is_bare && WORD_IS_ONE_OF(function, methods);
    if (from != IMPORTED_BY_NONE)
        return from == IMPORTED_FROM_NUMPY;
    if (operation.kind == OPERATOR || is_method)
        return imports_of_name(source, np) != IMPORTED_FROM_OTHER;
    return word_is(module, "np") || word_is(module, "numpy");
}

/* An instruction, whichever process and way it runs on. */
struct instruction {
    const struct code *code;
    struct line_span span;
};

static struct instruction instruction_at(struct model *model, struct process *process, uint32_t frame)
{
    struct code *code = NULL;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    struct line_span span = record != NULL && record->frame == DB_FRAME_PYTHON
                                ? model_position(model, process, record, &code)
                                : (struct line_span){0};
    return (struct instruction){code, span};
}

static bool is_in_function(struct model *model, struct process *process, uint32_t frame, const struct code *code)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    const struct code *other = record != NULL && record->frame == DB_FRAME_PYTHON
                                   ? model_code(model, process, (uint32_t)(record->value >> 32))
                                   : NULL;
    return other != NULL && other->file == code->file && strcmp(other->function, code->function) == 0;
}

/* NumPy's own steps take `out` as well; the standard library's tell warnings and the like. */
static bool is_of_others(const struct code *code)
{
    return code != NULL && code->owner != OWNER_STDLIB &&
           (code->package == NULL || strcmp(code->package, "numpy") != 0);
}

/* Does the instruction, in this process, run a function in Python that is not NumPy's? */
static bool runs_python(struct model *model, struct process *process, const struct instruction *instruction)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *caller = record->frame == DB_FRAME_PYTHON ? model_node(process, record->parent) : NULL;
        if (caller == NULL || !is_in_function(model, process, caller->python, instruction->code) ||
            !is_of_others(model_code(model, process, (uint32_t)(record->value >> 32))))
            continue;
        struct line_span span = instruction_at(model, process, caller->python).span;
        if (span.line == instruction->span.line && span.column == instruction->span.column &&
            span.end_line == instruction->span.end_line && span.end_column == instruction->span.end_column)
            return true;
    }
    return false;
}

bool numpy_call_is_own(struct model *model, const struct site *site)
{
    uint32_t frame = frame_of(site), node = site->record->node;
    return lines_frame_of_leaf(model, site->process, node) == frame && callers_frame(site->process, node) == frame &&
           is_made_by_numpy(model, site);
}

bool numpy_call_is_all(struct model *model, const struct site *site)
{
    struct instruction instruction = instruction_at(model, site->process, frame_of(site));
    if (instruction.code == NULL || !names_numpy(model, site))
        return false;
    for (size_t i = 0; i < model->process_count; i++)
        if (runs_python(model, &model->processes[i], &instruction))
            return false;
    return true;
}
