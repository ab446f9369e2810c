#include "compare/judge.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct {
    const char *name;
    bool fails;
} judged[JUDGED_COUNT] = {
#define X(name, text, fails) {text, fails},
    JUDGED(X)
#undef X
};

const char *judged_name(enum judged how)
{
    return judged[how].name;
}

bool judged_fails(enum judged how)
{
    return judged[how].fails;
}

void judgement_add(struct judgement *judgement, struct judged_item item, char *what)
{
    judgement->items =
        memory_grow(judgement->items, judgement->item_count, &judgement->item_capacity, sizeof(*judgement->items));
    item.what = intern_string(what);
    free(what);
    judgement->items[judgement->item_count++] = item;
}

void judgement_note(struct judgement *judgement, char *note)
{
    judgement->notes =
        memory_grow(judgement->notes, judgement->note_count, &judgement->note_capacity, sizeof(*judgement->notes));
    judgement->notes[judgement->note_count++] = intern_string(note);
    free(note);
}

static int item_order(const void *left, const void *right)
{
    const struct judged_item *a = left, *b = right;
    if (a->how != b->how)
        return a->how < b->how ? -1 : 1;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight ? -1 : 1;
    int order = strcmp(item_path(a), item_path(b));
    if (order == 0 && a->line != NULL && b->line != NULL)
        order = a->line->number - b->line->number;
    return order != 0 ? order : strcmp(a->kind, b->kind);
}

void judgement_finish(struct judgement *judgement, const struct gate_options *options)
{
    size_t *counts = judgement->counts;
    memset(counts, 0, sizeof(judgement->counts));
    for (size_t i = 0; i < judgement->item_count; i++)
        counts[judgement->items[i].how]++;
    if (judgement->item_count > 0)
        qsort(judgement->items, judgement->item_count, sizeof(*judgement->items), item_order);
    judgement->failed = counts[JUDGED_NEW] > options->new_max;
    for (enum judged how = JUDGED_NEW + 1; how < JUDGED_COUNT; how++)
        judgement->failed = judgement->failed || (judged_fails(how) && counts[how] > 0);
}

void judgement_free(struct judgement *judgement)
{
    free(judgement->items);
    free(judgement->notes);
    *judgement = (struct judgement){0};
}
