#include "findings/inputs_walk.h"

#include <string.h>

#include "findings/comprehension.h"
#include "findings/expression.h"
#include "findings/inputs_cache.h"
#include "python/choices.h"
#include "python/code_facts.h"
#include "python/draws.h"
#include "python/given.h"
#include "python/inputs.h"
#include "python/scope.h"
#include "python/view_name.h"

#define FRAMES_MAX 200

void inputs_add(struct inputs_walk *walk, struct inputs_item item)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->items[i].level == item.level && walk->items[i].code == item.code && walk->items[i].def == item.def &&
            word_equal(walk->items[i].name, item.name))
            return;
    if (walk->count < INPUTS_MAX && item.name.length_bytes > 0)
        walk->items[walk->count++] = item;
}

int32_t inputs_definition(const struct inputs_walk *walk, struct word name, const struct source **code)
{
    int32_t found = 0;
    for (size_t i = 0; i < walk->code_count; i++) {
        size_t count = 0;
        const struct code_function *const *functions = code_index_named(walk->codes[i], name, &count);
        if (count == 0)
            continue;
        if (found > 0 || count > 1)
            return 0;
        *code = walk->codes[i]->code;
        found = functions[0]->def;
    }
    return found;
}

static void add_body(struct inputs_walk *walk, const struct source *code, int32_t def)
{
    struct region_span body = region_function(code, def);
    struct inputs_item of = {.code = code, .def = def, .level = SIZE_MAX};
    inputs_add_text(walk, region_rows(&body), &of);
}

void inputs_add_function(struct inputs_walk *walk, struct word name)
{
    const struct source *code = NULL;
    int32_t def = inputs_definition(walk, name, &code);
    if (def > 0 && !word_is(name, "__init__"))
        add_body(walk, code, def);
}

void inputs_add_callables(struct inputs_walk *walk)
{
    static const struct word methods[] = {{"__call__", 8}, {"forward", 7}};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        for (size_t k = 0; k < walk->code_count; k++) {
            size_t count = 0;
            const struct code_index *index = walk->codes[k];
            const struct code_function *const *functions = code_index_named(index, methods[i], &count);
            for (size_t j = 0; j < count; j++)
                add_body(walk, index->code, functions[j]->def);
        }
}

/* Parts by a mask, or an order; what a loop counts is none, nor is what a function that is called takes of its own. */
static bool takes_by_index(const struct inputs_walk *walk, struct word text, const struct inputs_item *of)
{
    struct words names;
    if (of->level == SIZE_MAX)
        return false;
    choices_indices(text, &names);
    for (size_t i = 0; i < names.count; i++)
        if (!view_is_target(inputs_rows(walk, of), names.words[i]))
            return true;
    return false;
}

/*
 * "rng.normal(size=n)" gives others each time, by a generator that is not made, or seeded, anew in each pass. What a function on the way was
 * handed may be.
 */
static bool draws(const struct inputs_walk *walk, const struct inputs_item *of, const struct input *input)
{
    static const struct word seeds[] = {{"seed", 4}, {"manual_seed", 11}};
    struct word name = input->name, called = input->called, root = word_first_part(name);
    bool is_method = name.length_bytes > 0 && called.length_bytes > 0 && word_end(name) + 1 == called.text;
    if (of->level == SIZE_MAX || !is_method ||
        !draws_by_name((struct word){name.text, (size_t)(word_end(called) - name.text)}))
        return false;
    struct inputs_item generator = *of;
    generator.name = root;
    bool is_known = of->level == walk->top || word_is(root, "self") || inputs_is_imported(walk, &generator);
    struct word pass = region_rows(&walk->loop);
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
        is_known = is_known && word_find(pass, pass.text, seeds[i]) == NULL;
    return is_known && !inputs_memo_carried(walk->memo, inputs_rows(walk, of), root)->given;
}

void inputs_add_text(struct inputs_walk *walk, struct word text, const struct inputs_item *of)
{
    static const char *const taking[] = {"next", "pop", "popleft"};
    struct input input;
    walk->chooses = walk->chooses || choices_somewhere(text) || takes_by_index(walk, text, of);
    for (const char *at = text.text; inputs_next(text, &at, &input);) {
        struct inputs_item item = *of;
        struct word last = word_last_part(input.name);
        item.name = input.name;
        inputs_add(walk, item);
        bool is_attribute = input.called.length_bytes == 0 && last.text != input.name.text;
        item = (struct inputs_item){.name = is_attribute ? last : input.called, .level = SIZE_MAX};
        item.is_plain = !is_attribute && (item.name.text == text.text || item.name.text[-1] != '.');
        inputs_add(walk, item);
        walk->takes_next |= WORD_IS_ONE_OF(input.called, taking) || draws(walk, of, &input);
    }
}

