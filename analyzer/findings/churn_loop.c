#include "findings/churn_loop.h"

#include <string.h>

#include "findings/expression.h"
#include "findings/sites.h"
#include "findings/statement.h"
#include "model/source.h"
#include "python/words.h"

#define FRAMES_MAX 200
#define PASSES_OF 2u /* a loop that makes fewer than so many times what it needs at once would win less than half */

static uint32_t frame_of(const struct site *site)
{
    return model_node(site->process, site->record->node)->python;
}

static const struct db_node *python_record(const struct process *process, uint32_t node_id)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, node_id);
    return record != NULL && record->frame == DB_FRAME_PYTHON ? record : NULL;
}

static uint32_t caller_of(const struct process *process, const struct db_node *record)
{
    const struct node *caller = model_node(process, record->parent);
    return caller != NULL ? caller->python : 0;
}

/* Of the Python frames that called it: equal on the same way. */
static uint64_t way_to(const struct process *process, const struct db_node *record)
{
    const struct node *caller = model_node(process, record->parent);
    return caller != NULL ? caller->way : 0;
}

/* Of the sizes that the instruction makes about as often as the site's, or oftener: how many; CHURN_ALIVE_MAX + 1 for more. */
static size_t sizes_of(const struct site *site)
{
    uint64_t sizes[CHURN_ALIVE_MAX + 1] = {site->record->size_bytes};
    size_t count = 1;
    for (const struct site *other = site->place->sites; other != NULL && count <= CHURN_ALIVE_MAX;
         other = other->next) {
        bool known = site_results(other) * 2 < site->record->births; /* no library's workspaces */
        for (size_t i = 0; i < count && !known; i++)
            known = sizes[i] == other->record->size_bytes;
        if (!known)
            sizes[count++] = other->record->size_bytes;
    }
    return count;
}

/* The last part of a qualified name: "fit" of "Model.fit". */
static bool is_call_of(struct model *model, struct process *process, uint32_t frame, const struct code *code)
{
    const char *dot = strrchr(code->function, '.');
    struct operation operation = operation_at(model, process, frame);
    return operation.kind == OPERATION_CALL && operation_is_named(&operation, dot != NULL ? dot + 1 : code->function);
}

/*
 * Is the frame's function called once on this way? From the program's top on each function calls the next by its name, in no loop and no
 * comprehension. What is called by a package, by map() or by a decorator may be called often.
 */
static bool runs_once(struct model *model, struct process *process, uint32_t frame)
{
    for (unsigned i = 0; i < FRAMES_MAX; i++) {
        struct code *code = NULL;
        struct loop_body body;
        const struct db_node *record = python_record(process, frame);
        if (record == NULL)
            return false;
        model_position(model, process, record, &code);
        if (code == NULL || code->owner != OWNER_USER)
            return false;
        if (strcmp(code->function, "<module>") == 0)
            return true;
        frame = caller_of(process, record);
        if (!is_call_of(model, process, frame, code) || loop_is_comprehension(model, process, frame) ||
            loop_of_frame(model, process, frame, &body))
            return false;
    }
    return false;
}

/* Does the other frame stand in the same function as `record`, called on the same way, in no loop that does not go around `line` too? */
static bool stands_around(struct model *model, struct process *process, const struct db_node *record, int32_t line,
                          uint32_t other)
{
    struct loop_body body;
    const struct db_node *record_of_other = python_record(process, other);
    if (record_of_other == NULL || record_of_other->value >> 32 != record->value >> 32 ||
        way_to(process, record_of_other) != way_to(process, record) || loop_is_comprehension(model, process, other))
        return false;
    return !loop_of_frame(model, process, other, &body) || (body.first < line && line <= body.last);
}

/* The most objects of one size that one instruction around `line` made: so often at least the line was come to, or passed by. */
static uint64_t most_made_around(struct model *model, struct process *process, const struct db_node *record,
                                 int32_t line)
{
    uint64_t most = 0;
    size_t count = run_capacity(&process->run->tables[DB_KIND_SITE]);
    for (size_t i = 0; i < count; i++) {
        const struct site *site = &process->sites[i];
        if (site->record != NULL && site->record->births > most &&
            stands_around(model, process, record, line, site->python))
            most = site->record->births;
    }
    return most;
}

