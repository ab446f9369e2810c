#include "findings/few_told.h"

#include <string.h>

#include "findings/count_told.h"
#include "findings/expression.h"
#include "findings/operand.h"
#include "model/source.h"
#include "python/handed.h"
#include "python/name_uses.h"
#include "python/part_taken.h"

#define ELEMENT_BYTES 8u /* of what is sorted, at most: complex numbers are hardly sorted */
#define FEW_OF 4u        /* one in so many: of a quarter, sorting what a partition gives costs half of sorting all */
#define SMALL_MAX 64u    /* of rows, of which the object does not tell how long they are */
#define LENGTH_MIN 512u  /* of less NumPy's argpartition() takes as long as argsort() does */
#define TRACES_MAX 64u

/* What stands for what is taken: the slice itself, or the name that it is given to. */
struct trace {
    struct word text;
    size_t use;
    bool in_part; /* a part of it, of unknown size */
};

/* Objects made of what is taken. */
struct made {
    uint64_t births;
    uint64_t most_bytes;      /* of one that holds each element of it, or something for each */
    uint64_t most_kept_bytes; /* of one that holds nothing for them but their like */
    uint64_t most_like_bytes; /* of what is taken itself, at most, by the largest of both */
};

struct inquiry {
    struct model *model;
    const struct site *site;
    uint32_t frame;
    const struct source *code;
    const struct taken *taken;
    struct trace traces[TRACES_MAX];
    size_t trace_count;
    bool overflows;
    struct made made[TAKEN_MAX];
};

enum taking { TAKES_NOT, TAKES_KEEPING, TAKES_GATHERING };

static bool is_index(struct word operation, struct word operand)
{
    const char *open = operation.text, *end = word_end(operation);
    for (; (open = memchr(open, '[', (size_t)(end - open))) != NULL; open++) {
        struct word inside = word_in_bracket(open, end);
        if (word_end(inside) + 1 == end)
            return word_equal(word_trimmed(inside.text, word_end(inside)), operand);
    }
    return false;
}

/* "np.take(x, order)", "x.take(order)": not "np.take(order, i)", whose result has the other's size. */
static bool is_taken_from(struct word operation, struct word operand)
{
    struct word function, arguments;
    if (!word_call(operation, &function, &arguments))
        return false;
    const char *first = word_skip_blanks(arguments.text, word_end(arguments));
    return handed_is_of_arrays(function) && operand.text == first;
}

/* Does the operation make an object with at least one element for each of the operand? */
static enum taking taking_of(struct word operation, struct word operand)
{
    static const char *const keeping[] = {
        "copy", "clone", "astype", "float",    "double",  "long",   "array",    "ascontiguousarray", "contiguous",
        "sqrt", "exp",   "log",    "log1p",    "abs",     "square", "tanh",     "sigmoid",           "softmax",
        "add",  "power", "divide", "multiply", "one_hot", "cumsum", "subtract", "log_softmax"};
    static const char *const gathering[] = {"take", "take_along_axis", "gather", "index_select"};
    bool is_within = operand.text >= operation.text && word_end(operand) <= word_end(operation);
    if (!is_within || operand.length_bytes == operation.length_bytes)
        return TAKES_NOT;
    struct operation last = operation_of(operation.text, operation.length_bytes);
    if (last.kind == OPERATION_SUBSCRIPT)
        return is_index(operation, operand) ? TAKES_GATHERING : TAKES_NOT;
    if (!text_takes(operation.text, operation.length_bytes, operand.text, operand.length_bytes))
        return TAKES_NOT;
    if (last.kind == OPERATOR)
        return memchr(operation.text, '@', operation.length_bytes) == NULL ? TAKES_KEEPING : TAKES_NOT;
    struct word name = {last.name, last.length_bytes};
    if (WORD_IS_ONE_OF(name, keeping))
        return TAKES_KEEPING;
    bool gathers = WORD_IS_ONE_OF(name, gathering) && operand.text != operation.text;
    return gathers && !is_taken_from(operation, operand) ? TAKES_GATHERING : TAKES_NOT;
}

