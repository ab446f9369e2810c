#include "findings/count_told.h"

#include <ctype.h>
#include <string.h>

#include "findings/expression.h"
#include "findings/loop.h"
#include "model/source.h"
#include "python/class_attribute.h"
#include "python/given.h"

#define DEPTH_MAX 6u    /* of names that stand for names */
#define FRAMES_MAX 200u /* on the way to the caller */
#define DECORATOR_ROWS 20
#define COUNT_MAX (UINT64_C(1) << 40)
#define SOURCES_MAX 16u /* of a program that a way goes through */

/* Whose names a count is made of. */
struct scope {
    struct model *model;
    struct process *process;
    uint32_t frame;     /* 0: not known */
    int32_t definition; /* without a frame: the row of the function's "def"; 0: the module */
    const struct source *code;
    unsigned depth;
};

static uint64_t value_of(const struct scope *scope, struct word text);

static struct code *code_of(const struct scope *scope, const struct db_node *record)
{
    return record != NULL && record->frame == DB_FRAME_PYTHON
               ? model_code(scope->model, scope->process, (uint32_t)(record->value >> 32))
               : NULL;
}

static const struct db_node *record_of(const struct scope *scope, uint32_t node_id)
{
    return run_record(scope->process->run, DB_KIND_NODE, node_id);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static uint64_t number_of(struct word text)
{
    uint64_t number = 0;
    for (const char *at = text.text; at < word_end(text); at++) {
        if (*at == '_')
            continue;
        if (!isdigit((unsigned char)*at) || number > COUNT_MAX)
            return COUNT_OPEN;
        number = number * 10 + (uint64_t)(*at - '0');
    }
    return text.length_bytes > 0 ? number : COUNT_OPEN;
}

/* The largest of what the name is given, each read in the scope; COUNT_OPEN where one is open. */
static uint64_t largest_given(const struct scope *scope, const struct given *given)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < given->count; i++) {
        uint64_t value = value_of(scope, given->values[i]);
        largest = value > largest ? value : largest;
    }
    return given->open || given->count == 0 ? COUNT_OPEN : largest;
}

static uint64_t of_module(const struct scope *scope, struct word name)
{
    struct given given;
    struct scope module = {scope->model, scope->process, 0, 0, scope->code, scope->depth};
    given_in_module(scope->code, name, &given);
    return largest_given(&module, &given);
}

/* The functions around another may have a variable of that name: it is that one. What theirs stand for is not looked for. */
static uint64_t of_outer(const struct scope *scope, int32_t definition, struct word name)
{
    struct given given;
    struct parameter parameter;
    while ((definition = given_definition_around(scope->code, definition)) > 0) {
        given_in_function(scope->code, definition, name, &given);
        if (given.open || given.count > 0 || given_parameter(scope->code, definition, name, &parameter))
            return COUNT_OPEN;
    }
    return of_module(scope, name);
}

/* It is made where the function is: its names are not those of its body. */
static uint64_t of_default(const struct scope *scope, const struct parameter *parameter)
{
    struct scope module = {scope->model, scope->process, 0, 0, scope->code, scope->depth};
    return value_of(&module, parameter->default_value);
}

/* "pick = partial(pick, k=990)": a call by that name hands in more than it says. */
static bool is_given_otherwise(const struct source *code, struct word function)
{
    struct word rest = {code->text, code->length_bytes}, statement;
    while (word_next_statement(&rest, &statement))
        if (word_mentions(statement, function) > 0 &&
            word_gives(word_trimmed(statement.text, word_end(statement)), function))
            return true;
    return false;
}

/* "Memory.pick(memory, p, 10)" hands the object by place, "memory.pick(p, 10)" does not. */
static bool hands_object_otherwise(struct word function)
{
    return word_last_part(function).text != function.text && !isupper((unsigned char)*function.text);
}

/* What the frame's caller hands for a parameter of the function: read in the caller's scope. */
static uint64_t of_argument(const struct scope *scope, int32_t definition, const struct parameter *parameter,
                            struct word name)
{
    struct word own = given_definition_name(scope->code, definition), function, arguments;
    if (is_given_otherwise(scope->code, own))
        return COUNT_OPEN;
    uint32_t node_id = record_of(scope, scope->frame)->parent;
    const struct db_node *record;
    for (unsigned i = 0; i < FRAMES_MAX && (record = record_of(scope, node_id)) != NULL;
         i++, node_id = record->parent) {
        const struct source *source = NULL;
        struct code *code = code_of(scope, record);
        if (code == NULL)
            continue;
        struct word call;
        call.text = operation_code(scope->model, scope->process, node_id, &call.length_bytes, &source);
        if (call.text != NULL && word_call(call, &function, &arguments) && word_equal(word_last_part(function), own)) {
            struct scope outer = {scope->model, scope->process, node_id, 0, source, scope->depth};
            struct word value = given_argument(arguments, parameter, name);
            if (value.length_bytes == SIZE_MAX || (parameter->of_object && !hands_object_otherwise(function)))
                return COUNT_OPEN;
            return value.length_bytes > 0 ? value_of(&outer, value) : of_default(scope, parameter);
        }
        if (code->owner != OWNER_FOUNDATION && code->owner != OWNER_STDLIB)
            return COUNT_OPEN; /* it calls the function by another name, or something that does */
    }
    return COUNT_OPEN;
}

