#include "findings/inputs_change.h"

#include <string.h>

#include "findings/kept_ways.h"
#include "python/carried.h"
#include "python/code_facts.h"
#include "python/given.h"
#include "python/handed.h"
#include "python/imports.h"
#include "python/inputs.h"
#include "python/region.h"

#define ITEMS_MAX 96u
#define HANDED_DEPTH_MAX 3u

/* A name, as the function at a level on the way knows it; or another function of the file's, of which what is not its own is asked. */
struct item {
    struct word name;
    const struct source *code;
    int32_t def;
    size_t level; /* SIZE_MAX: of no level */
};

struct walk {
    struct kept_ways ways;
    size_t top;           /* the level of the outermost loop */
    int32_t first, last;  /* ... its rows */
    struct region region; /* what a pass of it may run */
    const struct source *codes[KEPT_LEVELS_MAX];
    size_t code_count;
    struct item items[ITEMS_MAX];
    size_t count;
};

static void add_item(struct walk *walk, struct item item)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->items[i].level == item.level && walk->items[i].code == item.code && walk->items[i].def == item.def &&
            word_equal(walk->items[i].name, item.name))
            return;
    if (walk->count < ITEMS_MAX && item.name.length_bytes > 0)
        walk->items[walk->count++] = item;
}

/* The "def" of a function or method by its name, in one of the files; 0: there is none, or several. */
static int32_t definition_of(const struct walk *walk, struct word name, const struct source **code)
{
    int32_t found = 0;
    for (size_t i = 0; i < walk->code_count; i++) {
        int32_t def = code_definition(walk->codes[i], name);
        if (def > 0 && found > 0)
            return 0;
        *code = def > 0 ? walk->codes[i] : *code;
        found = def > 0 ? def : found;
    }
    return found;
}

static void add_inputs(struct walk *walk, struct word text, const struct item *of);

/* What a function of the program's own, or a property, takes beside its arguments. */
static void add_function(struct walk *walk, struct word name)
{
    const struct source *code = NULL;
    int32_t def = definition_of(walk, name, &code);
    struct region body = {.count = 0};
    if (def == 0 || WORD_IS_ONE_OF(name, ((const char *const[]){"forward", "__init__"})))
        return;
    region_add(&body, code, def);
    struct item of = {.code = code, .def = def, .level = SIZE_MAX};
    add_inputs(walk, region_rows(&body.spans[0]), &of);
}

static void add_inputs(struct walk *walk, struct word text, const struct item *of)
{
    struct input input;
    for (const char *at = text.text; inputs_next(text, &at, &input);) {
        struct item item = *of;
        size_t before = walk->count;
        item.name = input.name;
        add_item(walk, item);
        struct word last = word_last_part(input.name);
        bool is_property = walk->count > before && last.text != input.name.text && input.called.length_bytes == 0;
        if (input.called.length_bytes > 0 || is_property) {
            item.name = input.called.length_bytes > 0 ? input.called : last;
            item.level = SIZE_MAX;
            item.code = NULL; /* a function by its name, once */
            before = walk->count;
            add_item(walk, item);
        }
    }
}

/* The rows in which what the item's function knows changes from one pass to the next. */
static struct word rows_of(const struct walk *walk, const struct item *item)
{
    struct region body = {.count = 0};
    if (item->level == walk->top)
        return region_rows(&(struct region_span){item->code, item->def, walk->first, walk->last});
    region_add(&body, item->code, item->def);
    return region_rows(&body.spans[0]);
}

/* Does a function that is handed the name in these rows change it in place? */
static bool is_changed_by_call(const struct walk *walk, struct word rows, struct word name, unsigned depth)
{
    struct word statement;
    struct handed handed;
    while (depth < HANDED_DEPTH_MAX && word_next_statement(&rows, &statement)) {
        const struct source *code = NULL;
        if (word_mentions(statement, name) == 0 || !handed_find(statement, name, &handed))
            continue;
        int32_t def = definition_of(walk, word_last_part(handed.function), &code);
        struct parameter own = {0};
        struct word parameter = {NULL, 0};
        struct region body = {.count = 0};
        struct carried carried;
        if (def == 0)
            continue;
        region_add(&body, code, def);
        given_parameter(code, def, (struct word){"", 0}, &own);
        parameter = kept_parameter(code, def, handed.place + own.of_object, handed.keyword);
        carried_read(&carried, region_rows(&body.spans[0]), parameter);
        if (parameter.length_bytes > 0 && ((carried.stored && !carried.given) ||
                                           is_changed_by_call(walk, region_rows(&body.spans[0]), parameter, depth + 1)))
            return true;
    }
    return false;
}

