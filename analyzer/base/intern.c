#include "base/intern.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"

struct map_entry {
    struct map_key key;
    void *value;
};

/* Apart from the entries: what a look at a full table touches stays small. */
struct map_slot {
    uint32_t hash, entry; /* the entry's number, from 1; 0: none */
};

uint64_t hash_mix(uint64_t word)
{
    word += 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static uint32_t map_hash(struct map_key key)
{
    return (uint32_t)XXH3_64bits(&key, sizeof(key));
}

/* Where the key's entry is told, or would be. */
static struct map_slot *map_find(const struct map *map, struct map_key key, uint32_t hash)
{
    size_t mask = map->slot_count - 1, i = hash & mask;
    for (; map->slots[i].entry != 0; i = (i + 1) & mask)
        if (map->slots[i].hash == hash && memcmp(&map->entries[map->slots[i].entry - 1].key, &key, sizeof(key)) == 0)
            break;
    return &map->slots[i];
}

void *map_get(const struct map *map, struct map_key key)
{
    const struct map_slot *slot = map->slot_count > 0 ? map_find(map, key, map_hash(key)) : NULL;
    return slot != NULL && slot->entry != 0 ? map->entries[slot->entry - 1].value : NULL;
}

static void map_double(struct map *map)
{
    size_t slot_count = map->slot_count > 0 ? map->slot_count * 2 : 64, mask = slot_count - 1;
    struct map_slot *slots = memory_zeroed(slot_count, sizeof(*slots));
    for (size_t i = 0; i < map->slot_count; i++) {
        size_t to = map->slots[i].hash & mask;
        while (map->slots[i].entry != 0 && slots[to].entry != 0)
            to = (to + 1) & mask;
        if (map->slots[i].entry != 0)
            slots[to] = map->slots[i];
    }
    free(map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
}

void map_put(struct map *map, struct map_key key, void *value)
{
    uint32_t hash = map_hash(key);
    if (map->count * 2 >= map->slot_count)
        map_double(map);
    map->entries = memory_grow(map->entries, map->count, &map->capacity, sizeof(*map->entries));
    map->entries[map->count++] = (struct map_entry){.key = key, .value = value};
    *map_find(map, key, hash) = (struct map_slot){.hash = hash, .entry = (uint32_t)map->count};
}

void map_free(struct map *map)
{
    free(map->slots);
    free(map->entries);
    *map = (struct map){0};
}

static struct {
    const char **texts;
    size_t capacity, count;
} pool;

static size_t pool_slot(const char *text, size_t length)
{
    size_t slot = (size_t)XXH3_64bits(text, length) & (pool.capacity - 1);
    while (pool.texts[slot] != NULL &&
           (strncmp(pool.texts[slot], text, length) != 0 || pool.texts[slot][length] != '\0'))
        slot = (slot + 1) & (pool.capacity - 1);
    return slot;
}

static void pool_double(void)
{
    const char **old = pool.texts;
    size_t old_capacity = pool.capacity;
    pool.capacity = old_capacity > 0 ? old_capacity * 2 : 1024;
    pool.texts = memory_zeroed(pool.capacity, sizeof(*pool.texts));
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != NULL)
            pool.texts[pool_slot(old[i], strlen(old[i]))] = old[i];
    free(old);
}

const char *intern_bytes(const void *bytes, size_t length_bytes)
{
    size_t length = bytes != NULL ? strnlen(bytes, length_bytes) : 0;
    if (pool.count * 2 >= pool.capacity)
        pool_double();
    size_t slot = pool_slot(bytes != NULL ? bytes : "", length);
    if (pool.texts[slot] == NULL) {
        char *copy = memory_zeroed(length + 1, 1);
        if (length > 0)
            memcpy(copy, bytes, length);
        pool.texts[slot] = copy;
        pool.count++;
    }
    return pool.texts[slot];
}

const char *intern_string(const char *text)
{
    return intern_bytes(text, strlen(text));
}

void intern_free_all(void)
{
    for (size_t i = 0; i < pool.capacity; i++)
        free((char *)(uintptr_t)pool.texts[i]);
    free(pool.texts);
    memset(&pool, 0, sizeof(pool));
}