void inputs_add_store(struct inputs_walk *walk, struct word statement, const struct inputs_item *of)
{
    struct word target, value;
    bool chooses = walk->chooses || !word_assigned(statement, &target, &value) || choices_of_places(target) ||
                   choices_somewhere(value);
    inputs_add_text(walk, statement, of);
    walk->chooses = walk->chooses && chooses;
}

struct word inputs_rows(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct region_span rows = item->level == walk->top ? walk->loop : region_function(item->code, item->def);
    return region_rows(&rows);
}

/* The level whose call runs the function: the next one, or for what Python calls by no name that is told the next of the program's. */
static const struct kept_level *caller_of(const struct inputs_walk *walk, const struct inputs_item *item, size_t *level)
{
    static const char *const unnamed[] = {"forward", "__call__"};
    struct word function, arguments, name = code_name_of(item->code, item->def);
    bool is_unnamed = WORD_IS_ONE_OF(name, unnamed);
    for (*level = item->level + 1; is_unnamed && *level < walk->top && walk->ways.levels[*level].code == NULL;)
        ++*level;
    const struct kept_level *caller = &walk->ways.levels[*level];
    bool is_known = caller->code != NULL && word_last_call(caller->call, &function, &arguments) &&
                    (is_unnamed || word_equal(word_last_part(function), name));
    return is_known ? caller : NULL;
}

bool inputs_is_imported(const struct inputs_walk *walk, const struct inputs_item *item)
{
    for (size_t i = 0; i < walk->code_count; i++)
        if (walk->codes[i]->code == item->code && code_index_imports(walk->codes[i], word_first_part(item->name)))
            return true;
    return false;
}

struct inputs_item inputs_owner(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct inputs_item owner = {.name = {item->name.text, 0}, .level = item->level + 1};
    const struct kept_level *caller = item->level < walk->top ? &walk->ways.levels[owner.level] : NULL;
    if (caller == NULL || caller->code == NULL || item->code == NULL)
        return owner;
    struct word method = word_name_at(caller->call.text, word_end(caller->call)), last = word_last_part(method);
    if (last.text > method.text && word_equal(last, code_name_of(item->code, item->def)))
        owner.name = (struct word){method.text, (size_t)(last.text - method.text) - 1};
    owner.code = caller->code;
    owner.def = caller->def;
    return owner;
}

bool inputs_add_argument(struct inputs_walk *walk, const struct inputs_item *item)
{
    struct word function, arguments, items[PARAMETERS_MAX], target, value;
    struct parameter parameter;
    size_t level = 0;
    if (item->level >= walk->top || !given_parameter(item->code, item->def, item->name, &parameter))
        return true;
    const struct kept_level *caller = caller_of(walk, item, &level);
    if (caller == NULL || !word_last_call(caller->call, &function, &arguments))
        return false;
    /* Of "terms[k].build(x)" it is not known whose method is run: what it is handed is asked for where it must be known. */
    if (function.text > caller->call.text && !choices_at_last(walk->ways.levels[walk->bottom].call))
        return false;
    size_t count = word_split(arguments, ',', items, PARAMETERS_MAX), place = parameter.place - parameter.of_object;
    struct inputs_item of = {.code = caller->code, .def = caller->def, .level = level};
    bool found = parameter.default_value.length_bytes > 0;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        bool by_keyword = word_assigned(items[i], &target, &value);
        if (by_keyword ? !word_equal(target, item->name) : i != place)
            continue;
        inputs_add_text(walk, by_keyword ? value : items[i], &of);
        found = true;
    }
    return found;
}

/* The frames of the levels. Returns how many. */
static size_t frames_of(const struct process *process, uint32_t node_id, uint32_t *frames)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    size_t count = 0;
    for (unsigned i = 0; record != NULL && i < FRAMES_MAX && count < KEPT_LEVELS_MAX; i++) {
        if (record->frame == DB_FRAME_PYTHON)
            frames[count++] = node_id;
        node_id = record->parent;
        record = run_record(process->run, DB_KIND_NODE, node_id);
    }
    return count;
}

