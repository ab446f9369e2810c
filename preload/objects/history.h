/* The digests of a site's last objects: which of them come again, and after how many births. Callers take turns. */
#ifndef PIEPROF_PRELOAD_HISTORY_H
#define PIEPROF_PRELOAD_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/distances.h"

#define HISTORY_ENTRIES 64u
#define HISTORY_BURST_KNOWN 8u

enum history_role {
    HISTORY_NEW,
    HISTORY_REPLICA, /* counted as one */
    HISTORY_PRIMER,  /* there for those that follow, and never counted */
};

/*
 * The last new content of a site: birth 0, there was none. Objects that end in reverse, as those do that PyTorch keeps for backward(), show of
 * equal ones the last first: which of them was the first, and new, is known when all have ended.
 */
struct history_burst {
    uint32_t begun, previous;           /* the birth of its first, and of that of the burst before */
    uint32_t step, first, last, bursts; /* db_site.new_step, new_first, new_last and new_bursts without it */
    uint32_t round;                     /* births of the round that it ended, if rounds grow */
    uint16_t growing, other;            /* db_site.new_growing and new_other with it */
    bool is_late, follows_late;         /* it began there or before, by how much is not known; so did that before */
    uint8_t known;                      /* of its contents: the births of the first few */
    uint32_t births[HISTORY_BURST_KNOWN];
};

struct history_new {
    uint32_t birth;                     /* of that */
    uint64_t replicas;                  /* counted when it was */
    struct history_burst burst, before; /* its own, and that before, where it may turn out to be the same */
};

struct history {
    uint64_t digests[HISTORY_ENTRIES];  /* of samples; 0 = unused */
    uint32_t proofs[HISTORY_ENTRIES];   /* of the whole contents; 0 = not made */
    uint32_t believed[HISTORY_ENTRIES]; /* its proof, or that of the last it equals that was proved; 0: none */
    uint32_t pending[HISTORY_ENTRIES];  /* replicas since that one, by their samples alone */
    uint8_t agreed[HISTORY_ENTRIES];    /* how often proofs of its equals agreed, up to UINT8_MAX */
    uint32_t births[HISTORY_ENTRIES];
    uint8_t roles[HISTORY_ENTRIES]; /* enum history_role */
    bool recurs[HISTORY_ENTRIES];   /* another one here had the same content */
    uint32_t next;
    uint32_t content_proofs; /* made of a content because it came again, and for nothing else */
    uint32_t has_constant;   /* `constant` is the value of the first that was of one value throughout */
    uint64_t constant;
    uint64_t glanced;           /* the digest of the last birth that was glanced at and that nothing here equals... */
    uint32_t glanced_birth;     /* ... 0: none */
    struct distances distances; /* of its replicas */
    struct history_new newest;
};

/* The nearest earlier born object with that digest, else the nearest later born; -1: none. */
int history_find(const struct history *history, uint64_t digest, uint32_t birth);

/* The nearest later born one with that digest that was taken for new; -1: none. */
int history_find_later_new(const struct history *history, uint64_t digest, uint32_t birth);

/* As history_find(), among those that were proved to be of this whole content; `proof` 0: among those that were not. */
int history_find_proved(const struct history *history, uint64_t digest, uint32_t proof, uint32_t birth);

/*
 * Overwrites the oldest, and says which that is. `match`: the entry that the object equals, -1: none. What was proved of that one is
 * believed of this one until it is proved itself.
 */
uint32_t history_add(struct history *history, uint64_t digest, uint32_t proof, uint32_t birth, int match,
                     enum history_role role);

/* Did it see the neighbours of an object of that birth end, or those before it? One that outlived many later ones came too late. */
bool history_reaches(const struct history *history, uint32_t birth);

#endif
