#include "findings/walks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/comprehension.h"
#include "findings/loop.h"
#include "model/source.h"
#include "model/source_code.h"
#include "python/code_facts.h"
#include "python/scope.h"

#define FRAMES_MAX 200
#define TEXT_MAX 2000
#define DECORATORS_MAX 8

enum library { LIBRARY_OTHER, LIBRARY_ARRAY, LIBRARY_TENSOR };

/* Of a node of the process that is looked through. */
struct step {
    enum library library;      /* of it or of a frame between it and the Python frame above */
    bool looked_at;            /* a Python frame whose spot is known */
    uint32_t outer;            /* of a Python frame: the Python frame around it, 0 for none */
    struct spot *spot;         /* NULL: not the user's code */
    bool wrapper;              /* of Python code that NumPy and PyTorch put before a native function */
    const struct known *known; /* of a function of the user's that is in no loop; NULL: it is none, or no formula */
    bool may_remember;         /* of a function of the user's: it is no formula */
};

/* A formula, as it was read. */
struct known {
    struct formula formula;
    const char *name;
    struct known *next;
};

struct search {
    struct model *model;
    struct walks *walks;
    struct step *steps; /* by run_index() of DB_KIND_NODE */
    struct map walk_map, spot_map, known_map;
    struct known *known; /* all of them */
};

/* NumPy's and PyTorch's own; what they call (libm, libc) is told by the frames above it. */
static enum library library_at(const struct process *process, uint64_t address)
{
    static const struct {
        const char *name;
        enum library library;
    } known[] = {{"/_multiarray_umath.", LIBRARY_ARRAY},
                 {"/libtorch", LIBRARY_TENSOR},
                 {"/libc10.", LIBRARY_TENSOR},
                 {"/_C.cpython-", LIBRARY_TENSOR}};
    const struct db_module *module = modules_find(process, address);
    const char *path = module != NULL ? modules_path(process->run, module) : "";
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(path, known[i].name) != NULL)
            return known[i].library;
    return LIBRARY_OTHER;
}

/* `*is_new`: its text is to be read. */
static struct walk *walk_at(struct search *search, const char *file, int32_t line, int32_t column, bool *is_new)
{
    struct map_key key = {(uintptr_t)file, (uint64_t)line, (uint64_t)(uint32_t)column};
    struct walk *walk = map_get(&search->walk_map, key);
    *is_new = walk == NULL;
    if (walk != NULL)
        return walk;
    walk = memory_zeroed(1, sizeof(*walk));
    map_put(&search->walk_map, key, walk);
    struct walks *all = search->walks;
    all->walks = memory_grow(all->walks, all->walk_count, &all->walk_capacity, sizeof(*all->walks));
    return all->walks[all->walk_count++] = walk;
}

static struct walk *walk_of_loop(struct search *search, const struct loop_body *body)
{
    bool is_new;
    struct walk *walk = walk_at(search, body->code->file, body->first, -1, &is_new);
    if (is_new)
        loop_text_read(&walk->text, source_joined(search->model, body->code->file), body->first, body->last);
    return walk;
}

static struct walk *walk_of_comprehension(struct search *search, const struct comprehension *comprehension)
{
    bool is_new;
    struct walk *walk = walk_at(search, comprehension->code->file, comprehension->line, comprehension->column, &is_new);
    if (is_new)
        loop_text_read_comprehension(&walk->text, comprehension->element, comprehension->clauses);
    walk->text.carried = walk->text.carried || comprehension->ends_early;
    return walk;
}

/* The text of an instruction; of the whole line where no columns are known (before CPython 3.11). */
static struct word text_of(const struct source *source, const struct line_span *span)
{
    size_t length = 0, last_length = 0;
    const char *first = source_line(source, span->line, &length);
    const char *last = span->end_line > span->line ? source_line(source, span->end_line, &last_length) : first;
    last_length = last == first ? length : last_length;
    if (first == NULL || last == NULL)
        return (struct word){"", 0};
    bool known = span->column >= 0 && span->end_column >= 0 && (size_t)span->column <= length &&
                 (size_t)span->end_column <= last_length;
    const char *from = known ? first + span->column : first, *to = known ? last + span->end_column : first + length;
    return to > from && to - from <= TEXT_MAX ? (struct word){from, (size_t)(to - from)} : (struct word){"", 0};
}

/* Of a loop on one line the columns tell; without them (before CPython 3.11) all of it is taken for the body. */
static bool is_in_header(const struct source *source, const struct line_span *span, const struct loop_body *body)
{
    size_t header_bytes = loop_text_header_bytes(source, body->first);
    if (span->column < 0)
        return body->last > body->first;
    return (size_t)span->column < header_bytes;
}

