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

uint64_t hash_mix(uint64_t word)
{
    word += 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static size_t map_slot(const struct map *map, struct map_key key)
{
    size_t mask = map->capacity - 1;
    size_t slot = (size_t)XXH3_64bits(&key, sizeof(key)) & mask;
    while (map->entries[slot].value != NULL && memcmp(&map->entries[slot].key, &key, sizeof(key)) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

void *map_get(const struct map *map, struct map_key key)
{
    return map->capacity > 0 ? map->entries[map_slot(map, key)].value : NULL;
}

static void map_double(struct map *map)
{
    struct map bigger = {.capacity = map->capacity > 0 ? map->capacity * 2 : 64, .count = map->count};
    bigger.entries = memory_zeroed(bigger.capacity, sizeof(*bigger.entries));
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value != NULL)
            bigger.entries[map_slot(&bigger, map->entries[i].key)] = map->entries[i];
    free(map->entries);
    *map = bigger;
}

void map_put(struct map *map, struct map_key key, void *value)
{
    if (map->count * 2 >= map->capacity)
        map_double(map);
    map->entries[map_slot(map, key)] = (struct map_entry){.key = key, .value = value};
    map->count++;
}

void map_free(struct map *map)
{
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
