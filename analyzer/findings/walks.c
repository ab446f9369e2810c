#include "findings/walks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/comprehension.h"
#include "findings/definitions.h"
#include "findings/known_formulas.h"
#include "findings/loop.h"
#include "findings/spot_text.h"
#include "findings/statement.h"
#include "findings/walk_loops.h"
#include "model/source.h"
#include "model/source_code.h"
#include "python/only_makes.h"
#include "python/single_row.h"

#define FRAMES_MAX 200

enum library { LIBRARY_OTHER, LIBRARY_ARRAY, LIBRARY_TENSOR };

/* Of a node of the process that is looked through. */
struct step {
    enum library library; /* of it or of a frame between it and the Python frame above */
    bool looked_at;       /* a Python frame whose spot is known */
    uint32_t outer;       /* of a Python frame: the Python frame around it, 0 for none */
    struct spot *spot;    /* NULL: not the user's code */
    bool wrapper;         /* of Python code that NumPy and PyTorch put before a native function */
    const struct known_formula
        *known;                /* of a function of the user's that is in no loop; NULL: it is none, or no formula */
    bool may_remember;         /* of a function of the user's: it is no formula... */
    bool does_more;            /* ... and does more than to make what it returns */
    struct row_passed *passed; /* if not: what it hands to a model; few have one, and it is large */
    bool decorates;            /* of PyTorch's code that "@torch.no_grad()" puts before a function */
    enum frame_act act;        /* of pandas' functions */
    bool vectorizes;           /* of NumPy's np.vectorize() */
    enum row_callee callee;    /* of others' functions: what a loop may hand rows to */
};

struct search {
    struct model *model;
    struct walks *walks;
    struct step *steps;                        /* by run_index() of DB_KIND_NODE */
    struct map walk_map, spot_map, evaluating; /* functions that only evaluate, or do not, by their "def" */
    struct map libraries;                      /* of modules, once they were asked for */
    struct known_formulas formulas;
};

/* NumPy's and PyTorch's own; what they call (libm, libc) is told by the frames above it. */
static enum library library_by_path(const char *path)
{
    static const struct {
        const char *name;
        enum library library;
    } known[] = {{"/_multiarray_umath.", LIBRARY_ARRAY},
                 {"/libtorch", LIBRARY_TENSOR},
                 {"/libc10.", LIBRARY_TENSOR},
                 {"/_C.cpython-", LIBRARY_TENSOR}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(path, known[i].name) != NULL)
            return known[i].library;
    return LIBRARY_OTHER;
}