/* The row of the function's "def": decorators stand before it. */
static int32_t definition_of(const struct scope *scope, const struct db_node *record)
{
    const struct db_code *code = run_record(scope->process->run, DB_KIND_CODE, record->value >> 32);
    for (int32_t i = 0; code != NULL && i < DECORATOR_ROWS; i++)
        if (given_definition_name(scope->code, code->first_line + i).length_bytes > 0)
            return code->first_line + i;
    return 0;
}

/* The frame of the function that a comprehension stands in. */
static const struct db_node *without_comprehension(struct scope *scope)
{
    const struct db_node *record = record_of(scope, scope->frame);
    struct code *code = code_of(scope, record);
    while (code != NULL && loop_has_own_frame(code)) {
        scope->frame = record->parent;
        record = record_of(scope, scope->frame);
        struct code *outer = code_of(scope, record);
        code = outer != NULL && outer->file == code->file ? outer : NULL;
    }
    return code != NULL ? record : NULL;
}

/* In a function whose callers are not known. */
static uint64_t of_text(const struct scope *scope, struct word name)
{
    struct given given;
    struct parameter parameter;
    if (scope->definition == 0)
        return of_module(scope, name);
    if (given_parameter(scope->code, scope->definition, name, &parameter))
        return COUNT_OPEN;
    given_in_function(scope->code, scope->definition, name, &given);
    bool is_given = given.open || given.count > 0;
    return is_given ? largest_given(scope, &given) : of_outer(scope, scope->definition, name);
}

static uint64_t of_name(const struct scope *scope, struct word name)
{
    struct scope inner = *scope;
    struct given given;
    struct parameter parameter;
    if (scope->frame == 0)
        return of_text(scope, name);
    const struct db_node *record = without_comprehension(&inner);
    struct code *code = code_of(&inner, record);
    if (code == NULL || ends_with(code->function, "<lambda>"))
        return COUNT_OPEN;
    if (ends_with(code->function, "<module>"))
        return of_module(&inner, name);
    int32_t definition = definition_of(&inner, record);
    if (definition == 0)
        return COUNT_OPEN;
    given_in_function(inner.code, definition, name, &given);
    bool is_given = given.open || given.count > 0;
    if (given_parameter(inner.code, definition, name, &parameter))
        return is_given ? COUNT_OPEN : of_argument(&inner, definition, &parameter, name);
    return is_given ? largest_given(&inner, &given) : of_outer(&inner, definition, name);
}

/* The files of the program on the frame's way, its own first. SIZE_MAX: too many. */
static size_t sources_on_way(const struct scope *scope, const struct source **sources)
{
    size_t count = 0;
    const struct db_node *record;
    uint32_t node_id = scope->frame;
    for (unsigned i = 0; i < FRAMES_MAX && (record = record_of(scope, node_id)) != NULL;
         i++, node_id = record->parent) {
        const struct code *code = code_of(scope, record);
        if (code == NULL || code->owner == OWNER_FOUNDATION || code->owner == OWNER_STDLIB)
            continue;
        const struct source *source = source_code(scope->model, code->file);
        size_t known = 0;
        while (known < count && sources[known] != source)
            known++;
        if (source->text == NULL || known == SOURCES_MAX)
            return SIZE_MAX;
        sources[known] = source;
        count += known == count;
    }
    return count;
}

/* Objects of a class: in `sources` is the text that may make and change them. */
struct made_objects {
    const struct scope *scope;
    struct word class_name;
    const struct source *sources[SOURCES_MAX];
    size_t source_count;
};

static uint64_t of_value(const struct scope *scope, const struct class_value *value)
{
    struct scope own = {scope->model, scope->process, 0, value->def, value->code, scope->depth};
    return value_of(&own, value->text);
}

