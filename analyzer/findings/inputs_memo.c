#include "findings/inputs_memo.h"

#include <stdlib.h>

#include "base/memory.h"

struct memo_entry {
    struct carried carried;
    bool changed;
    struct memo_entry *next;
};

static struct memo_entry *entry_of(struct inputs_memo *memo, struct map *map, struct map_key key, bool *is_new)
{
    struct memo_entry *entry = map_get(map, key);
    *is_new = entry == NULL;
    if (entry != NULL)
        return entry;
    entry = memory_zeroed(1, sizeof(*entry));
    entry->next = memo->first;
    memo->first = entry;
    map_put(map, key, entry);
    return entry;
}

static uintptr_t word_of(struct word name)
{
    return (uintptr_t)intern_bytes(name.text, name.length_bytes);
}

const struct carried *inputs_memo_carried(struct inputs_memo *memo, struct word rows, struct word name)
{
    bool is_new = false;
    struct map_key key = {(uintptr_t)rows.text, rows.length_bytes, word_of(name)};
    struct memo_entry *entry = entry_of(memo, &memo->carried, key, &is_new);
    if (is_new)
        carried_read(&entry->carried, rows, name);
    return &entry->carried;
}

bool *inputs_memo_changed(struct inputs_memo *memo, struct word rows, struct word name, uint64_t files, bool *is_new)
{
    struct map_key key = {(uintptr_t)rows.text, hash_mix(rows.length_bytes ^ files), word_of(name)};
    return &entry_of(memo, &memo->changed, key, is_new)->changed;
}

void inputs_memo_free(struct inputs_memo *memo)
{
    for (struct memo_entry *entry = memo->first, *next; entry != NULL; entry = next) {
        next = entry->next;
        free(entry);
    }
    map_free(&memo->carried);
    map_free(&memo->changed);
}
