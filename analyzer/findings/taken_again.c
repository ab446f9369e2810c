#include "findings/taken_again.h"

#include <ctype.h>

#include "findings/expression.h"
#include "python/carried.h"
#include "python/suite.h"
#include "python/words.h"

static uint32_t frame_of(const struct site *site)
{
    return model_node(site->process, site->record->node)->python;
}

static bool are_of_one_execution(const struct site *first, const struct site *second)
{
    const struct db_node *one = run_record(first->process->run, DB_KIND_NODE, frame_of(first)),
                         *other = run_record(second->process->run, DB_KIND_NODE, frame_of(second));
    return first->process == second->process && one != NULL && other != NULL && one->parent == other->parent &&
           one->value >> 32 == other->value >> 32;
}

static bool is_stored_over(const struct site *site)
{
    return site->record->unlike >> DB_OVERWRITTEN_SHIFT != 0;
}

static bool is_changed(struct word rows, struct word name)
{
    struct carried carried = {.stored = false};
    carried_read(&carried, rows, name);
    return carried.stored || carried.augmented || carried.given;
}

/* Of all names in the text. */
static bool are_changed(struct word rows, struct word text)
{
    for (const char *at = text.text, *end = word_end(text); at < end;) {
        struct word name = word_name_at(at, end);
        if (name.length_bytes > 0 && !isdigit((unsigned char)*name.text) && is_changed(rows, name))
            return true;
        at += name.length_bytes > 0 ? name.length_bytes : 1;
    }
    return false;
}

/* By the statements from that of the first on to that of the second, which itself stores behind both. */
static bool are_changed_between(const struct source *code, struct word first, struct word second)
{
    struct word from, to;
    int32_t row;
    if (!suite_statement_at(code, first.text, &from, &row) || !suite_statement_at(code, second.text, &to, &row))
        return true;
    return to.text > from.text && are_changed((struct word){from.text, (size_t)(to.text - from.text)}, first);
}

static struct word subscript_of(struct model *model, const struct site *site, const struct source **code)
{
    struct word text = {0};
    if (operation_at(model, site->process, frame_of(site)).kind == OPERATION_SUBSCRIPT)
        text.text = operation_code(model, site->process, frame_of(site), &text.length_bytes, code);
    return text;
}

bool site_is_taken_again(struct model *model, const struct site *first, const struct site *second)
{
    const struct source *code = NULL, *second_code = NULL;
    if (!are_of_one_execution(first, second) || is_stored_over(first) || is_stored_over(second))
        return false;
    struct word one = subscript_of(model, first, &code), other = subscript_of(model, second, &second_code);
    return one.text != NULL && other.text != NULL && code == second_code && word_equal(one, other) &&
           word_end(one) <= other.text && !are_changed_between(code, one, other);
}
