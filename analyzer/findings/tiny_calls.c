/*
 * Claim: a loop, or a comprehension, takes arrays apart and works on one element, or one short row, at a time, where whole arrays, or slices of
 * them, can be worked on at once.
 * Evidence: the source text of the loop, whose instructions subscript with what counts up, or name what is taken out of an
 * array; samples: these instructions are in NumPy's or PyTorch's libraries, and nearly all of the loop's time is theirs and the
 * interpreter's between them. How long the calls take is not measured one by one: the interpreter needs some 0.1 us a line,
 * so that calls are tiny where its part of the time is not.
 * Traps: a loop over batches or epochs (long calls: the interpreter's part is small; layers and steps are Python functions of
 * their own); a comprehension over a list of arrays (nothing is subscripted, the list is the interpreter's); recurrences, in
 * which a round reads what an earlier one stored, by that name or as a view of the same array (no slice exists); loops that end
 * early or write files; loops of a few rounds, over what is small; lists.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/comprehension.h"
#include "findings/finding.h"
#include "findings/loop.h"
#include "findings/loop_text.h"
#include "findings/sites.h"
#include "model/select.h"
#include "model/source.h"
#include "show/page.h"

#define KIND "tiny_calls"
#define FRAMES_MAX 200
#define TEXT_MAX 2000
#define SAMPLES_MIN 10u /* of a loop */
#define ARRAY_MIN 3u    /* of them, in the arrays' libraries */
#define ITEMS_MIN 2u    /* at the header, that tell an array from a list */
#define OWN_SHARE 0.8   /* of the loop's time: its own instructions, not functions that it calls */
#define ELEMENT_SHARE 0.5
/*
 * The least part of the time that the interpreter has: NumPy needs 0.2 us and more for an element, PyTorch 2 us, and 20 us where a tensor
 * says which (then calls that give whole batches must not be among them: they make objects)...
 */
#define INTERPRETER_SHARE_ARRAY 0.10
#define INTERPRETER_SHARE_TENSOR 0.05
#define INTERPRETER_SHARE_SMALL_TENSOR 0.01
#define SURE_Z 1.645 /* ... with 95 % certainty: what the samples of a loop of batches say by chance is less */

/* A loop of the user's. Samples. */
struct walk {
    struct loop_text text;
    uint64_t all; /* below any of its lines */
    uint64_t interpreter,
        native;              /* of all: in its own instructions, and in what they call without a Python frame between */
    uint64_t header_array;   /* of all: below its header, in an array's library */
    uint64_t element;        /* of native: at instructions that work on an element */
    uint64_t array, tensor;  /* of element: in an array's library; of these in PyTorch's */
    uint64_t ns;             /* of interpreter and native */
    struct line *line;       /* the one with most such time */
    uint64_t objects;        /* that its lines made */
    const struct line *last; /* whose are counted */
    bool claimed;
    struct process *process; /* of a node there */
    uint32_t node;
};

/* An instruction, by its place in the text. */
struct spot {
    struct walk *walk; /* NULL: in no loop */
    struct line *line;
    bool header, element, item; /* item: an element where what is iterated over is an array */
    uint64_t interpreter, native, array, tensor, ns;
    struct process *process; /* of the node that is heaviest there */
    uint32_t node;
    uint64_t node_ns;
};

enum library { LIBRARY_OTHER, LIBRARY_ARRAY, LIBRARY_TENSOR };

/* Of a node of the process that is looked through. */
struct step {
    enum library library; /* of it or of a frame between it and the Python frame above */
    bool looked_at;       /* a Python frame whose spot is known */
    uint32_t outer;       /* of a Python frame: the Python frame around it, 0 for none */
    struct spot *spot;    /* NULL: not the user's code */
    bool wrapper;         /* of Python code that NumPy and PyTorch put before a native function */
};

struct search {
    struct model *model;
    struct step *steps; /* by run_index() of DB_KIND_NODE */
    struct map walk_map, spot_map;
    struct walk **walks;
    size_t walk_count, walk_capacity;
    struct spot **spots;
    size_t spot_count, spot_capacity;
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
    search->walks = memory_grow(search->walks, search->walk_count, &search->walk_capacity, sizeof(*search->walks));
    return search->walks[search->walk_count++] = walk;
}

static struct walk *walk_of_loop(struct search *search, const struct loop_body *body)
{
    bool is_new;
    struct walk *walk = walk_at(search, body->code->file, body->first, -1, &is_new);
    if (is_new)
        loop_text_read(&walk->text, source_get(search->model, body->code->file), body->first, body->last);
    return walk;
}

