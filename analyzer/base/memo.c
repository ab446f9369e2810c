#include "base/memo.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/memory.h"

struct memo_entry {
    struct memo_entry *next;
    alignas(max_align_t) unsigned char answer[];
};

void *memo_find(const struct memo *memo, struct map_key key)
{
    struct memo_entry *entry = map_get(&memo->map, key);
    return entry != NULL ? entry->answer : NULL;
}

void *memo_get(struct memo *memo, struct map_key key, size_t size_bytes, bool *is_new)
{
    struct memo_entry *entry = map_get(&memo->map, key);
    *is_new = entry == NULL;
    if (entry == NULL) {
        entry = memory_zeroed(1, sizeof(*entry) + size_bytes);
        entry->next = memo->first;
        memo->first = entry;
        map_put(&memo->map, key, entry);
    }
    return entry->answer;
}

void memo_free(struct memo *memo)
{
    for (struct memo_entry *entry = memo->first, *next; entry != NULL; entry = next) {
        next = entry->next;
        free(entry);
    }
    map_free(&memo->map);
    memo->first = NULL;
}
