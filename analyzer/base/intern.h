/* Strings stored once, so that equal strings are equal pointers; and a map from 64-bit keys. */
#ifndef PIEPROF_ANALYZER_INTERN_H
#define PIEPROF_ANALYZER_INTERN_H

#include <stddef.h>
#include <stdint.h>

/* The one copy of these bytes (ended at the first NUL among them). Lives until intern_free_all(). */
const char *intern_bytes(const void *bytes, size_t length_bytes);
const char *intern_string(const char *text);
void intern_free_all(void); /* every interned string ends */

/* Open addressing over up to three words; values are never NULL. A zeroed struct is an empty map. */
struct map_key {
    uint64_t a, b, c;
};

struct map {
    struct map_slot *slots; /* by the key's hash */
    size_t slot_count;
    struct map_entry *entries; /* in the order in which they were put there */
    size_t count, capacity;
};

void *map_get(const struct map *map, struct map_key key);
void map_put(struct map *map, struct map_key key, void *value); /* the key must not be there yet */
void map_free(struct map *map);

/* A well-mixed 64-bit hash of a 64-bit word (splitmix64's finaliser, by Sebastiano Vigna, public domain). */
uint64_t hash_mix(uint64_t word);

#endif
