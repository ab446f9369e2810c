#include "findings/changes_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/blank.h"
#include "findings/changed_later.h"
#include "findings/filled.h"
#include "findings/finish.h"
#include "findings/sites.h"
#include "findings/statement.h"
#include "findings/ways.h"
#include "python/aliases.h"
#include "python/scope.h"
#include "show/page.h"

/* `beside_s`: what of that the finding's own time holds. */
static char *say_took(double seconds, double beside_s)
{
    char *amount = page_seconds(seconds), *held = page_seconds(beside_s);
    bool holds_all = strcmp(amount, held) == 0;
    char *text = seconds <= 0    ? memory_print("%s", "")
                 : beside_s <= 0 ? memory_print(" and took %s in all", amount)
                 : holds_all     ? memory_print(" and took %s in all (counted above)", amount)
                                 : memory_print(" and took %s in all (%s of it counted above)", amount, held);
    free(amount);
    free(held);
    return text;
}

/* Does the function store into what may be the buffer by another name? */
static bool is_stored_by_another_name(struct model *model, struct process *process, uint32_t frame)
{
    struct code *code = NULL;
    size_t length = 0;
    const char *target = statement_target(model, process, frame, &length);
    struct line_span span = model_position(model, process, run_record(process->run, DB_KIND_NODE, frame), &code);
    if (target == NULL || code == NULL || span.line <= 0)
        return false;
    const struct source *source = source_code(model, code->file);
    return source->text != NULL &&
           aliases_store(source, scope_function(source, span.line), (struct word){target, length});
}

/* What is made of one value and ends as more is stored into, wherever; of what has names that are not followed it is open. */
static const char *say_unseen_changes(struct model *model, const struct site *site)
{
    uint32_t frame = lines_frame_of_leaf(model, site->process, site->record->node);
    bool is_blank = site_is_blank(model, site) == BLANK_YES && !site_is_filled_in_package(model, site);
    if (is_blank && !site_is_constant(site))
        return " What is to be kept is the finished buffer: what stores into it after this line must move along.";
    return statement_gives_otherwise(model, site->process, frame) ||
                   is_stored_by_another_name(model, site->process, frame)
               ? " See that nothing stores into it after this line, or move that along."
               : "";
}

/* A table that is kept has what a pass before has set in it. */
static char *say_columns(const struct model *model, const struct changed *changed)
{
    char *rows = say_rows(model, changed->file, changed->columns, changed->column_count);
    char *text = memory_print(" What %s set%s in it stays there: hand out copies, unless each pass sets it anew.", rows,
                              changed->column_count == 1 ? "s" : "");
    free(rows);
    return text;
}

/* What others do, that have the buffer: seen, or to be looked at. Empty where there is nothing to say. */
static char *say_others_changes(struct model *model, const struct finding *finding, const struct changed *changed,
                                bool copy)
{
    if (changed_later(model, finding->line))
        return memory_print(" It is changed in place after this line, by what it is handed to or by another name: %s.",
                            copy ? "keep the finished buffer" : "keep what this line makes, and hand out copies of it");
    if (changed->handed.length_bytes > 0)
        return say_handed(model, changed);
    if (changed->column_count > 0)
        return say_columns(model, changed);
    return memory_print("%s", say_unseen_changes(model, finding->second));
}

/* Empty where the rest of the function takes nothing worth a word. */
static char *say_around(const struct finding *finding)
{
    if (finding->around_s <= 0)
        return memory_print("%s", "");
    struct word name = word_last_part((struct word){finding->line->function, strlen(finding->line->function)});
    char *function = text_printable(name.text, name.length_bytes), *took = page_seconds(finding->around_s);
    char *text = memory_print(" The rest of %s(), which returns that buffer, took %s (counted above).", function, took);
    free(function);
    free(took);
    return text;
}

char *changes_say(struct model *model, const struct finding *finding, bool copy)
{
    struct changed changed;
    finish_find(model, finding, &changed);
    if (changed.count == 0)
        return say_others_changes(model, finding, &changed, copy);
    char *text = say_rows(model, changed.file, changed.lines, changed.count);
    if (ways_new_on_another(finding->line, finding->second) != NULL) { /* which these lines serve, too */
        char *kept = memory_print(" On that way alone it is kept, with what %s store%s into it.", text,
                                  changed.count == 1 ? "s" : "");
        free(text);
        return kept;
    }
    char *took = say_took(finish_seconds(model, &changed), finding->beside_s - finding->around_s);
    char *around = say_around(finding);
    char *whole =
        memory_print(" What is to be kept is the finished buffer: %s, which store%s into it%s, must move along.%s",
                     text, changed.count == 1 ? "s" : "", took, around);
    free(text);
    free(took);
    free(around);
    return whole;
}
