/*
 * One and more runs a side. Exact counts of a program that computes the same are the same in each; where data or seed make them
 * differ, only what fails in every run, against every baseline, is the code's. Sampled shares are added up: more runs see more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/judge.h"

/* What fails in one pair of runs. Interned strings. */
struct seen {
    const char *path, *kind, *what;
    int32_t number;
    enum judged how;
    double weight;
    size_t pairs; /* in how many it was */
};

struct seen_list {
    struct seen *all;
    size_t count, capacity;
};

static bool is_counted(const struct judged_item *item)
{
    if (item->how == JUDGED_SHARE || !judged_fails(item->how))
        return false;
    return item->finding == NULL || !kind_is_measured(item->finding->kind);
}

static struct seen *find_seen(const struct seen_list *list, const struct judged_item *item)
{
    int32_t number = item->line != NULL ? item->line->number : 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->all[i].number == number && strcmp(list->all[i].path, item_path(item)) == 0 &&
            strcmp(list->all[i].kind, item->kind) == 0)
            return &list->all[i];
    return NULL;
}

/* Of what fails in several pairs, the least is kept. */
static void note_seen(struct seen_list *list, const struct judged_item *item)
{
    struct seen *seen = find_seen(list, item);
    if (seen == NULL) {
        list->all = memory_grow(list->all, list->count, &list->capacity, sizeof(*list->all));
        seen = &list->all[list->count++];
        *seen = (struct seen){.path = item_path(item), .kind = item->kind, .weight = item->weight + 1};
        seen->number = item->line != NULL ? item->line->number : 0;
    }
    seen->pairs++;
    if (item->weight >= seen->weight)
        return;
    seen->weight = item->weight;
    seen->what = item->what;
    seen->how = item->how;
}

/* A profile of no baseline: counts decide alone. */
static const struct profile *base_at(const struct side *base, size_t index)
{
    return base->count > 0 ? &base->profiles[index] : NULL;
}

static void see_pair(struct seen_list *list, const struct profile *now, const struct profile *base,
                     const struct gate_options *options)
{
    struct match match = {0};
    struct judgement judgement;
    if (base != NULL)
        match_make(&match, base, now);
    judge(&judgement, now, base, base != NULL ? &match : NULL, options);
    for (size_t i = 0; i < judgement.item_count; i++)
        if (is_counted(&judgement.items[i]))
            note_seen(list, &judgement.items[i]);
    judgement_free(&judgement);
    match_free(&match);
}

static bool is_share_limit(const struct judged_item *item)
{
    return item->how == JUDGED_LIMIT && (strcmp(item->kind, gate_metric_name(GATE_DEAD_STORES)) == 0 ||
                                         strcmp(item->kind, gate_metric_name(GATE_REDUNDANT_STORES)) == 0);
}

static void keep_least(struct judged_item *item, const struct seen *seen, size_t pairs)
{
    size_t in = 1 + (seen != NULL ? seen->pairs : 0); /* the pair that the item is of, and the others */
    if (in < pairs) {
        char *what =
            memory_print("Fails in %zu of %zu comparisons of a run with a baseline only. %s", in, pairs, item->what);
        item->how = JUDGED_VARIES;
        item->what = intern_string(what);
        free(what);
    } else if (seen != NULL && seen->weight < item->weight) {
        item->weight = seen->weight;
        item->what = seen->what;
        item->how = seen->how;
    }
}

void judge_sides(struct judgement *judgement, struct match *match, struct side *now, struct side *base,
                 const struct gate_options *options)
{
    struct seen_list list = {0};
    size_t bases = base->count > 0 ? base->count : 1, pairs = now->count * bases;
    for (size_t i = 1; i < pairs; i++)
        see_pair(&list, &now->profiles[i / bases], base_at(base, i % bases), options);
    for (size_t i = 1; i < now->count; i++)
        profile_pool(&now->profiles[0], &now->profiles[i]);
    for (size_t i = 1; i < base->count; i++)
        profile_pool(&base->profiles[0], &base->profiles[i]);
    const struct profile *first = base_at(base, 0);
    *match = (struct match){0};
    if (first != NULL)
        match_make(match, first, &now->profiles[0]);
    judge(judgement, &now->profiles[0], first, first != NULL ? match : NULL, options);
    for (size_t i = 0; i < judgement->item_count; i++)
        if (is_counted(&judgement->items[i]) && !is_share_limit(&judgement->items[i]))
            keep_least(&judgement->items[i], find_seen(&list, &judgement->items[i]), pairs);
    judgement_finish(judgement, options);
    free(list.all);
}