/*
 * Passes of what goes around the loop, at least, as seen by what else is made there: in its own function, and in those that called it, up
 * to the first whose call stands in a loop.
 */
static uint64_t passes_around(struct model *model, struct process *process, uint32_t frame, const struct loop_body *own)
{
    const struct db_node *record = python_record(process, frame);
    uint64_t most = most_made_around(model, process, record, own->first);
    for (unsigned i = 0; i < FRAMES_MAX; i++) {
        struct code *code;
        struct loop_body body;
        frame = caller_of(process, record);
        record = python_record(process, frame);
        if (record == NULL)
            break;
        uint64_t made = most_made_around(model, process, record, model_position(model, process, record, &code).line);
        most = made > most ? made : most;
        if (loop_of_frame(model, process, frame, &body))
            break;
    }
    return most;
}

/* How many statements of the loop give the name a value, or take it back. */
static size_t givings_of(const struct source *code, const struct loop_body *body, struct word name)
{
    size_t count = 0, length = 0;
    for (int32_t i = body->first; i <= body->last; i++) {
        const char *line = source_line(code, i, &length);
        struct word rest = {line, line != NULL ? length : 0}, statement;
        while (word_next_statement(&rest, &statement)) {
            statement = word_trimmed(statement.text, word_end(statement));
            bool deletes = statement.length_bytes > 4 && memcmp(statement.text, "del ", 4) == 0;
            count += word_gives(statement, name) || (deletes && word_mentions(statement, name) > 0);
        }
    }
    return count;
}

/*
 * Does the loop end before it makes the size a second time? A local name keeps what one pass makes until the next has made the same: two
 * would be alive then.
 */
static bool ends_at_once(struct model *model, const struct site *site, const struct loop_body *own)
{
    struct word name = {0};
    name.text = statement_target(model, site->process, frame_of(site), &name.length_bytes);
    return site->record->most_alive == 1 && name.text != NULL && memchr(name.text, '.', name.length_bytes) == NULL &&
           givings_of(source_code(model, own->code->file), own, name) == 1;
}

/* Is hardly more than what it needs at once made in each of its passes from end to end, as far as these are seen? */
static bool wins_little(struct model *model, const struct site *site, const struct loop_body *own)
{
    uint64_t births = 0, passes = passes_around(model, site->process, frame_of(site), own);
    for (const struct site *other = site->place->sites; other != NULL; other = other->next)
        births += other->record->size_bytes == site->record->size_bytes ? other->record->births : 0;
    return (double)births < (double)PASSES_OF * (double)passes * (double)site->record->most_alive;
}

/*
 * The loop of one in whose function the line stands. A caller's may run to its end in each of the calls ("for layer in layers"): of those
 * around the function the outermost is sure.
 */
static struct loop loop_beyond(struct model *model, const struct site *site, const struct loop_body *own)
{
    struct process *process = site->process;
    uint32_t node = site->record->node;
    struct loop nearest = loop_around(model, process, node, false), outermost = loop_outermost(model, process, node);
    bool is_last = loop_is(nearest, outermost);
    bool each_pass = site->record->most_alive > 2; /* of the nearest loop: the one around it is meant */
    if (is_last && runs_once(model, process, frame_of(site)))
        return nearest;
    bool further = sizes_of(site) > 1 || ends_at_once(model, site, own);
    if (is_last && (further || each_pass || wins_little(model, site, own)))
        return (struct loop){0};
    if (further || (!each_pass && wins_little(model, site, own)))
        return outermost;
    return loop_around(model, process, node, each_pass);
}

struct churn_loop churn_loop_of(struct model *model, const struct site *site)
{
    struct process *process = site->process;
    uint32_t frame = frame_of(site);
    struct loop_body own;
    size_t sizes = sizes_of(site);
    struct churn_loop found = {.each_size = sizes > 1 && sizes <= CHURN_ALIVE_MAX};
    if (!loop_of_frame(model, process, frame, &own)) {
        found.loop = loop_outermost(model, process, site->record->node);
        return found;
    }
    found.loop = loop_beyond(model, site, &own);
    struct loop of_callers = loop_outermost(model, process, caller_of(process, python_record(process, frame)));
    found.handed = found.loop.file != NULL && loop_is(found.loop, of_callers);
    return found;
}