static void add_trace(struct inquiry *inquiry, struct trace trace)
{
    inquiry->overflows = inquiry->overflows || inquiry->trace_count == TRACES_MAX;
    if (!inquiry->overflows)
        inquiry->traces[inquiry->trace_count++] = trace;
}

/* A mention of a name that a slice is given to. */
struct mention {
    struct inquiry *inquiry;
    size_t use;
};

static bool add_mention(const char *at, void *state)
{
    struct mention *mention = state;
    const char *end = at + strlen(at);
    struct trace trace = {.text = {at, 0}, .use = mention->use};
    while (word_char(at[trace.text.length_bytes]))
        trace.text.length_bytes++;
    const char *behind = word_end(trace.text);
    if (*behind == '[') {
        const char *close = word_end(word_in_bracket(behind, end));
        trace.text.length_bytes = (size_t)(close - at) + (close < end);
        trace.in_part = true;
    }
    add_trace(mention->inquiry, trace);
    return true;
}

static bool is_name(struct word word)
{
    for (size_t i = 0; i < word.length_bytes; i++)
        if (!word_char(word.text[i]))
            return false;
    return word.length_bytes > 0;
}

/* Of "hardest = order[:k]", alone on its row: the mentions of the name that may see it. */
static void trace_name(struct inquiry *inquiry, size_t use)
{
    struct word whole = inquiry->taken->uses[use].whole, target, value;
    const struct source *code = inquiry->code;
    const char *row = whole.text, *end = word_end(whole), *text_end = code->text + code->length_bytes;
    while (row > code->text && row[-1] != '\n')
        row--;
    const char *row_end = memchr(end, '\n', (size_t)(text_end - end));
    struct word statement = word_trimmed(row, row_end != NULL ? row_end : text_end);
    int32_t first = 1, last;
    if (!word_assigned(statement, &target, &value) || !word_equal(value, whole) || !is_name(target))
        return;
    for (const char *at = code->text; (at = memchr(at, '\n', (size_t)(row - at))) != NULL; at++)
        first++;
    last = first;
    for (const char *at = row; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        last++;
    struct mention mention = {inquiry, use};
    size_t before = inquiry->trace_count;
    if (!name_uses_visit(code, first, last, target, add_mention, &mention))
        inquiry->trace_count = before;
}

/* In one execution of the function that sorts? */
static bool is_together(const struct inquiry *inquiry, uint32_t frame)
{
    const struct run_process *run = inquiry->site->process->run;
    const struct db_node *one = run_record(run, DB_KIND_NODE, inquiry->frame),
                         *other = run_record(run, DB_KIND_NODE, frame);
    return one != NULL && other != NULL && other->frame == DB_FRAME_PYTHON && one->parent == other->parent &&
           one->value >> 32 == other->value >> 32;
}

/* "order == own": a byte for each element. */
static bool is_comparison(struct word operation)
{
    static const char *const names[] = {"==", "!=", "<", ">", "<=", ">="};
    struct operation last = operation_of(operation.text, operation.length_bytes);
    return last.kind == OPERATOR && WORD_IS_ONE_OF(((struct word){last.name, last.length_bytes}), names);
}

static void count_object(struct inquiry *inquiry, const struct site *site, struct word operation)
{
    uint64_t size_bytes = site->record->size_bytes;
    for (size_t i = 0; i < inquiry->trace_count; i++) {
        const struct trace *trace = &inquiry->traces[i];
        struct made *made = &inquiry->made[trace->use];
        enum taking taking = taking_of(operation, trace->text);
        if (taking == TAKES_KEEPING && size_bytes > made->most_kept_bytes)
            made->most_kept_bytes = size_bytes;
        uint64_t like_bytes = is_comparison(operation) && size_bytes <= UINT64_MAX / ELEMENT_BYTES
                                  ? size_bytes * ELEMENT_BYTES
                                  : size_bytes;
        if ((taking == TAKES_KEEPING || (taking == TAKES_GATHERING && !trace->in_part)) &&
            like_bytes > made->most_like_bytes)
            made->most_like_bytes = like_bytes;
        if (taking == TAKES_NOT || trace->in_part)
            continue;
        made->births += site->record->births;
        made->most_bytes = size_bytes > made->most_bytes ? size_bytes : made->most_bytes;
    }
}

/* False where there are too many sites to look at. */
static bool count_objects(struct inquiry *inquiry, uint64_t *looks)
{
    struct process *process = inquiry->site->process;
    size_t capacity = run_capacity(&process->run->tables[DB_KIND_SITE]);
    if (inquiry->overflows || *looks < capacity)
        return false;
    *looks -= capacity;
    for (size_t i = 0; i < capacity; i++) {
        const struct site *site = &process->sites[i];
        const struct source *code = NULL;
        struct word operation;
        if (site->record == NULL)
            continue;
        uint32_t frame = callers_frame(process, site->record->node);
        if (!is_together(inquiry, frame))
            continue;
        operation.text = operation_code(inquiry->model, process, frame, &operation.length_bytes, &code);
        if (operation.text != NULL && code == inquiry->code)
            count_object(inquiry, site, operation);
    }
    return true;
}

/* Is the largest object made of what is taken but a little of the result? It may have one byte for each element. */
static bool objects_tell_few(const struct inquiry *inquiry, const struct part_slice *slices, size_t use)
{
    uint64_t births = 0, most_bytes = 0;
    for (size_t i = 0; i < inquiry->taken->count; i++) {
        const struct made *made = &inquiry->made[i];
        if (!word_equal(slices[i].count, slices[use].count))
            continue;
        births = made->births > births ? made->births : births;
        most_bytes = made->most_bytes > most_bytes ? made->most_bytes : most_bytes;
        most_bytes = made->most_kept_bytes > most_bytes ? made->most_kept_bytes : most_bytes;
    }
    return births > 0 && births >= inquiry->site->record->births / 2 &&
           most_bytes <= inquiry->site->record->size_bytes / (FEW_OF * ELEMENT_BYTES);
}

static bool use_is_few(const struct inquiry *inquiry, const struct part_slice *slices, size_t use)
{
    uint64_t size_bytes = inquiry->site->record->size_bytes, element_most = size_bytes / (FEW_OF * ELEMENT_BYTES);
    uint64_t count = count_told(inquiry->model, inquiry->site->process, inquiry->frame, slices[use].count);
    if (count != COUNT_OPEN && count > element_most)
        return false;
    bool is_nearly_kept = inquiry->made[use].most_like_bytes >= size_bytes / FEW_OF;
    bool is_length_told = slices[use].items == 1 && inquiry->taken->uses[use].of_all;
    if (is_length_told && size_bytes < (uint64_t)LENGTH_MIN * ELEMENT_BYTES)
        return false;
    if (!inquiry->taken->is_open && count != COUNT_OPEN && (is_length_told || (count <= SMALL_MAX && !is_nearly_kept)))
        return true;
    return objects_tell_few(inquiry, slices, use);
}

bool few_is_told(struct model *model, const struct site *site, uint32_t frame, const struct taken *taken,
                 uint64_t *looks)
{
    struct inquiry inquiry = {.model = model, .site = site, .frame = frame, .taken = taken};
    struct part_slice slices[TAKEN_MAX];
    size_t length = 0;
    if (taken->count == 0 || operation_code(model, site->process, frame, &length, &inquiry.code) == NULL)
        return false;
    for (size_t i = 0; i < taken->count; i++) {
        struct word slice = taken->uses[i].slice;
        if (!part_slice_read(slice.text, word_end(slice), &slices[i]))
            return false;
        add_trace(&inquiry, (struct trace){.text = taken->uses[i].whole, .use = i});
        trace_name(&inquiry, i);
    }
    if (!count_objects(&inquiry, looks))
        return false;
    for (size_t i = 0; i < taken->count; i++)
        if (!use_is_few(&inquiry, slices, i))
            return false;
    return true;
}