/* A parameter of PyTorch's, which steps of an optimizer in the loop change; not where the files freeze some. */
static bool is_stepped(const struct walk *walk, struct word name)
{
    static const char *const frozen[] = {"requires_grad_(False)", "requires_grad = False", "requires_grad=False"};
    bool made = false, steps = false;
    for (size_t i = 0; i < walk->code_count; i++) {
        struct word rest = code_text(walk->codes[i]), statement;
        for (size_t k = 0; k < sizeof(frozen) / sizeof(frozen[0]); k++)
            if (memmem(rest.text, rest.length_bytes, frozen[k], strlen(frozen[k])) != NULL)
                return false;
        while (word_next_statement(&rest, &statement)) {
            struct word target, value;
            bool gives = word_assigned(statement, &target, &value) && word_equal(word_last_part(target), name);
            made |= gives && (memmem(value.text, value.length_bytes, "Parameter(", 10) != NULL ||
                              memmem(value.text, value.length_bytes, "requires_grad=True", 18) != NULL);
        }
    }
    for (size_t i = 0; i < walk->region.count; i++) {
        struct word rows = region_rows(&walk->region.spans[i]);
        steps |= memmem(rows.text, rows.length_bytes, ".step(", 6) != NULL;
    }
    return made && steps;
}

/* "w" of "self.w.data" and of "self.w": each of them that is no fact, nor the object itself. */
static bool is_changed_attribute(struct walk *walk, struct word dotted)
{
    const struct kept_level *top = &walk->ways.levels[walk->top];
    struct item of = {.code = top->code, .def = top->def, .level = walk->top};
    struct word values[CARRIED_VALUES_MAX];
    for (const char *dot = dotted.text; (dot = memchr(dot, '.', (size_t)(word_end(dotted) - dot))) != NULL; dot++) {
        const char *end = dot + 1;
        while (end < word_end(dotted) && word_char(*end))
            end++;
        struct word name = {dot + 1, (size_t)(end - dot - 1)};
        if (region_changes_attribute(&walk->region, name) || is_stepped(walk, name))
            return true;
        size_t count = region_gives_attribute(&walk->region.spans[0], name, values, CARRIED_VALUES_MAX);
        for (size_t i = 0; i < count; i++)
            add_inputs(walk, values[i], &of);
    }
    return false;
}

/* The header of the outermost loop gives it another value in each pass. */
static bool is_counted(const struct walk *walk, const struct item *item)
{
    size_t indent = 0;
    struct word header = code_row_text(item->code, walk->first, &indent);
    return item->level == walk->top && header.length_bytes > 4 && memcmp(header.text, "for ", 4) == 0 &&
           word_gives(header, item->name);
}

/* What the caller hands in for it. */
static void add_argument(struct walk *walk, const struct item *item)
{
    static const char *const unnamed[] = {"forward", "__call__"};
    struct word function, arguments, def_name = code_name_of(item->code, item->def);
    struct parameter parameter;
    size_t caller = item->level + 1;
    if (item->level >= walk->top || !given_parameter(item->code, item->def, item->name, &parameter))
        return;
    bool is_unnamed = WORD_IS_ONE_OF(def_name, unnamed);
    while (is_unnamed && caller < walk->top && walk->ways.levels[caller].code == NULL)
        caller++;
    const struct kept_level *level = &walk->ways.levels[caller];
    if (level->code == NULL || !word_call(level->call, &function, &arguments) ||
        (!is_unnamed && !word_equal(word_last_part(function), def_name)))
        return;
    struct word items[PARAMETERS_MAX], target, value;
    size_t count = word_split(arguments, ',', items, PARAMETERS_MAX), place = parameter.place - parameter.of_object;
    struct item of = {.code = level->code, .def = level->def, .level = caller};
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        bool by_keyword = word_assigned(items[i], &target, &value);
        if (by_keyword ? word_equal(target, item->name) : i == place)
            add_inputs(walk, by_keyword ? value : items[i], &of);
    }
}