/* np.sum() and Tensor.__iter__() are Python functions before native ones; layers, optimizers and loaders are more than that. */
static bool is_wrapper(const struct code *code)
{
    static const char *const parts[] = {"/numpy/", "/torch/_tensor.py", "/torch/functional.py",
                                        "/torch/nn/functional.py"};
    if (strcmp(code->file, "<__array_function__ internals>") == 0) /* NumPy 1.17 to 1.24 writes it for each function */
        return true;
    for (size_t i = 0; code->owner == OWNER_FOUNDATION && i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strstr(code->file, parts[i]) != NULL)
            return true;
    return false;
}

/*
 * Where such an instruction was in an array's library, what it subscripts is an array, and no list of arrays: not so a single index that is
 * stored to, for a list lets go of what it held. Without columns (before CPython 3.11) any is.
 */
static bool is_proof(const struct source *source, const struct line_span *span, struct word text)
{
    size_t length = 0;
    const char *last = source_line(source, span->end_line, &length);
    if (span->column < 0 || last == NULL || memchr(text.text, ',', text.length_bytes) != NULL)
        return true;
    const char *end = last + length, *behind = word_skip_blanks(text.text + text.length_bytes, end);
    while (behind < end && strchr("+-*/%@&|^<>", *behind) != NULL)
        behind++;
    return behind == end || *behind != '=' || (behind + 1 < end && behind[1] == '=');
}

/* By the text of its instruction. */
static void read_text(struct spot *spot, const struct source *source, const struct line_span *span)
{
    struct word text = text_of(source, span);
    char *joined = memory_print("%.*s", (int)text.length_bytes, text.text);
    const struct word expression = {joined, strlen(joined)};
    source_join_subscripts(joined, expression.length_bytes);
    const struct loop_text *loop = &spot->walk->text;
    spot->element =
        !spot->header && (loop_text_has_element(loop, expression, false) || loop_text_is_of_scalars(loop, expression));
    spot->loads = spot->element && loop_text_is_subscript(expression) && is_proof(source, span, text);
    spot->item = spot->header || loop_text_has_element(&spot->walk->text, expression, true);
    free(joined);
}

/* Where the Python frame `node_id` stands; NULL where that is not the user's code or not known. */
static struct spot *spot_of(struct search *search, struct process *process, uint32_t node_id)
{
    struct code *code = NULL;
    struct comprehension comprehension;
    struct loop_body body;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    struct line_span span = model_position(search->model, process, record, &code);
    if (code == NULL || code->owner != OWNER_USER || span.line <= 0)
        return NULL;
    struct map_key key = {(uintptr_t)code->file, (uint64_t)(uint32_t)span.line << 32 | (uint32_t)span.end_line,
                          (uint64_t)(uint32_t)span.column << 32 | (uint32_t)span.end_column};
    struct spot *spot = map_get(&search->spot_map, key);
    if (spot != NULL)
        return spot;
    spot = memory_zeroed(1, sizeof(*spot));
    map_put(&search->spot_map, key, spot);
    struct walks *all = search->walks;
    all->spots = memory_grow(all->spots, all->spot_count, &all->spot_capacity, sizeof(*all->spots));
    all->spots[all->spot_count++] = spot;
    const struct source *source = source_get(search->model, code->file);
    if (comprehension_of_frame(search->model, process, node_id, &comprehension)) {
        spot->walk = walk_of_comprehension(search, &comprehension);
        spot->header = comprehension.is_in_header;
    } else if (loop_of_frame(search->model, process, node_id, &body)) {
        spot->walk = walk_of_loop(search, &body);
        spot->header = span.line == body.first && is_in_header(source, &span, &body);
    } else {
        return spot;
    }
    read_text(spot, source, &span);
    return spot;
}

/* A leaf's samples, at the instruction that made the call. `wrapped`: in a wrapper's Python code, which is of the call. */
static void add_own(struct search *search, struct process *process, struct spot *spot, uint32_t leaf,
                    const struct db_node *record, enum library library, bool wrapped)
{
    bool native = wrapped || time_kind_of(process, record, model_node(process, leaf)) == TIME_NATIVE;
    *(native ? &spot->native : &spot->interpreter) += record->samples;
    spot->array += native && library != LIBRARY_OTHER ? record->samples : 0;
    spot->tensor += native && library == LIBRARY_TENSOR ? record->samples : 0;
    spot->ns += record->cpu_ns;
    spot->line = lines_of_leaf(search->model, process, leaf);
    if (record->cpu_ns >= spot->node_ns) {
        spot->node_ns = record->cpu_ns;
        spot->node = leaf;
        spot->process = process;
    }
}

/* The name behind the last dot: "Layer.relu" is called as relu(). */
static const char *plain_name(const struct code *code)
{
    const char *dot = strrchr(code->function, '.');
    return dot != NULL ? dot + 1 : code->function;
}