/* What those who make the objects hand for a parameter of the constructor. */
static uint64_t of_constructor(const struct made_objects *objects, const struct class_value *value,
                               const struct parameter *parameter)
{
    struct class_values calls = {.count = 0};
    uint64_t largest = 0;
    bool is_told = true;
    for (size_t i = 0; i < objects->source_count && is_told; i++)
        is_told = class_calls(objects->sources[i], objects->class_name, &calls);
    for (size_t i = 0; i < calls.count && is_told; i++) {
        struct class_value argument = calls.values[i];
        argument.text = given_argument(calls.values[i].text, parameter, value->text);
        if (argument.text.length_bytes == SIZE_MAX)
            return COUNT_OPEN;
        uint64_t one = argument.text.length_bytes > 0 ? of_value(objects->scope, &argument)
                                                      : of_default(objects->scope, parameter);
        largest = one > largest ? one : largest;
    }
    return is_told && calls.count > 0 ? largest : COUNT_OPEN;
}

/* "self.k = k" in a method: of its constructor, `k` is what the objects are made with. */
static uint64_t of_kept(const struct made_objects *objects, const struct class_value *value)
{
    struct given given;
    struct parameter parameter;
    if (!given_parameter(value->code, value->def, value->text, &parameter))
        return of_value(objects->scope, value);
    given_in_function(value->code, value->def, value->text, &given);
    bool is_made = word_is(given_definition_name(value->code, value->def), "__init__") && parameter.of_object;
    return is_made && !given.open && given.count == 0 ? of_constructor(objects, value, &parameter) : COUNT_OPEN;
}

/* "self.k" in a method of the frame's: the largest of what the class gives it. */
static uint64_t of_attribute(const struct scope *scope, struct word attribute)
{
    struct scope inner = *scope;
    struct class_values values = {.count = 0};
    struct word name = word_last_part(attribute), object = {attribute.text, (size_t)(name.text - attribute.text)};
    const struct db_node *record = scope->frame != 0 && word_is(object, "self.") ? without_comprehension(&inner) : NULL;
    int32_t definition = record != NULL ? definition_of(&inner, record) : 0;
    struct made_objects objects = {.scope = &inner};
    objects.source_count = sources_on_way(&inner, objects.sources);
    if (definition == 0 || objects.source_count == SIZE_MAX)
        return COUNT_OPEN;
    objects.class_name = class_around(inner.code, definition);
    for (size_t i = 0; i < objects.source_count; i++)
        if (class_attribute_is_reached(objects.sources[i], name))
            return COUNT_OPEN;
    if (!class_is_plain(inner.code, objects.class_name) ||
        !class_attribute_given(inner.code, objects.class_name, attribute, &values))
        return COUNT_OPEN;
    uint64_t largest = 0;
    for (size_t i = 0; i < values.count; i++) {
        uint64_t value = of_kept(&objects, &values.values[i]);
        largest = value > largest ? value : largest;
    }
    return values.count > 0 ? largest : COUNT_OPEN;
}

/* "k + 1" */
static uint64_t of_sum(const struct scope *scope, struct word text, const char *plus)
{
    uint64_t left = value_of(scope, word_trimmed(text.text, plus)),
             right = number_of(word_trimmed(plus + 1, word_end(text)));
    return left == COUNT_OPEN || right == COUNT_OPEN ? COUNT_OPEN : left + right;
}

static uint64_t value_of(const struct scope *scope, struct word text)
{
    struct scope next = *scope;
    if (++next.depth > DEPTH_MAX)
        return COUNT_OPEN;
    while (text.length_bytes > 2 && *text.text == '(' &&
           word_in_bracket(text.text, word_end(text)).length_bytes + 2 == text.length_bytes)
        text = word_trimmed(text.text + 1, word_end(text) - 1);
    const char *plus = memchr(text.text, '+', text.length_bytes);
    if (plus != NULL)
        return of_sum(&next, text, plus);
    if (text.length_bytes == 0 || isdigit((unsigned char)*text.text))
        return number_of(text);
    struct word name = word_name_at(text.text, word_end(text));
    if (name.length_bytes != text.length_bytes)
        return COUNT_OPEN;
    return word_last_part(name).text == name.text ? of_name(&next, name) : of_attribute(&next, name);
}

uint64_t count_told(struct model *model, struct process *process, uint32_t frame, struct word count)
{
    struct scope scope = {.model = model, .process = process, .frame = frame};
    struct code *code = code_of(&scope, record_of(&scope, frame));
    if (code == NULL)
        return COUNT_OPEN;
    scope.code = source_code(model, code->file);
    return scope.code->text != NULL ? value_of(&scope, count) : COUNT_OPEN;
}