/* Of a frame that stands in a comprehension. Before CPython 3.12 that is a function of its own, of which kept_ways knows nothing. */
static void read_comprehension(struct inputs_walk *walk, struct model *model, struct process *process, uint32_t frame,
                               size_t at)
{
    struct comprehension comprehension;
    struct kept_level *level = &walk->ways.levels[at];
    if (!comprehension_of_frame(model, process, frame, &comprehension) || comprehension.is_in_header ||
        comprehension.code->owner != OWNER_USER)
        return;
    walk->clauses[at] = comprehension.clauses;
    walk->has_own_frame[at] = strchr(comprehension.code->function, '<') != NULL && level->code == NULL;
    const struct source *code = source_code(model, comprehension.code->file);
    if (!walk->has_own_frame[at])
        return;
    level->row = code_index_statement(inputs_cache_code(model, code), comprehension.line);
    level->def = scope_function(code, comprehension.line);
    level->call.text = operation_code(model, process, frame, &level->call.length_bytes, &code);
    level->code = level->call.text != NULL ? code : NULL;
    level->is_unread = level->code == NULL;
    level->file = comprehension.code->file;
}

static void add_code(struct inputs_walk *walk, const struct code_index *code)
{
    for (size_t i = 0; i < walk->code_count; i++)
        if (walk->codes[i] == code)
            return;
    walk->codes[walk->code_count++] = code;
}

static void find_loop(struct inputs_walk *walk, size_t at, enum inputs_loop which)
{
    const struct kept_level *level = &walk->ways.levels[at];
    struct region_span rows = {.code = level->code, .def = level->def, .first = level->row, .last = level->row};
    bool nearest = which == INPUTS_NEAREST || which == INPUTS_NEAREST_BLOCK;
    bool is_looped = !walk->has_own_frame[at] && kept_loop(level, nearest, &rows.first, &rows.last);
    is_looped = is_looped || (which != INPUTS_NEAREST_BLOCK && walk->clauses[at].length_bytes > 0);
    if (!is_looped && walk->is_looped)
        return;
    walk->is_looped = is_looped;
    walk->top = at;
    walk->loop = rows;
}

/* Below the line a package's own code makes it: what that takes, the line's text does not tell. */
static bool is_made_in_package(struct model *model, const struct site *site, uint32_t line_frame)
{
    const struct process *process = site->process;
    uint32_t node_id = model_node(site->process, site->record->node)->python;
    for (unsigned i = 0; node_id != line_frame && i < FRAMES_MAX; i++) {
        const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
        if (record == NULL || record->frame != DB_FRAME_PYTHON)
            return false;
        const struct code *code = model_code(model, site->process, (uint32_t)(record->value >> 32));
        if (code != NULL && code->owner == OWNER_PACKAGE)
            return true;
        node_id = record->parent;
    }
    return false;
}

bool inputs_begin_at(struct inputs_walk *walk, struct model *model, struct process *process, uint32_t frame,
                     enum inputs_loop which)
{
    uint32_t frames[KEPT_LEVELS_MAX];
    *walk = (struct inputs_walk){.which = which, .bottom = SIZE_MAX, .top = SIZE_MAX, .memo = inputs_cache_memo(model)};
    kept_ways_find(&walk->ways, model, process, frame);
    size_t count = frames_of(process, frame, frames);
    bool is_of_function = which != INPUTS_OUTERMOST && which != INPUTS_OUTERMOST_BUT_HEADER;
    for (size_t i = 0; i < walk->ways.count && i < count && !(is_of_function && walk->is_looped); i++) {
        read_comprehension(walk, model, process, frames[i], i);
        if (walk->ways.levels[i].code == NULL)
            continue;
        walk->bottom = walk->bottom == SIZE_MAX ? i : walk->bottom;
        add_code(walk, inputs_cache_code(model, walk->ways.levels[i].code));
        find_loop(walk, i, which);
    }
    if (walk->top == SIZE_MAX)
        return false;
    walk->region = inputs_cache_region(model, process, walk->loop);
    for (size_t i = 0; i < walk->code_count; i++)
        region_add_code(walk->region, walk->codes[i]);
    for (size_t i = 0; i < walk->top; i++) {
        const struct kept_level *level = &walk->ways.levels[i];
        walk->is_unread |= level->is_unread;
        if (level->code != NULL && level->def > 0)
            region_add_function(walk->region, level->code, level->def);
    }
    const struct kept_level *own = &walk->ways.levels[walk->bottom];
    struct inputs_item of = {.code = own->code, .def = own->def, .level = walk->bottom};
    inputs_add_text(walk, own->call, &of);
    return true;
}

bool inputs_begin(struct inputs_walk *walk, struct model *model, const struct site *site, enum inputs_loop which)
{
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    return !is_made_in_package(model, site, frame) && inputs_begin_at(walk, model, site->process, frame, which);
}
