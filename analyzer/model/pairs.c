/* Pairs of accesses charged to lines and gathered into groups that read as one. The rules are db.h's (struct db_pair). */
#include <stdlib.h>

#include "base/memory.h"
#include "model/balance.h"
#include "model/model.h"

/* One of the two accesses: its context, and what that is charged to. */
struct pair_end {
    const struct node *node;
    struct line *line; /* NULL: no Python line */
    enum phase phase;
};

struct pair_view {
    struct process *process;
    const struct db_pair *record;
    struct pair_end first, second;
    double weight; /* what each of the pairs counts for, beside its scale (balance.h) */
    struct resampled_pairs resampled;
    struct resampled **sums; /* of all resamples; NULL: there are none */
};

/* Does the pair's first access lie in an object of a place that makes workspaces, mostly? */
static bool is_in_workspace(const struct pair_view *view)
{
    const struct db_site *site =
        view->record->site != 0 ? run_record(view->process->run, DB_KIND_SITE, view->record->site) : NULL;
    return site != NULL && site->workspaces > site->looked_at / 2;
}

/*
 * Waste a line of Python could spare: between native calls (within one, only the library could). Not zeros stored over zeros: buffers that
 * are mostly zero (one-hot rows, rectified values, gradients of rows that no batch had) are so again when all else is new. In recycled memory
 * neither a redundant store (a fresh buffer's content is undefined, whatever it happens to hold) nor one that is dead in a
 * workspace: what a library leaves behind there is its own, and only where a later call gets the same memory does it meet one.
 */
static bool is_needless(enum share_kind kind, const struct pair_view *view)
{
    bool zeros = kind == SHARE_STORES && (view->record->flags & DB_PAIR_ZERO) != 0;
    if (view->record->scope != DB_SCOPE_ACROSS || zeros)
        return false;
    return view->record->relation != DB_RELATION_RECYCLED || (kind == SHARE_DEAD && !is_in_workspace(view));
}

static void weights_add(struct weights *weights, const struct pair_view *view, bool wasted)
{
    const double scale = view->weight * (double)view->record->scale;
    const double squares = view->weight * view->weight * (double)view->record->scale_squares;
    if (view->sums != NULL) /* before the sums: it keeps what they were */
        resample_add(view->sums, weights, &view->resampled, wasted);
    weights->all += scale;
    weights->squares += squares;
    weights->wasted += wasted ? scale : 0;
    weights->wasted_squares += wasted ? squares : 0;
}

/* Of one watch only the first pair says what became of the sampled access. */
static bool is_sampled(enum share_kind kind, const struct db_pair *record)
{
    return kind == SHARE_STORES ? record->second_access == DB_ACCESS_NONE : (record->flags & DB_PAIR_FIRST) != 0;
}

/*
 * What part of a line's stores is redundant the sampled stores alone say; where the value came from, the pairs whose second
 * access the line's store is.
 */
static void share_add(struct share *share, enum share_kind kind, const struct pair_view *view, bool wasted)
{
    const struct db_pair *record = view->record;
    const double scale = view->weight * (double)record->scale;
    if (is_sampled(kind, record)) {
        weights_add(&share->weights, view, wasted);
        share->pairs += record->count;
        share->unproved += record->flags & DB_PAIR_UNPROVED ? record->count : 0;
        share->wasted += wasted ? record->count : 0;
        share->zero += wasted && (record->flags & DB_PAIR_ZERO) ? record->count : 0;
    }
    if (record->second_access == DB_ACCESS_NONE)
        return;
    share->paired += wasted ? scale : 0;
    share->paired_count += wasted ? record->count : 0;
    share->needless += wasted && is_needless(kind, view) ? scale : 0;
    share->recycled += wasted && record->relation == DB_RELATION_RECYCLED ? record->count : 0;
    if (record->scope == DB_SCOPE_ACROSS) {
        share->across_pairs += record->count;
        share->across_wasted += wasted ? record->count : 0;
        weights_add(&share->across_weights, view, wasted);
    }
}

