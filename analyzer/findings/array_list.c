/*
 * Claim: the line makes a tensor of a list of NumPy arrays, which PyTorch takes apart: it asks NumPy for each element, as an object.
 * Evidence: the text calls one of PyTorch's constructors; of the samples below that call a part lies in NumPy's library, called from PyTorch's.
 * Traps: an array that is handed in as it is (copied whole: NumPy is asked for its shape, once); a list of Python's own numbers (no
 * NumPy); what the list is made by (Python code of its own, which is not below the call).
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/below.h"
#include "findings/expression.h"
#include "findings/finding.h"
#include "findings/sites.h"
#include "model/path.h"
#include "show/page.h"

#define SAMPLES_MIN 10u
#define ELEMENTS_MIN 3u
#define ELEMENTS_PART 10u /* of the samples, one in so many at least */
#define FRAMES_MAX 200

/* A call that does so, by its way. */
struct call {
    uint64_t way;
    struct below below;
    uint64_t elements; /* of the samples, in NumPy's library */
};

struct calls {
    struct call *calls;
    size_t count, capacity;
};

static bool is_in(const struct process *process, uint64_t address, const char *library)
{
    const struct db_module *module = modules_find(process, address);
    return module != NULL && strstr(path_base_name(modules_path(process->run, module)), library) != NULL;
}

/* Does PyTorch's library call NumPy's there, with no Python code in between? */
static bool takes_element(const struct process *process, const struct db_node *record)
{
    bool in_numpy = false;
    for (unsigned i = 0; record != NULL && record->frame == DB_FRAME_NATIVE && i < FRAMES_MAX; i++) {
        in_numpy = in_numpy || is_in(process, record->value - (i > 0), "_multiarray_umath");
        if (in_numpy && is_in(process, record->value - 1, "libtorch_python"))
            return true;
        record = run_record(process->run, DB_KIND_NODE, record->parent);
    }
    return false;
}

static bool is_constructor(struct model *model, struct process *process, uint32_t frame)
{
    static const char *const names[] = {"tensor",       "as_tensor",  "Tensor",    "FloatTensor",
                                        "DoubleTensor", "LongTensor", "IntTensor", "BoolTensor"};
    struct operation operation = operation_at(model, process, frame);
    bool is_one = false;
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(names) / sizeof(names[0]); i++)
        is_one = is_one || operation_is_named(&operation, names[i]);
    return is_one;
}

static struct call *call_of(struct calls *calls, uint64_t way)
{
    for (size_t i = 0; i < calls->count; i++)
        if (calls->calls[i].way == way)
            return &calls->calls[i];
    return NULL;
}

static bool is_charged(const struct db_node *record, const struct node *node)
{
    return record->samples > 0 && node->python != 0 && !node->in_import;
}

static void find_calls(struct model *model, struct process *process, struct calls *calls)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        if (!is_charged(record, node) || node->python != node->user || !takes_element(process, record))
            continue;
        if (call_of(calls, node->way) != NULL || !is_constructor(model, process, node->python))
            continue;
        calls->calls = memory_grow(calls->calls, calls->count, &calls->capacity, sizeof(struct call));
        calls->calls[calls->count++] = (struct call){.way = node->way};
    }
}

static void add_samples(struct model *model, struct process *process, struct calls *calls)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        struct call *call = is_charged(record, node) && node->python == node->user ? call_of(calls, node->way) : NULL;
        if (call == NULL || time_kind_of(process, record, node) == TIME_PYTHON)
            continue;
        below_add(model, &call->below, process, node->python, (uint32_t)cursor.id, record);
        call->elements += takes_element(process, record) ? record->samples : 0;
    }
}

static void say(struct model *model, struct finding *finding)
{
    (void)model;
    char *samples = page_count(finding->whole), *elements = page_count(finding->part);
    finding->claim =
        memory_print("PyTorch takes apart what the list holds of NumPy's, element by element: of %s samples "
                     "below this call, %s lie in NumPy, which makes an object of each.",
                     samples, elements);
    finding->advice =
        memory_print("Put the arrays together first (np.stack(), np.concatenate(), np.array()) and hand that "
                     "over: torch.tensor() copies one array at once, torch.from_numpy() not at all.");
    free(samples);
    free(elements);
}

static void claim(struct model *model, const struct call *call)
{
    const struct below *below = &call->below;
    double seconds = (double)below->ns * 1e-9;
    struct line *line = below->samples >= SAMPLES_MIN ? lines_get(model, below->process, below->frame) : NULL;
    if (line == NULL || call->elements < ELEMENTS_MIN || call->elements * ELEMENTS_PART < below->samples ||
        finding_is_told_better(model, line, seconds))
        return;
    struct finding *finding = finding_add(model, line, "tiny_calls", "slice under-utilisation");
    finding->process = below->process;
    finding->node = below->frame;
    finding->waste_s = seconds;
    finding->part = call->elements;
    finding->whole = below->samples;
    finding->say = say;
}

void rule_array_list(struct model *model)
{
    struct calls calls = {0};
    for (size_t i = 0; i < model->process_count; i++)
        find_calls(model, &model->processes[i], &calls);
    for (size_t i = 0; calls.count > 0 && i < model->process_count; i++)
        add_samples(model, &model->processes[i], &calls);
    for (size_t i = 0; i < calls.count; i++) {
        claim(model, &calls.calls[i]);
        below_free(&calls.calls[i].below);
    }
    free(calls.calls);
}