/* The row of a function's "def", of which `row` is one, or one of its decorators: a call begins there. 0: it is not known. */
static int32_t definition_at(const struct source *text, const struct code *code, int32_t row)
{
    const struct word name = {plain_name(code), strlen(plain_name(code))};
    int32_t def = scope_function(text, row);
    if (def > 0 && word_equal(code_name_of(text, def), name))
        return def;
    for (int32_t below = row; below < row + DECORATORS_MAX; below++)
        if (word_equal(code_name_of(text, below), name))
            return below;
    return 0;
}

/* NULL: it is none. */
static const struct known *formula_at(struct search *search, const struct code *code, int32_t row)
{
    const struct source *text = source_code(search->model, code->file);
    bool is_lambda = strcmp(plain_name(code), "<lambda>") == 0;
    int32_t def = is_lambda ? row : definition_at(text, code, row);
    struct map_key key = {(uintptr_t)code->file, (uint64_t)(uint32_t)def, is_lambda};
    struct known *known = map_get(&search->known_map, key);
    if (known == NULL) {
        known = memory_zeroed(1, sizeof(*known));
        *known = (struct known){is_lambda ? formula_read_lambda(text, def) : formula_read(text, def), plain_name(code),
                                search->known};
        search->known = known;
        map_put(&search->known_map, key, known);
    }
    return known->formula.is_one ? known : NULL;
}

static void known_free(struct search *search)
{
    while (search->known != NULL) {
        struct known *next = search->known->next;
        free(search->known);
        search->known = next;
    }
    map_free(&search->known_map);
}

static struct step *step_of(struct search *search, struct process *process, uint32_t python_id)
{
    struct step *step = &search->steps[run_index(&process->run->tables[DB_KIND_NODE], python_id)];
    if (!step->looked_at) {
        struct code *code = NULL;
        struct line_span span =
            model_position(search->model, process, run_record(process->run, DB_KIND_NODE, python_id), &code);
        step->spot = spot_of(search, process, python_id);
        step->wrapper = step->spot == NULL && code != NULL && is_wrapper(code);
        if (step->spot != NULL && step->spot->walk == NULL)
            step->known = formula_at(search, code, span.line);
        step->may_remember = step->spot != NULL && step->known == NULL && !loop_has_own_frame(code);
    }
    step->looked_at = true;
    return step;
}

/* Of an instruction in a formula that the one at `caller` calls for an element. */
static struct spot *called_spot(struct search *search, const struct spot *caller, const struct spot *inner)
{
    struct map_key key = {(uintptr_t)caller->walk, (uintptr_t)inner, caller->element};
    struct spot *spot = map_get(&search->spot_map, key);
    if (spot == NULL) {
        spot = memory_zeroed(1, sizeof(*spot));
        *spot = (struct spot){.walk = caller->walk, .called = true, .element = caller->element, .item = caller->item};
        map_put(&search->spot_map, key, spot);
        struct walks *all = search->walks;
        all->spots = memory_grow(all->spots, all->spot_count, &all->spot_capacity, sizeof(*all->spots));
        all->spots[all->spot_count++] = spot;
    }
    return spot;
}

/* The frames from a leaf out, as far as what it does is the loop's own work. */
struct way_out {
    bool own, wrapped;          /* ... and within a wrapper's Python code */
    const struct spot *inner;   /* of the innermost formula; NULL: none was passed */
    const struct known *called; /* the outermost one */
    bool remembers;             /* a function that may remember was passed */
};

static void pass(struct way_out *way, const struct step *step)
{
    bool goes_on = way->own && (step->wrapper || step->known != NULL);
    way->wrapped = goes_on && (way->wrapped || step->wrapper);
    if (goes_on && step->known != NULL) {
        way->inner = way->inner != NULL ? way->inner : step->spot;
        way->called = step->known;
    }
    way->own = goes_on;
    way->remembers = way->remembers || step->may_remember;
}

static void note_called(struct walk *walk, const struct known *called, uint64_t cpu_ns)
{
    words_add(&walk->formulas, (struct word){called->name, strlen(called->name)});
    for (size_t i = 0; i < called->formula.outer.count; i++)
        words_add(&walk->text.calls.outer, called->formula.outer.words[i]);
    if (walk->called == NULL || cpu_ns > walk->called_ns) {
        walk->called = called->name;
        walk->formula = called->formula;
        walk->called_ns = cpu_ns;
    }
}

/* A formula counts where it is handed an element. */
static void add_at(struct search *search, struct process *process, struct spot *spot, struct way_out *way,
                   uint32_t leaf, const struct db_node *record, enum library library)
{
    if (way->called != NULL && (spot->header || !spot->item)) {
        way->own = false;
        return;
    }
    if (way->called != NULL) {
        spot = called_spot(search, spot, way->inner);
        note_called(spot->walk, way->called, record->cpu_ns);
    }
    add_own(search, process, spot, leaf, record, library, way->wrapped);
}

