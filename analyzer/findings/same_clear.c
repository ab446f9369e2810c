#include "findings/same_clear.h"

#include <string.h>

#include "findings/expression.h"
#include "findings/ways.h"
#include "model/source.h"
#include "python/clear.h"
#include "python/cleared.h"
#include "python/fresh.h"
#include "python/scope.h"
#include "python/suite.h"

/* Where a call stands that clears. */
struct clearing {
    const struct source *code;
    struct word text; /* "opt.zero_grad()" */
    const char *file;
    int32_t row;
    bool by_subscript;    /* "grad[:]" */
    bool of_many, of_one; /* "zero_grad", "_foreach_zero_"; "zero_", which a loop may do to many, too */
};

static struct clearing clearing_at(struct model *model, struct process *process, uint32_t node_id)
{
    uint32_t frame = callers_frame(process, node_id);
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    struct operation operation = operation_at(model, process, frame);
    struct clearing clearing = {.row = 0};
    struct code *code = NULL;
    clearing.by_subscript = operation.kind == OPERATION_SUBSCRIPT;
    if (record == NULL || (operation.kind != OPERATION_CALL && !clearing.by_subscript))
        return clearing;
    bool calls = !clearing.by_subscript;
    clearing.of_many =
        calls && (operation_is_named(&operation, "zero_grad") || operation_is_named(&operation, "_foreach_zero_"));
    clearing.of_one = calls && operation_is_named(&operation, "zero_");
    clearing.row = model_position(model, process, record, &code).line;
    clearing.file = code != NULL ? code->file : NULL;
    clearing.text.text = operation_code(model, process, frame, &clearing.text.length_bytes, &clearing.code);
    return clearing;
}

/* "p.grad.zero_()" twice, where `p` is not another the second time? */
static bool names_the_same(const struct clearing *one, const struct clearing *other)
{
    struct word row, owner, nothing;
    size_t indent = 0;
    int32_t from = one->row < other->row ? one->row : other->row, to = one->row < other->row ? other->row : one->row;
    if (!one->of_one || !other->of_one || !word_equal(one->text, other->text) ||
        !word_call(one->text, &owner, &nothing) || scope_function(one->code, from) != scope_function(one->code, to))
        return false;
    size_t last = word_last_part(owner).length_bytes;
    owner.length_bytes -= owner.length_bytes > last ? last + 1 : last;
    for (; from <= to && suite_row(one->code, from, &row, &indent); from++)
        if (clear_gives_anew(row, owner))
            return false;
    return owner.length_bytes > 0;
}

/* "grad" of "grad[:]", "grad.fill(0)", "np.ndarray.fill(grad, 0)" and "np.add(x, y, out=grad)"; empty: the text does not tell. */
static struct word buffer_of(const struct clearing *clearing)
{
    struct word function, arguments, items[WORDS_MAX], keyword, value, none = {NULL, 0};
    if (clearing->text.text == NULL)
        return none;
    if (clearing->by_subscript)
        return word_name_at(clearing->text.text, word_end(clearing->text));
    if (!word_call(clearing->text, &function, &arguments))
        return none;
    size_t last = word_last_part(function).length_bytes;
    function.length_bytes -= function.length_bytes > last ? last + 1 : last;
    if (!fresh_is_module(function))
        return function;
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    struct word buffer = count > 0 && count != SIZE_MAX ? items[0] : none;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (word_assigned(items[i], &keyword, &value) && word_is(keyword, "out"))
            buffer = value;
    return word_equal(word_name_at(buffer.text, word_end(buffer)), buffer) ? buffer : none;
}

/* Of calls that store into one array: nothing else does in between, nor reads it, whatever the sampled elements show. */
static enum meanwhile meanwhile(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node,
                                const struct clearing *first, const struct clearing *second)
{
    struct word buffer = buffer_of(first), other = buffer_of(second);
    if (!word_equal(buffer, other))
        buffer.length_bytes = 0;
    return meanwhile_of(model, process, first_node, second_node, buffer);
}

/* "p.grad.zero_()": what a backward pass adds to is no array of few changes. */
static bool is_gradient(const struct clearing *clearing)
{
    return clearing->text.text != NULL && clear_behind_grad(clearing->text.text, word_end(clearing->text)) != NULL;
}

enum meanwhile same_clear(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node)
{
    struct clearing first = clearing_at(model, process, first_node), second = clearing_at(model, process, second_node);
    struct cleared pair;
    bool is_one = !first.of_many && !second.of_many;
    if (!first.of_one && !second.of_one && is_one)
        return meanwhile(model, process, first_node, second_node, &first, &second);
    if (first.text.text == NULL || second.text.text == NULL || first.code != second.code)
        return MEANWHILE_OPEN;
    if (is_one && !is_gradient(&first))
        return names_the_same(&first, &second) ? meanwhile(model, process, first_node, second_node, &first, &second)
                                               : MEANWHILE_OPEN;
    struct ways ways = ways_part(model, process, first_node, second_node);
    bool in_one_call =
        ways.file != NULL && strcmp(ways.file, first.file) == 0 && ways.first == first.row && ways.second == second.row;
    bool is_same = in_one_call && cleared_find(first.code, second.row, &pair) &&
                   ((pair.first == first.row && pair.second == second.row) ||
                    (pair.first == second.row && pair.second == first.row));
    return is_same || names_the_same(&first, &second) ? MEANWHILE_STILL : MEANWHILE_OPEN;
}
