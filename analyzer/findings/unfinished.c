#include "findings/unfinished.h"

#include "findings/blank.h"
#include "findings/changed.h"
#include "findings/expression.h"
#include "findings/filled.h"
#include "findings/read_again.h"
#include "findings/statement.h"
#include "model/source.h"
#include "python/region.h"
#include "python/scope.h"
#include "python/steady.h"

/* "b = np.empty(n)" */
static bool makes_blank(struct word statement, struct word buffer)
{
    static const char *const functions[] = {"empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full"};
    struct word target, value, function, arguments;
    return word_assigned(statement, &target, &value) && word_call(value, &function, &arguments) &&
           WORD_IS_ONE_OF(word_last_part(function), functions) && word_mentions(statement, buffer) == 0;
}

/*
 * "a = np.empty(n)", "b = np.empty(n)": a is looked at first when b is made, and holds leftovers then. What is stored into it before
 * that, as where something else follows, is what it is used as.
 */
static bool is_looked_at_unfilled(struct model *model, const struct site *site, uint32_t frame)
{
    struct code *code = NULL;
    struct word buffer, rest, statement;
    struct line_span span =
        model_position(model, site->process, run_record(site->process->run, DB_KIND_NODE, frame), &code);
    buffer.text = statement_target(model, site->process, frame, &buffer.length_bytes);
    if (!site_is_made_unfilled(model, site) || buffer.text == NULL || code == NULL)
        return false;
    const struct source *source = source_code(model, code->file);
    rest.text = source_line(source, span.end_line, &rest.length_bytes);
    if (rest.text == NULL || span.end_column < 0 || (size_t)span.end_column > rest.length_bytes)
        return false;
    rest = (struct word){rest.text + span.end_column,
                         (size_t)(source->text + source->length_bytes - rest.text) - (size_t)span.end_column};
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        if (statement.length_bytes > 0)
            return makes_blank(statement, buffer);
    }
    return false;
}

/* "out" of "out = np.empty(n)" in a function: nobody else has it by that name, as an attribute or a name of the module's. */
static bool is_local(struct model *model, const struct site *site, uint32_t frame)
{
    struct code *code = NULL;
    struct word name;
    name.text = statement_target(model, site->process, frame, &name.length_bytes);
    struct line_span span =
        model_position(model, site->process, run_record(site->process->run, DB_KIND_NODE, frame), &code);
    if (name.text == NULL || code == NULL || !word_equal(word_first_part(name), name))
        return false;
    const struct source *source = source_code(model, code->file);
    int32_t def = scope_function(source, span.line);
    return def > 0 && region_is_local(source, def, name);
}

/*
 * "out = np.empty(n)", filled part by part behind it by lines of its own function, by that name, and not read before they have: what it held when
 * it was looked at are leftovers, or a part of what it ends as.
 */
static bool is_filled_unread(struct model *model, const struct site *site, uint32_t frame,
                             const struct changed *changed)
{
    return site_is_made_unfilled(model, site) && changed->count > 0 && !changed->read_before && !changed->has_views &&
           changed->handed.length_bytes == 0 && site->record->changed_beyond <= 1 && is_local(model, site, frame);
}

bool site_is_read_unfinished(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    uint32_t frame = lines_frame_of_leaf(model, process, site->record->node);
    struct changed changed;
    struct code *code = NULL;
    struct word value;
    changed_find(&changed, model, process, frame);
    if ((site->record->unlike & DB_UNLIKE_BEGINNING) != 0 && !site_is_filled_in_package(model, site) &&
        !is_looked_at_unfilled(model, site, frame) && !is_filled_unread(model, site, frame, &changed) &&
        site_read_again(model, site) == 0)
        return true;
    if (!changed.read_before)
        return false;
    value.text = operation_text(model, process, frame, &value.length_bytes);
    model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    return value.text == NULL || code == NULL || !steady_expression(source_code(model, code->file), value);
}