static enum library library_of(struct search *search, const struct process *process, const struct db_module *module)
{
    static enum library answers[] = {LIBRARY_OTHER, LIBRARY_ARRAY, LIBRARY_TENSOR};
    if (module == NULL)
        return LIBRARY_OTHER;
    struct map_key key = {(uintptr_t)module, 0, 0};
    const enum library *answer = map_get(&search->libraries, key);
    if (answer == NULL) {
        enum library *found = &answers[library_by_path(modules_path(process->run, module))];
        map_put(&search->libraries, key, found);
        answer = found;
    }
    return *answer;
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

/* "def __getitem__(self, index):", whose loop is a loader's. NULL: it is another function. */
static struct loop_text *handed_to_item(const struct search *search, const struct code *code, int32_t row)
{
    if (strcmp(definition_name(code), "__getitem__") != 0)
        return NULL;
    struct loop_text *handed = memory_zeroed(1, sizeof(*handed));
    single_row_read_function(handed, source_joined(search->model, code->file),
                             definition_row(search->model, code, row));
    return handed;
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
    spot->text = spot_text_at(source, &span);
    if (comprehension_of_frame(search->model, process, node_id, &comprehension)) {
        spot->walk = walk_of_comprehension(search->walks, &search->walk_map, &comprehension);
        spot->header = comprehension.is_in_header;
    } else if (loop_of_frame(search->model, process, node_id, &body)) {
        spot->walk = walk_of_loop(search->walks, &search->walk_map, search->model, &body);
        struct loop_body loops[2];
        if (spot->walk->text.carried && loop_bodies_around(search->model, process, node_id, loops, 2) == 2 &&
            loop_is_within(&body, &loops[1]))
            spot->walk = walk_free_of(search->walks, &search->walk_map, search->model, spot->walk, &loops[1]);
        spot->header = span.line == body.first && spot_text_is_in_header(source, &span, &body);
    } else {
        spot->handed = handed_to_item(search, code, span.line);
        return spot;
    }
    spot_text_read(spot, source, &span);
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

/* Asked once for each function: its lines have a step each. */
static bool only_evaluates(struct search *search, const struct source *code, int32_t def)
{
    static bool answers[] = {false, true};
    struct map_key key = {(uintptr_t)code, (uint64_t)def, 0};
    const bool *answer = map_get(&search->evaluating, key);
    if (answer == NULL) {
        bool *found = &answers[function_only_evaluates(code, def)];
        map_put(&search->evaluating, key, found);
        answer = found;
    }
    return *answer;
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
            step->known = known_formula_at(&search->formulas, search->model, code, span.line);
        step->may_remember = step->spot != NULL && step->known == NULL && !loop_has_own_frame(code);
        int32_t def = step->may_remember ? definition_row(search->model, code, span.line) : 0;
        bool evaluates = def > 0 && only_evaluates(search, source_code(search->model, code->file), def);
        step->does_more = (step->may_remember && !evaluates) || (code != NULL && row_draws_once(code));
        if (!step->does_more && def > 0) {
            step->passed = memory_zeroed(1, sizeof(*step->passed));
            row_passed_read(step->passed, search->model, code, def, step->spot->text, span.column < 0);
        }
        step->decorates =
            code != NULL && code->owner == OWNER_FOUNDATION && strcmp(definition_name(code), "decorate_context") == 0;
        step->callee = code != NULL ? row_callee_of(code) : CALLEE_OTHER;
        step->act = code != NULL ? frame_act_of(code) : FRAME_OTHER;
        step->vectorizes = code != NULL && vectorized_is(code);
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
    bool own, wrapped;                  /* ... and within a wrapper's Python code */
    const struct spot *inner;           /* of the innermost formula; NULL: none was passed */
    const struct known_formula *called; /* the outermost one */
    bool remembers_below;               /* a function that may remember was passed before that last one... */
    bool remembers;                     /* a function that may remember was passed... */
    bool does_more;                     /* ... and one that does more than to make what it returns */
    const struct step *within;          /* the Python frame last passed; NULL: none */
    bool of_row;  /* what takes something out of a row, or a frame, was called by the user's innermost function */
    bool of_user; /* that did something else */
    enum row_callee model; /* that it hands something to, as it was handed that itself */
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
    if (step->decorates)
        return;
    bool takes_apart = way->within != NULL && (way->within->act == FRAME_SERIES || way->within->act == FRAME_TAKES);
    way->of_row = way->of_row || (step->spot != NULL && !way->of_user && takes_apart);
    way->of_user = way->of_user || (step->spot != NULL && !way->of_row);
    bool passes = way->within != NULL && step->passed != NULL && step->passed->code != NULL &&
                  row_is_model(step->passed->model, way->within->callee);
    way->model = passes ? way->within->callee : CALLEE_OTHER;
    way->remembers_below = way->remembers;
    way->remembers = way->remembers || step->may_remember;
    way->does_more = way->does_more || step->does_more;
    way->within = step;
}

static void note_called(struct walk *walk, const struct known_formula *called, uint64_t cpu_ns)
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
        spot->called_ns += record->cpu_ns;
        spot = called_spot(search, spot, way->inner);
        note_called(spot->walk, way->called, record->cpu_ns);
    }
    add_own(search, process, spot, leaf, record, library, way->wrapped);
}

static bool calls_model(struct spot *spot, const struct way_out *way)
{
    if (way->within == NULL)
        return false;
    bool passes = way->model != CALLEE_OTHER;
    return row_call_is_of_model(&spot->row_call, &spot->walk->text, passes ? way->model : way->within->callee,
                                passes ? way->within->passed : NULL);
}

static void note_remembering(struct walk *walk, const struct way_out *way, const struct row_call *call, bool is_model)
{
    walk->remembers = walk->remembers || way->remembers;
    if (is_model)
        words_add(&walk->models, call->function);
    else if (way->within != NULL && way->within->may_remember && !way->does_more && !way->remembers_below)
        words_add(&walk->makers, call->function);
    else
        walk->remembers_beside = walk->remembers_beside || way->remembers;
    walk->remembers_beside = walk->remembers_beside || (is_model && way->does_more);
}

