/*
 * Address to object, readable in a handler without a lock. An object is a heap buffer of at least the threshold that
 * native code allocated (the interpreter's own from 64 KiB up). Its size is what malloc_usable_size() says.
 *
 * Layout: objects of sizes [2^k, 2^(k+1)) are filed under (k, start >> k). Two of them cannot start in one such window
 * (they would overlap), so a bucket entry is unique, birth and death are O(1), and a look-up of an inner address
 * probes three windows per size class.
 */
#ifndef PIEPROF_PRELOAD_OBJECT_MAP_H
#define PIEPROF_PRELOAD_OBJECT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pieprof/db.h"

#define OBJECT_MIN_BYTES DB_OBJECT_MIN_BYTES /* config.object_min_bytes is as large or larger */
#define OBJECT_INTERPRETER_MIN_BYTES 65536u

/* Where an object came from, as the replica engine keeps it. All zeros: nothing is known. */
struct object_origin {
    uint32_t site;       /* number of its site, 0: none */
    uint32_t birth;      /* ordinal among its site's births, from 1 */
    uint64_t generation; /* of the innermost Python frame at its birth, and that frame's depth */
    uint64_t marks;      /* of its content at birth */
    uint32_t epoch;      /* sites from before a fork are the parent's */
    uint16_t depth;
    union {
        struct {
            bool has_marks : 1;
            bool is_defined : 1;    /* its content, from the start: leftovers are none */
            bool is_looked_at : 1;  /* its content is examined at its end */
            bool is_primer : 1;     /* only for others to be compared with */
            bool is_far : 1;        /* asked at its end by the far history */
            bool is_counted : 1;    /* among the live ones (lifetime.h) */
            bool is_fresh : 1;      /* pages of it were not there at birth (pages.h) */
            bool is_asked : 1;      /* whether it is changed after its call (aftermath.h) */
            bool is_glanced_at : 1; /* a primer that is only compared */
        };
        uint16_t flags;
    };
    uint32_t born_tick;   /* of lifetime.c's clock */
    uint32_t slack_bytes; /* that it has beyond what was asked for */
};

struct object {
    uintptr_t start;
    size_t size_bytes;
    uint64_t serial;             /* birth order in this process, never reused */
    struct object_origin origin; /* object_map_find() fills its site and epoch alone */
};

bool object_map_start(void);
void object_map_reset_child(void);

/* Asks the caches for where an object that starts there would be filed. */
void object_map_prefetch(uintptr_t start, size_t size_bytes);

/* Outside handlers or in them; lock-free. A full table is counted (OBJECT_TABLE_FULL), and then false. */
void object_map_birth(uintptr_t start, size_t size_bytes);
bool object_map_birth_of(struct object *object); /* gives it its serial */
/* A birth that is counted, with a serial of its own, and not filed. */
void object_map_count(void);
/* False when no object starts there. */
bool object_map_death(uintptr_t start, size_t usable_bytes);

/* As object_map_death(), and says what it was; object_map_restore() puts the same one back. For realloc. */
bool object_map_take(uintptr_t start, size_t usable_bytes, struct object *object);
bool object_map_restore(const struct object *object);

/* The serial of the last birth. */
uint64_t object_map_last_serial(void);

/*
 * Calls `visit` with each live object, in no order; objects that come or go meanwhile are seen or not. Outside handlers.
 */
void object_map_visit(void (*visit)(const struct object *object, void *state), void *state);

/* The live object that holds `address`. Signal-safe. */
bool object_map_find(uintptr_t address, struct object *object);
/* The same; all zeros when no object holds it. */
static inline struct object object_map_at(uintptr_t address)
{
    struct object object = {0};
    return object_map_find(address, &object) ? object : (struct object){0};
}

/* Class of an address (enum db_class). Signal-safe. `stack_pointer` is the interrupted thread's. */
uint32_t object_map_class(uintptr_t address, uintptr_t stack_pointer);

#endif