static void charge(struct model *model, const struct pair_end *end, enum share_kind kind, const struct pair_view *view,
                   bool wasted)
{
    if (!node_counts(model, view->process, end->node))
        return;
    share_add(&model->totals.shares[kind], kind, view, wasted);
    if (end->line != NULL)
        share_add(&end->line->shares[kind], kind, view, wasted);
}

static void group_add(struct model *model, const struct pair_view *view, enum share_kind kind)
{
    const struct db_pair *record = view->record;
    const struct pair_end *charged = kind == SHARE_DEAD ? &view->first : &view->second;
    uint64_t verdict =
        (uint64_t)charged->phase << 24 | (uint64_t)kind << 16 | (uint64_t)record->scope << 8 | record->relation;
    struct map_key key = {(uintptr_t)view->first.line, (uintptr_t)view->second.line, verdict};
    if (!node_counts(model, view->process, charged->node))
        return;
    struct pair_group *group = map_get(&model->pair_map, key);
    if (group == NULL) {
        group = memory_zeroed(1, sizeof(*group));
        *group =
            (struct pair_group){.first = view->first.line, .second = view->second.line, .kind = kind, .wasted = true};
        group->scope = record->scope;
        group->relation = record->relation;
        group->phase = charged->phase;
        map_put(&model->pair_map, key, group);
        model->pairs = memory_grow(model->pairs, model->pair_count, &model->pair_capacity, sizeof(struct pair_group *));
        model->pairs[model->pair_count++] = group;
    }
    if (group->example == NULL || record->count > group->example->count) {
        group->example = record;
        group->process = view->process;
    }
    group->count += record->count;
    group->unproved += record->flags & DB_PAIR_UNPROVED ? record->count : 0;
    group->zero += record->flags & DB_PAIR_ZERO ? record->count : 0;
    group->weight_ns += record->weight_ns;
}

/* Does the pair tell whether its store was dead? Not where the bytes could have been read unseen in between. */
static bool is_decided(const struct db_pair *record)
{
    bool unseen = (record->flags & DB_PAIR_SLEPT) && !(record->flags & DB_PAIR_USED);
    return !(record->flags & DB_PAIR_UNPROVED) && !unseen;
}

/*
 * Pairs that say nothing widen the share's interval. Left out they would make it wrong: the later the second access, the likelier
 * it is that a store's is undecided; and a value that changed behind a load is no longer there for the next.
 */
static void undecided_add(struct share *share, enum share_kind kind, const struct pair_view *view)
{
    const struct db_pair *record = view->record;
    const double scale = view->weight * (double)record->scale;
    bool sampled = is_sampled(kind, record);
    share->unproved += sampled ? record->count : 0;
    share->undecided += sampled ? record->count : 0;
    share->weights.undecided += sampled ? scale : 0;
    share->across_weights.undecided += record->scope == DB_SCOPE_ACROSS ? scale : 0;
}

static void charge_undecided(struct model *model, const struct pair_end *end, enum share_kind kind,
                             const struct pair_view *view)
{
    if (!node_counts(model, view->process, end->node))
        return;
    undecided_add(&model->totals.shares[kind], kind, view);
    if (end->line != NULL)
        undecided_add(&end->line->shares[kind], kind, view);
}

/*
 * Values compare whoever touched the bytes between; that nobody read them is known only where all accesses were seen: no
 * other thread ran, and the watch never slept.
 */
static void charge_store(struct model *model, const struct pair_view *view)
{
    const struct db_pair *record = view->record;
    if (record->second_access == DB_ACCESS_NONE) {
        charge(model, &view->first, SHARE_STORES, view, record->flags & DB_PAIR_SAME_VALUE);
        return;
    }
    bool decided = is_decided(record);
    bool overwritten = record->second_access == DB_ACCESS_STORE;
    bool redundant = overwritten && (record->flags & DB_PAIR_SAME_VALUE);
    bool dead = overwritten && decided && !(record->flags & DB_PAIR_USED);
    if (overwritten)
        charge(model, &view->second, SHARE_STORES, view, redundant);
    if (decided)
        charge(model, &view->first, SHARE_DEAD, view, dead);
    else
        charge_undecided(model, &view->first, SHARE_DEAD, view);
    if (redundant)
        group_add(model, view, SHARE_STORES);
    if (dead)
        group_add(model, view, SHARE_DEAD);
}