/* What pandas does for a row, or for a cell. */
static void add_rows(struct search *search, struct process *process, struct spot *spot, const struct way_out *way,
                     uint32_t frame, uint32_t leaf, const struct db_node *record)
{
    enum frame_act act = way->within != NULL ? way->within->act : FRAME_OTHER;
    enum frame_place place = spot->handed != NULL ? FRAME_IN_ITEM : spot->header ? FRAME_IN_HEADER : FRAME_IN_BODY;
    const struct loop_text *loop = spot->walk != NULL ? &spot->walk->text : spot->handed;
    struct word target = act == FRAME_JOINS ? statement_item(search->model, process, frame) : (struct word){"", 0};
    if (act == FRAME_OTHER || !frame_act_is_of_row(act, spot->text, target, loop, place))
        return;
    spot->rows.act = act;
    spot->rows.all += record->samples;
    if (!way->of_user)
        below_add(search->model, &spot->rows.below, process, frame, leaf, record);
}

/* What np.vectorize() does below the user's frame. */
static void add_vectorized(struct search *search, struct process *process, struct vectorized *vectorized,
                           const struct way_out *way, uint32_t frame, uint32_t leaf, const struct db_node *record)
{
    if (way->within != NULL && way->within->vectorizes)
        vectorized_add(search->model, vectorized, way->own, way->called, process, frame, leaf, record);
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
        if (spot != NULL) {
            add_rows(search, process, spot, &way, id, leaf, record);
            add_vectorized(search, process, &spot->vectorized, &way, id, leaf, record);
        }
        if (walk != NULL) {
            bool is_model = calls_model(spot, &way);
            if (way.own)
                add_at(search, process, spot, &way, leaf, record, library);
            if (walk != last && !spot->header)
                note_remembering(walk, &way, &spot->row_call, is_model);
            if (is_model)
                below_add(search->model, &spot->row_call.below, process, id, leaf, record);
            walk->all += walk != last ? record->samples : 0;
            walk->header_array += way.own && spot->header && library != LIBRARY_OTHER && !frame_gives_rows(&walk->text)
                                      ? record->samples
                                      : 0;
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
    step->library = library_of(search, process, process->nodes[index].module);
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
    for (size_t i = 0; i < run_capacity(table); i++)
        free(search->steps[i].passed);
    free(search->steps);
}

/* "y[i] = before(i) + x[i]", whose before() takes y itself. */
static bool takes_what_is_stored(const struct loop_text *text)
{
    const struct words *outer = &text->calls.outer, *stored = &text->stored;
    for (size_t i = 0; i < outer->count; i++)
        if (words_have(stored, outer->words[i]))
            return true;
    return outer->count > 0 && (outer->count == WORDS_MAX || stored->count == WORDS_MAX);
}

/* May a function that is neither one of the formulas nor of the `models` remember? */
static bool others_may(const struct walk *walk, const struct words *models)
{
    const struct words *others = &walk->text.calls.others;
    for (size_t i = 0; i < others->count; i++)
        if (!words_have(&walk->formulas, word_last_part(others->words[i])) && !words_have(models, others->words[i]))
            return true;
    return others->count == WORDS_MAX || takes_what_is_stored(&walk->text);
}

bool walk_may_remember(const struct walk *walk)
{
    const struct words none = {.count = 0};
    return walk->remembers || others_may(walk, &none);
}

bool walk_may_remember_beside(const struct walk *walk)
{
    for (size_t i = 0; i < walk->makers.count; i++)
        if (!words_have(&walk->models, walk->makers.words[i]))
            return true;
    return walk->remembers_beside || walk->makers.count == WORDS_MAX || others_may(walk, &walk->models);
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
        if (walk->within != NULL && loop_text_has_element_of_both(&walk->text, &walk->within->text, spot->text))
            walk->of_both += spot->native;
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
    walks->formulas = search.formulas;
    map_free(&search.walk_map);
    map_free(&search.spot_map);
    map_free(&search.evaluating);
    map_free(&search.libraries);
}

void walks_free(struct walks *walks)
{
    known_formulas_free(&walks->formulas);
    for (size_t i = 0; i < walks->walk_count; i++)
        free(walks->walks[i]);
    for (size_t i = 0; i < walks->spot_count; i++) {
        below_free(&walks->spots[i]->row_call.below);
        below_free(&walks->spots[i]->rows.below);
        below_free(&walks->spots[i]->vectorized.below);
        free(walks->spots[i]->handed);
        free(walks->spots[i]);
    }
    free(walks->walks);
    free(walks->spots);
}
