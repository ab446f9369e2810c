/*
 * The Python stack of a thread as its objects see it: refreshed at each birth and death, it knows which frames have stood
 * at the same instruction ever since. A frame that was never seen elsewhere is still in the same native call.
 */
#ifndef PIEPROF_PRELOAD_CALL_STACK_H
#define PIEPROF_PRELOAD_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stack/context.h"
#include "stack/python.h"

#define CALL_STACK_EQUALS_MAX 16u
#define CALL_STACK_PLACES 256u
#define CALL_STACK_COUNTED 2048u
#define CALL_STACK_COUNTED_WAYS 4u
#define CALL_STACK_ASKED_MAX 16u
#define CALL_STACK_ENDED_MAX 16u

struct call_stack_place;

struct call_stack_level {
    uint64_t hash;                  /* over this frame's code and offset and all outer ones */
    uint64_t own_hash;              /* over this frame's code and offset alone: means the same in a forked child */
    uint64_t mark;                  /* of the code: others may take its address */
    uint64_t generation;            /* unique in the process; new whenever the frame is seen at another instruction */
    int32_t offset;                 /* bytes into the bytecode */
    struct call_stack_place *place; /* where it may be remembered; it is if the hashes agree */
};

/* Allocations of one execution of the innermost frame's instruction, to number equal ones. */
struct call_stack_execution {
    uint64_t generation;
    uint32_t count;
    struct {
        uint64_t size_bytes;
        uint64_t place;
    } births[CALL_STACK_EQUALS_MAX];
};

/*
 * A place where a frame stood before, under the same frames: a loop comes back to it, and need not have it resolved
 * again. All are forgotten when a code object dies, for another may take its address.
 */
struct call_stack_place {
    _Alignas(64) struct python_link link;
    uint64_t outer;                /* hash of the frame outside; 0: unused */
    uint64_t hash, own_hash, mark; /* as in the level */
    int32_t offset;                /* as in the level */
    uint32_t newest;               /* of `made` */
    /* The next cache line. */
    struct {
        uint64_t size_bytes;
        uint32_t ordinal;
        uint32_t site; /* its number; 0: none */
    } made[2];         /* what was last allocated there: an operation often makes a workspace and its result by turns */
};

_Static_assert(sizeof(struct call_stack_place) == 128, "two cache lines");

/*
 * Executions of instructions, each on one way to it, that made something: those whose hashes share a cache line, the newest first. By
 * hashes that are alike in every run, so that what is forgotten for another's sake is, too; places go by addresses.
 */
struct call_stack_counted {
    _Alignas(64) struct {
        uint64_t hash; /* of the innermost level */
        uint32_t executions;
    } ways[CALL_STACK_COUNTED_WAYS];
};

_Static_assert(sizeof(struct call_stack_counted) == 64, "a cache line");

/* Where a frame stands; all zeros: nowhere any more. */
struct call_stack_stand {
    uintptr_t instruction;
    int32_t offset; /* bytes into the bytecode */
    bool calls;     /* Python code that it called runs */
};

/* What an object held when it was first looked at, and where the outermost frame that had moved stood then. */
struct call_stack_beginning {
    uint64_t digest;
    uintptr_t instruction;
    uint32_t held;
};

/* An object of the thread that was asked, and has ended. */
struct call_stack_ended {
    uint32_t site;
    uint64_t digest; /* of its content then */
    struct call_stack_beginning beginning;
};

/* An object of the thread that is asked whether it is changed after the call that made it (aftermath.h). */
struct call_stack_asked {
    uint32_t site, birth; /* as in its origin */
    uintptr_t start;
    uint64_t size_bytes;
    uint64_t generation;           /* of the innermost frame at its birth */
    uint64_t serial;               /* in the object map; 0: not looked at as yet */
    uint64_t digest;               /* of its content as last looked at */
    uint32_t depth;                /* frames at its birth... */
    uint32_t held;                 /* ... and those, from the outermost in, that had not moved by the last look */
    struct call_stack_stand stand; /* then, of the outermost of the others */
    uint32_t births;               /* on this thread, since its own */
    uint32_t changed_beyond;       /* as in db_site */
    int32_t changed_offset;
    uint32_t looks;
    bool is_overwritten; /* by another's content, of which is told since then */
    struct call_stack_beginning beginning;
};

struct call_stack {
    /* What each birth needs comes first: most of it is in one cache line, with the first of the execution's births. */
    pid_t tid; /* whose it is: structs are handed on from thread to thread */
    uint32_t asked_count;
    uint64_t generations;
    uint64_t deaths; /* of code objects, when the levels were looked at */
    size_t depth;
    struct call_stack_execution execution;
    struct call_stack_asked asked[CALL_STACK_ASKED_MAX];
    uint32_t ended_count; /* so far, the last of which are kept */
    struct call_stack_ended ended[CALL_STACK_ENDED_MAX];
    struct call_stack_place places[CALL_STACK_PLACES];
    struct call_stack_counted counted[CALL_STACK_COUNTED];
    struct call_stack_level levels[PYTHON_DEPTH_MAX]; /* outermost first */
    struct python_link held[PYTHON_DEPTH_MAX];        /* of the levels; outermost last, and at the end */
    struct python_link links[PYTHON_DEPTH_MAX];       /* of the last walk, leaf first */
    struct context_scratch
        scratch; /* for contexts captured outside handlers: the thread's own may be in use by a search */
};