/* All loops around a leaf; those of a function that calls itself once. */
static void add_leaf(struct search *search, struct process *process, uint32_t leaf, const struct db_node *record,
                     enum library library)
{
    const struct walk *last = NULL;
    struct way_out way = {.own = true};
    uint32_t id = model_node(process, leaf)->python;
    for (unsigned i = 0; id != 0 && i < FRAMES_MAX; i++) {
        const struct step *step = step_of(search, process, id);
        struct spot *spot = step->spot;
        struct walk *walk = spot != NULL ? spot->walk : NULL;
        if (walk != NULL) {
            if (way.own)
                add_at(search, process, spot, &way, leaf, record, library);
            walk->remembers = walk->remembers || (way.remembers && !spot->header && walk != last);
            walk->all += walk != last ? record->samples : 0;
            walk->header_array += way.own && spot->header && library != LIBRARY_OTHER ? record->samples : 0;
            last = walk;
        }
        pass(&way, step);
        id = step->outer;
    }
}

/* Parents come before their children. */
static void take_step(struct search *search, struct process *process, size_t index, const struct db_node *record)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    size_t parent = record->parent != 0 ? run_index(table, record->parent) : SIZE_MAX;
    struct step *step = &search->steps[index];
    if (record->frame == DB_FRAME_PYTHON) {
        step->outer = parent != SIZE_MAX ? process->nodes[parent].python : 0;
        return;
    }
    bool native = record->frame == DB_FRAME_NATIVE || record->frame == DB_FRAME_ACCESS;
    step->library = native ? library_at(process, record->value - 1) : LIBRARY_OTHER;
    if (step->library == LIBRARY_OTHER && parent != SIZE_MAX)
        step->library = search->steps[parent].library;
}

static void add_process(struct search *search, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_NODE];
    struct run_cursor cursor = {0};
    search->steps = memory_zeroed(run_capacity(table), sizeof(*search->steps));
    for (const struct db_node *record; (record = run_next(table, &cursor)) != NULL;) {
        take_step(search, process, cursor.index, record);
        if (record->samples > 0 && !process->nodes[cursor.index].in_import)
            add_leaf(search, process, (uint32_t)cursor.id, record, search->steps[cursor.index].library);
    }
    free(search->steps);
}

/* "y[i] = before(i) + x[i]", whose before() takes y itself. */
static bool takes_what_is_stored(const struct loop_text *text)
{
    const struct words *outer = &text->calls.outer, *stored = &text->stored;
    for (size_t i = 0; i < outer->count; i++)
        for (size_t k = 0; k < stored->count; k++)
            if (word_equal(outer->words[i], stored->words[k]))
                return true;
    return outer->count > 0 && (outer->count == WORDS_MAX || stored->count == WORDS_MAX);
}

bool walk_may_remember(const struct walk *walk)
{
    if (walk->remembers)
        return true;
    const struct words *others = &walk->text.calls.others, *formulas = &walk->formulas;
    for (size_t i = 0; i < others->count; i++) {
        bool is_formula = false;
        for (size_t k = 0; k < formulas->count && !is_formula; k++)
            is_formula = word_equal(word_last_part(others->words[i]), formulas->words[k]);
        if (!is_formula)
            return true;
    }
    return others->count == WORDS_MAX || takes_what_is_stored(&walk->text);
}

bool spot_is_element(const struct spot *spot)
{
    return spot->element || (spot->item && spot->walk->header_array >= WALK_ITEMS_MIN);
}

static void add_spot(struct spot *spot)
{
    struct walk *walk = spot->walk;
    walk->interpreter += spot->interpreter;
    walk->native += spot->native;
    walk->ns += spot->ns;
    if (spot->line != NULL && spot->line->objects.births > walk->objects)
        walk->objects = spot->line->objects.births;
    if (spot_is_element(spot)) {
        walk->element += spot->native;
        walk->array += spot->array;
        walk->proved += spot->loads ? spot->array : 0;
        walk->tensor += spot->tensor;
    }
}

void walks_find(struct walks *walks, struct model *model)
{
    struct search search = {.model = model, .walks = walks};
    *walks = (struct walks){.walk_count = 0};
    for (size_t i = 0; i < model->process_count; i++)
        add_process(&search, &model->processes[i]);
    for (size_t i = 0; i < walks->spot_count; i++)
        if (walks->spots[i]->walk != NULL)
            add_spot(walks->spots[i]);
    known_free(&search);
    map_free(&search.walk_map);
    map_free(&search.spot_map);
}

void walks_free(struct walks *walks)
{
    for (size_t i = 0; i < walks->walk_count; i++)
        free(walks->walks[i]);
    for (size_t i = 0; i < walks->spot_count; i++)
        free(walks->spots[i]);
    free(walks->walks);
    free(walks->spots);
}