static struct walk *walk_of_comprehension(struct search *search, const struct comprehension *comprehension)
{
    bool is_new;
    struct walk *walk = walk_at(search, comprehension->code->file, comprehension->line, comprehension->column, &is_new);
    if (is_new)
        loop_text_read_comprehension(&walk->text, comprehension->element, comprehension->clauses);
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
    for (size_t i = 0; code->owner == OWNER_FOUNDATION && i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strstr(code->file, parts[i]) != NULL)
            return true;
    return false;
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
    search->spots = memory_grow(search->spots, search->spot_count, &search->spot_capacity, sizeof(*search->spots));
    search->spots[search->spot_count++] = spot;
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
    struct word text = text_of(source, &span);
    spot->element = !spot->header && loop_text_has_element(&spot->walk->text, text, false);
    spot->item = spot->header || loop_text_has_element(&spot->walk->text, text, true);
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

static struct step *step_of(struct search *search, struct process *process, uint32_t python_id)
{
    struct step *step = &search->steps[run_index(&process->run->tables[DB_KIND_NODE], python_id)];
    if (!step->looked_at) {
        struct code *code = NULL;
        model_position(search->model, process, run_record(process->run, DB_KIND_NODE, python_id), &code);
        step->spot = spot_of(search, process, python_id);
        step->wrapper = step->spot == NULL && code != NULL && is_wrapper(code);
    }
    step->looked_at = true;
    return step;
}

/* All loops around a leaf; those of a function that calls itself once. */
static void add_leaf(struct search *search, struct process *process, uint32_t leaf, const struct db_node *record,
                     enum library library)
{
    const struct walk *last = NULL;
    bool own = true, wrapped = false;
    uint32_t id = model_node(process, leaf)->python;
    for (unsigned i = 0; id != 0 && i < FRAMES_MAX; i++) {
        const struct step *step = step_of(search, process, id);
        struct spot *spot = step->spot;
        struct walk *walk = spot != NULL ? spot->walk : NULL;
        if (walk != NULL) {
            if (own)
                add_own(search, process, spot, leaf, record, library, wrapped);
            walk->all += walk != last ? record->samples : 0;
            walk->header_array += own && spot->header && library != LIBRARY_OTHER ? record->samples : 0;
            last = walk;
        }
        wrapped = own && step->wrapper;
        own = wrapped;
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

static bool is_element(const struct spot *spot)
{
    return spot->element || (spot->item && spot->walk->header_array >= ITEMS_MIN);
}

static void add_spot(struct spot *spot)
{
    struct walk *walk = spot->walk;
    walk->interpreter += spot->interpreter;
    walk->native += spot->native;
    walk->ns += spot->ns;
    walk->objects += spot->line != NULL && spot->line != walk->last ? spot->line->objects.births : 0;
    walk->last = spot->line;
    if (is_element(spot)) {
        walk->element += spot->native;
        walk->array += spot->array;
        walk->tensor += spot->tensor;
    }
}

/* The least share that `part` of `whole` samples may stand for (Wilson's interval). */
static double least_share(uint64_t part, uint64_t whole)
{
    double n = (double)whole, share = (double)part / n, z = SURE_Z;
    return (share + z * z / (2 * n) - z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n);
}

static bool is_of_tensors(const struct walk *walk)
{
    return 2 * walk->tensor > walk->array;
}

/* All but whether it is worth telling. */
static bool is_tiny(const struct walk *walk)
{
    double own = (double)(walk->interpreter + walk->native);
    double small = walk->objects <= walk->all ? INTERPRETER_SHARE_SMALL_TENSOR : INTERPRETER_SHARE_TENSOR;
    double least = is_of_tensors(walk) ? small : INTERPRETER_SHARE_ARRAY;
    return !walk->text.carried && !walk->text.few && walk->all >= SAMPLES_MIN && walk->array >= ARRAY_MIN &&
           own >= OWN_SHARE * (double)walk->all && (double)walk->element >= ELEMENT_SHARE * (double)walk->native &&
           least_share(walk->interpreter, walk->all) >= least;
}

/* Of the line: what was spent in such a loop. The loop's finding stands where most of that is. */
static void add_line(struct spot *spot)
{
    struct walk *walk = spot->walk;
    struct line *line = spot->line;
    if (line == NULL)
        return;
    line->element_samples += spot->interpreter + spot->native;
    line->element_ns += spot->ns;
    if (!is_element(spot) || spot->header || (walk->line != NULL && walk->line->element_ns > line->element_ns))
        return;
    if (walk->line != line || spot->node_ns > 0) {
        walk->node = spot->node;
        walk->process = spot->process;
    }
    walk->line = line;
}

static char *percent_of(uint64_t part, uint64_t whole)
{
    return page_percent(100 * (double)part / (double)whole);
}

static void say_with(struct model *model, struct finding *finding, const char *instead)
{
    struct loop_body loop = {.first = finding->line->number};
    struct comprehension comprehension;
    uint32_t frame = model_node(finding->process, finding->node)->python;
    bool is_loop = !comprehension_of_frame(model, finding->process, frame, &comprehension);
    if (is_loop)
        loop_of_frame(model, finding->process, frame, &loop);
    const char *what = is_loop ? "loop" : "comprehension";
    char *place = say_place(model, finding->line->file, is_loop ? loop.first : comprehension.line);
    char *samples = page_count(finding->whole);
    char *calls = percent_of(finding->part, finding->whole);
    finding->claim =
        memory_print("Works on one element or short row at a time: of %s samples in the %s at %s, %s lie in "
                     "calls for a single one of them, and in the interpreter between these.",
                     samples, what, place, calls);
    finding->advice = memory_print("%s in place of the %s at %s; "
                                   "what must stay a loop is quicker over what tolist() makes of the array once.",
                                   instead, what, place);
    free(place);
    free(samples);
    free(calls);
}

static void say(struct model *model, struct finding *finding)
{
    say_with(model, finding, "Let one call work on the whole array, or on a slice of it,");
}

/* An assignment to z[where] counts an element once that comes twice. */
static void say_scattered(struct model *model, struct finding *finding)
{
    say_with(model, finding,
             "Let np.add.at() or np.bincount(), which count an element that comes twice as the loop does "
             "(z[where] += does not), work on the whole array");
}

static void say_scattered_tensor(struct model *model, struct finding *finding)
{
    say_with(
        model, finding,
        "Let index_put_() with accumulate=True, index_add_() or torch.bincount(), which count an element that comes "
        "twice as the loop does (z[where] += does not), work on the whole tensor");
}

/* What another loop on the same line claims already; NULL where none does. */
static struct finding *claimed_beside(const struct model *model, const struct walk *walk)
{
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == walk->line && strcmp(model->findings[i]->kind, KIND) == 0)
            return model->findings[i];
    return NULL;
}

static void claim_walk(struct model *model, struct walk *walk)
{
    struct finding *finding = claimed_beside(model, walk);
    double seconds = (double)walk->ns * 1e-9;
    if (finding == NULL)
        finding = finding_add(model, walk->line, KIND, "slice under-utilisation");
    if (seconds > finding->waste_s) {
        finding->process = walk->process;
        finding->node = walk->node;
        finding->say = !walk->text.scattered ? say : is_of_tensors(walk) ? say_scattered_tensor : say_scattered;
    }
    finding->waste_s += seconds;
    finding->part += walk->interpreter + walk->element;
    finding->whole += walk->all;
    walk->claimed = true;
}

/* What is made again there is not to be taken apart better, but not to be made, unless that is the lesser part. */
static bool is_told_better(const struct model *model, const struct walk *walk)
{
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == walk->line && strcmp(model->findings[i]->kind, KIND) != 0 &&
            model->findings[i]->waste_s >= (double)walk->ns * 1e-9)
            return true;
    return false;
}

/* The whole loop goes, lines that only fetch an element or count included. */
static void charge_spot(const struct spot *spot)
{
    if (spot->walk == NULL || !spot->walk->claimed || spot->line == NULL)
        return;
    spot->line->taken_apart_s += (double)spot->ns * 1e-9;
    spot->line->taken_apart_at = spot->walk->line;
}

static void search_free(struct search *search)
{
    for (size_t i = 0; i < search->walk_count; i++)
        free(search->walks[i]);
    for (size_t i = 0; i < search->spot_count; i++)
        free(search->spots[i]);
    free(search->walks);
    free(search->spots);
    map_free(&search->walk_map);
    map_free(&search->spot_map);
}

void rule_tiny_calls(struct model *model)
{
    struct search search = {.model = model};
    for (size_t i = 0; i < model->process_count; i++)
        add_process(&search, &model->processes[i]);
    for (size_t i = 0; i < search.spot_count; i++)
        if (search.spots[i]->walk != NULL)
            add_spot(search.spots[i]);
    for (size_t i = 0; i < search.spot_count; i++)
        if (search.spots[i]->walk != NULL && is_tiny(search.spots[i]->walk))
            add_line(search.spots[i]);
    for (size_t i = 0; i < search.walk_count; i++)
        if (search.walks[i]->line != NULL && !is_told_better(model, search.walks[i]))
            claim_walk(model, search.walks[i]);
    for (size_t i = 0; i < search.spot_count; i++)
        charge_spot(search.spots[i]);
    search_free(&search);
}