static void charge_load(struct model *model, const struct pair_view *view)
{
    bool redundant = view->record->flags & DB_PAIR_SAME_VALUE;
    if (view->record->flags & DB_PAIR_UNSEEN) {
        charge_undecided(model, &view->second, SHARE_LOADS, view);
        return;
    }
    charge(model, &view->second, SHARE_LOADS, view, redundant);
    if (redundant)
        group_add(model, view, SHARE_LOADS);
}

/* Of no share: says only what followed what (balance.h). */
static bool is_link(const struct db_pair *record)
{
    return record->first_access == DB_ACCESS_LOAD && record->second_access == DB_ACCESS_STORE;
}

static struct pair_end end_of(struct model *model, struct process *process, uint32_t node_id, const struct node *node)
{
    struct pair_end end = {node, lines_of_leaf(model, process, node_id), node_phase(process, node)};
    if (end.line != NULL)
        end.line->phases |= 1u << end.phase;
    return end;
}

static void charge_process(struct model *model, struct process *process)
{
    const struct run_table *table = &process->run->tables[DB_KIND_PAIR];
    struct run_cursor cursor = {0};
    struct balance *balance = balance_make(model, process);
    struct resampled *sums = NULL;
    const bool is_resampled = balance_is_resampled(balance);
    for (const struct db_pair *record; (record = run_next(table, &cursor)) != NULL;) {
        struct pair_view view = {.process = process, .record = record, .sums = is_resampled ? &sums : NULL};
        const struct node *first = model_node(process, record->first_node),
                          *second = model_node(process, record->second_node);
        if (first == NULL || second == NULL || first->in_import || second->in_import || is_link(record))
            continue;
        if (record->address_class != DB_CLASS_OBJECT) {
            model->totals.other_pairs += node_counts(model, process, second) ? record->count : 0;
            continue;
        }
        view.first = end_of(model, process, record->first_node, first);
        view.second = end_of(model, process, record->second_node, second);
        view.weight = balance_weight(balance, model, process, record);
        if (is_resampled)
            view.resampled =
                resample_pairs(record, cursor.id, balance_resampled_weights(balance, model, process, record));
        if (record->first_access == DB_ACCESS_STORE)
            charge_store(model, &view);
        else
            charge_load(model, &view);
    }
    resample_settle(sums);
    balance_free(balance);
}

/* Stores before loads, across calls before within, then by weight: what points at a fix comes first. */
static unsigned group_class(const struct pair_group *group)
{
    return (group->kind == SHARE_LOADS ? 2u : 0u) + (group->scope == DB_SCOPE_ACROSS ? 0u : 1u);
}

static int group_order(const void *left, const void *right)
{
    const struct pair_group *a = *(struct pair_group *const *)left, *b = *(struct pair_group *const *)right;
    if (group_class(a) != group_class(b))
        return group_class(a) < group_class(b) ? -1 : 1;
    if (a->weight_ns != b->weight_ns)
        return a->weight_ns > b->weight_ns ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->example < b->example ? -1 : a->example > b->example;
}

void pairs_charge(struct model *model)
{
    for (size_t i = 0; i < model->process_count; i++)
        charge_process(model, &model->processes[i]);
    if (model->pair_count > 0)
        qsort(model->pairs, model->pair_count, sizeof(struct pair_group *), group_order);
}

void pairs_free(struct model *model)
{
    for (size_t i = 0; i < model->pair_count; i++)
        free(model->pairs[i]);
    free(model->pairs);
    map_free(&model->pair_map);
    model->pairs = NULL;
    model->pair_count = model->pair_capacity = 0;
}