/*
 * Asks the caches for what a birth on this thread will read of it: when the program makes a buffer, its own data have taken
 * them. Anywhere.
 */
static inline void call_stack_prefetch(const struct call_stack *stack)
{
    const size_t line_bytes = 64;
    if (stack == NULL)
        return;
    __builtin_prefetch(stack);
    __builtin_prefetch(stack->links, 1);
    for (size_t i = 1; i <= 2; i++) {
        __builtin_prefetch((const char *)stack->levels + (i - 1) * line_bytes);
        __builtin_prefetch((const char *)(stack->held + PYTHON_DEPTH_MAX) - i * line_bytes);
    }
}

/* The calling thread's, refreshed; NULL when it has no Python frames, was not set up, or there is no memory. Behind the
 * gate, outside handlers. */
struct call_stack *call_stack_refresh(void);

static inline const struct call_stack_level *call_stack_innermost(const struct call_stack *stack)
{
    return &stack->levels[stack->depth - 1];
}

/* Of one of its levels. */
static inline const struct python_link *call_stack_link(const struct call_stack *stack, size_t level)
{
    return &stack->held[PYTHON_DEPTH_MAX - 1 - level];
}

/* The place of the innermost frame; NULL when it is not remembered. */
static inline struct call_stack_place *call_stack_place(const struct call_stack *stack)
{
    const struct call_stack_level *level = call_stack_innermost(stack);
    return level->place->hash == level->hash ? level->place : NULL;
}

/* The site of such an allocation there, if it is remembered; 0: not. */
static inline uint32_t call_stack_made(const struct call_stack_place *place, uint64_t size_bytes, uint32_t ordinal)
{
    for (unsigned i = 0; i < sizeof place->made / sizeof place->made[0]; i++) {
        if (place->made[i].size_bytes == size_bytes && place->made[i].ordinal == ordinal) {
            return place->made[i].site;
        }
    }
    return 0;
}

static inline void call_stack_note_made(struct call_stack_place *place, uint64_t size_bytes, uint32_t ordinal,
                                        uint32_t site)
{
    place->newest ^= 1;
    place->made[place->newest].size_bytes = size_bytes;
    place->made[place->newest].ordinal = ordinal;
    place->made[place->newest].site = site;
}

/* Makes room for a way in front; the oldest is forgotten. Its number is beyond all that were. */
void call_stack_count_anew(struct call_stack_counted *counted, uint64_t hash);

/*
 * The number of this execution of the innermost instruction, of which call_stack_ordinal() has numbered a birth: one more than that of the one
 * before, where that is remembered; else at least two more.
 */
static inline uint16_t call_stack_execution(struct call_stack *stack)
{
    const uint64_t hash = call_stack_innermost(stack)->hash;
    struct call_stack_counted *counted = &stack->counted[hash & (CALL_STACK_COUNTED - 1)];
    size_t way = 0;
    while (way < CALL_STACK_COUNTED_WAYS && counted->ways[way].hash != hash) {
        way++;
    }
    if (way == CALL_STACK_COUNTED_WAYS) {
        call_stack_count_anew(counted, hash);
        way = 0;
    }
    counted->ways[way].executions += stack->execution.count == 1;
    return (uint16_t)counted->ways[way].executions;
}

/* Has the frame that had this generation at this depth not moved since? */
static inline bool call_stack_holds(const struct call_stack *stack, size_t depth, uint64_t generation)
{
    return depth < stack->depth && stack->levels[depth].generation == generation;
}

/*
 * How many of `depth` frames, from the outermost in, have not moved since the innermost of them had this generation. Frames that move
 * get a generation beyond all that were.
 */
static inline uint32_t call_stack_held(const struct call_stack *stack, uint32_t depth, uint64_t generation)
{
    while (depth > 0 && (depth > stack->depth || stack->levels[depth - 1].generation > generation)) {
        depth--;
    }
    return depth;
}

/*
 * How many allocations of that size this execution of the innermost instruction has made before. `place` tells one native
 * caller from another: the same one again is taken for the next execution, for a loop may come back to the instruction
 * with nothing seen in between.
 */
uint32_t call_stack_ordinal(struct call_stack *stack, uint64_t size_bytes, uint64_t place);

/* For tests, and for call_stack_refresh(): takes over what a walk found, `count` links leaf first. False: unreadable. */
bool call_stack_update(struct call_stack *stack, size_t count,
                       bool (*resolve)(const struct python_link *link, struct python_frame *frame));

#endif