/* Of a name that is none of the function's own: as the loop's own function knows it, where that is the one around. */
static bool is_changed_outside(struct walk *walk, const struct item *item, struct word root)
{
    const struct kept_level *top = &walk->ways.levels[walk->top];
    struct item outer = {.name = item->name, .code = top->code, .def = top->def, .level = walk->top};
    bool is_around = item->level != walk->top && top->code == item->code &&
                     (top->def == 0 || region_is_local(top->code, top->def, root));
    if (is_around)
        add_item(walk, outer);
    return region_changes_outer(&walk->region, root);
}

static bool changes(struct walk *walk, const struct item *item)
{
    struct word root = word_name_at(item->name.text, word_end(item->name));
    const char *dot = memchr(root.text, '.', root.length_bytes);
    struct carried carried;
    root.length_bytes = dot != NULL ? (size_t)(dot - root.text) : root.length_bytes;
    if (dot != NULL && is_changed_attribute(walk, item->name))
        return true;
    if (word_is(root, "self") || word_is(root, "cls"))
        return is_changed_by_call(walk, rows_of(walk, item), item->name, 0);
    struct item of = *item;
    of.name = root;
    struct word rows = rows_of(walk, item);
    bool is_local = item->def == 0 || region_is_local(item->code, item->def, root);
    if (!is_local)
        return is_changed_outside(walk, &of, root);
    if (item->level == SIZE_MAX)
        return false;
    carried_read(&carried, rows, root);
    if (is_counted(walk, &of) || carried_over(&carried) || is_stepped(walk, item->name))
        return true;
    if (!carried.given && is_changed_by_call(walk, rows, item->name, 0))
        return true;
    for (size_t i = 0; i < carried.value_count; i++)
        add_inputs(walk, carried.values[i], &of);
    if (!carried.given)
        add_argument(walk, &of);
    return false;
}

/* Of a level further in: what a loop of its own makes of what its passes before left. */
static bool changes_in_own_loop(const struct walk *walk, const struct item *item)
{
    struct region_span span = {item->code, item->def, 0, 0};
    struct carried carried;
    if (item->level >= walk->top || !kept_loop(&walk->ways.levels[item->level], &span.first, &span.last))
        return false;
    carried_read(&carried, region_rows(&span), item->name);
    return carried_over(&carried);
}

static void add_code(struct walk *walk, const struct source *code)
{
    for (size_t i = 0; i < walk->code_count; i++)
        if (walk->codes[i] == code)
            return;
    walk->codes[walk->code_count++] = code;
}

/* False where no loop is known. */
static bool begin(struct walk *walk, struct model *model, const struct site *site)
{
    size_t bottom = SIZE_MAX;
    *walk = (struct walk){.top = SIZE_MAX};
    kept_ways_find(&walk->ways, model, site->process, lines_frame_of_leaf(model, site->process, site->record->node));
    for (size_t i = 0; i < walk->ways.count; i++) {
        const struct kept_level *level = &walk->ways.levels[i];
        int32_t first = 0, last = 0;
        if (level->code == NULL)
            continue;
        bottom = bottom == SIZE_MAX ? i : bottom;
        add_code(walk, level->code);
        if (kept_loop(level, &first, &last)) {
            walk->top = i;
            walk->first = first;
            walk->last = last;
        }
    }
    if (walk->top == SIZE_MAX)
        return false;
    const struct kept_level *top = &walk->ways.levels[walk->top], *own = &walk->ways.levels[bottom];
    walk->region.spans[walk->region.count++] = (struct region_span){top->code, top->def, walk->first, walk->last};
    for (size_t i = 0; i < walk->top; i++)
        if (walk->ways.levels[i].code != NULL && walk->ways.levels[i].def > 0)
            region_add(&walk->region, walk->ways.levels[i].code, walk->ways.levels[i].def);
    region_reach(&walk->region, walk->codes, walk->code_count);
    struct item of = {.code = own->code, .def = own->def, .level = bottom};
    add_inputs(walk, own->call, &of);
    return true;
}

bool site_inputs_change(struct model *model, const struct site *site)
{
    struct walk walk;
    if (!begin(&walk, model, site))
        return false;
    for (size_t i = 0; i < walk.count; i++) {
        const struct item item = walk.items[i];
        if (item.code == NULL)
            add_function(&walk, item.name);
        else if (imports_of_name(item.code, item.name) == IMPORTED_BY_NONE &&
                 (changes(&walk, &item) || changes_in_own_loop(&walk, &item)))
            return true;
    }
    return false;
}
