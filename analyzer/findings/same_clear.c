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
    uint32_t frame = objects_caller_frame(model, process, node_id);
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

/*
 * Does the text name the array between the two, in "grad[rows] += x", "np.add.at(grad, rows, x)"? So few elements may change there that
 * none of them was followed.
 */
static bool changes_between(const struct clearing *first, const struct clearing *second)
{
    if (first->text.text == NULL || second->text.text == NULL || first->code != second->code ||
        scope_function(first->code, first->row) != scope_function(second->code, second->row))
        return false;
    struct word row, owner = word_name_at(second->text.text, word_end(second->text));
    size_t indent = 0, last = word_last_part(owner).length_bytes;
    if (fresh_is_module(owner))
        return false;
    if (!second->by_subscript)
        owner.length_bytes -= owner.length_bytes > last ? last + 1 : last;
    for (int32_t at = first->row + 1; owner.length_bytes > 0 && at < second->row; at++)
        if (suite_row(first->code, at, &row, &indent) && word_mentions(row, owner) > 0)
            return true;
    return false;
}

bool same_clear(struct model *model, struct process *process, uint32_t first_node, uint32_t second_node)
{
    struct clearing first = clearing_at(model, process, first_node), second = clearing_at(model, process, second_node);
    struct cleared pair;
    if (changes_between(&first, &second))
        return false;
    if (!first.of_many && !first.of_one && !second.of_many && !second.of_one)
        return true;
    if (first.text.text == NULL || second.text.text == NULL || first.code != second.code)
        return false;
    struct ways ways = ways_part(model, process, first_node, second_node);
    bool in_one_call =
        ways.file != NULL && strcmp(ways.file, first.file) == 0 && ways.first == first.row && ways.second == second.row;
    if (in_one_call && cleared_find(first.code, second.row, &pair) &&
        ((pair.first == first.row && pair.second == second.row) ||
         (pair.first == second.row && pair.second == first.row)))
        return true;
    return names_the_same(&first, &second);
}
