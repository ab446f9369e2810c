/*
 * Between the files of the access engine: one thread's watches and searches.
 *
 *     sample -> search -> (execution breakpoints) -> access found -> watch
 *     watch: BIRTH -> INSIDE -> (ASLEEP) -> ACROSS -> free
 *            the sampled access traps once     the call ended: the return slot was written
 */
#ifndef PIEPROF_PRELOAD_ENGINE_H
#define PIEPROF_PRELOAD_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "access/io_marks.h"
#include "access/machine.h"
#include "access/watch.h"
#include "pieprof/db.h"
#include "stack/python.h"
#include "thread.h"

#define ENGINE_DATA_WATCHES (MACHINE_WATCHES - 1)
#define ENGINE_SLOT_REGISTER 0u
#define ENGINE_CALLERS_MAX 8u
#define ENGINE_WAKEFUL_BITS_LOG2 12u

enum watch_phase {
    WATCH_FREE,
    WATCH_BIRTH,  /* armed; the sampled access has not run yet */
    WATCH_INSIDE, /* armed, in the native call of the sampled access (or of unknown scope) */
    WATCH_ASLEEP, /* disarmed until that call ends */
    WATCH_ACROSS, /* armed, waits for the first access of a later call */
};

struct watch {
    enum watch_phase phase;
    bool lent;  /* its register serves a search for a moment */
    bool store; /* the sampled access is a store */
    bool scope_known;
    unsigned early; /* BIRTH: traps to come before that of the sampled access */
    bool judged;    /* a pair is recorded */
    bool slept;     /* accesses went by unseen */
    bool unseen;    /* they changed the bytes: the last one of its kind is not known */
    bool used;      /* loaded since the last store */
    bool stored;    /* to, behind the sampled load: a pair says by whom */
    bool unproved;
    uint32_t node;         /* context of the last access of its kind, 0 while not known */
    uint32_t access_bytes; /* of the sampled access */
    uint32_t address_class;
    uintptr_t address; /* watched bytes */
    uint32_t size_bytes;
    uint32_t value_bytes; /* of the value that is compared: it may lie across the watched bytes */
    uint32_t float_bytes; /* of the numbers in it, as agree.h has it */
    uintptr_t value_address;
    uintptr_t instruction;      /* of the sampled access */
    uintptr_t last_instruction; /* at the last trap of native code */
    uint64_t repeats_left;      /* ... of a string instruction */
    uint64_t object_serial;     /* 0: no object */
    uint32_t object_site;       /* id of its site's record; 0: none is known */
    uint64_t weight_ns;
    uint64_t seen;       /* value at the last access of its kind */
    uint64_t current;    /* value as it stands */
    uint32_t stands_for; /* accesses, in sixteenths: those that it was chosen for, and that found no free watch */
    uint64_t armed_at_ns, deadline_ns; /* of the thread's CPU time */
    uint64_t patience_ns;              /* the least it would have been given (patience.c) */
    uint32_t chance_bits;              /* each longer wait has a chance of 1 in 2 to the power of these */
    uint32_t traps;
    struct io_range *range;
    struct thread_others others; /* when it was armed */
    bool others_known;
};

/* A sample on its way to its access. All samples of a kind that come before it is reached have the same next access. */
struct search {
    bool active;
    bool left_frame; /* the captured stack is no longer that of the access */
    unsigned register_index;
    uintptr_t break_at;
    uintptr_t break_stack_pointer;
    unsigned hops, misses;
    uint32_t window;                  /* instructions that are left of it (search.c) */
    uint32_t sixteenths;              /* 16 / the chance that led so far */
    uint64_t waits_since_ns, look_ns; /* at its breakpoint, and when to see whether it waits in vain: CPU time */
    uint32_t samples;
    uint64_t weight_ns;
    uintptr_t slot;
    struct python_top top;
    bool top_known;
    uint32_t region;               /* of a worker, which has no top */
    unsigned callers, caller_next; /* return addresses outwards, for paths that lead nowhere */
    struct native_frame caller[ENGINE_CALLERS_MAX];
};

enum { SEARCH_LOAD, SEARCH_STORE, SEARCH_KINDS };

struct access_thread {
    struct thread *thread;
    struct watch_register registers[MACHINE_WATCHES]; /* the slot's, then one for each watch */
    unsigned register_count;
    bool opening_failed;
    bool worker; /* has no Python: counted among those with registers */
    bool want_store;
    uint32_t random;
    uint64_t entered_ns;        /* the running handler, in the thread's CPU time: when a trap's access was made */
    uintptr_t trap_instruction; /* where the program goes on behind the last trap... */
    uint64_t trap_left_ns;      /* ... whose handler left then: the thread's CPU time */
    uint32_t passed_over;       /* accesses found since a watch was last armed */
    uint32_t split_stores;      /* share of the sampled stores that cross a cache line, in 1/65536 */
    uint64_t patience_ns;       /* the least a watch is given now */
    int alarm_descriptor;       /* a clock that rings once, for deadlines before the next sample; -1 when none */
    bool alarm_set;
    uint64_t wakeful[(1u << ENGINE_WAKEFUL_BITS_LOG2) / 64]; /* wakeful.c */
    struct watch watches[ENGINE_DATA_WATCHES];
    struct search searches[SEARCH_KINDS];
};

uint32_t access_random(struct access_thread *at);
static inline unsigned access_data_registers(const struct access_thread *at)
{
    return at->register_count > 0 ? at->register_count - 1 : 0;
}
static inline struct watch_register *access_register_of(struct access_thread *at, const struct watch *watch)
{
    return &at->registers[1 + (watch - at->watches)];
}

/* scope.c: the native call in progress. */
bool scope_open(struct access_thread *at, uintptr_t slot);        /* watches its return slot; false when it cannot */
void scope_check(struct access_thread *at, const ucontext_t *uc); /* ended unseen, its frame popped? */
/* At a sample, its stack captured: a popped frame's slot may lie in a hole that nobody writes for long. */
void scope_verify(struct access_thread *at, uintptr_t innermost_slot);
void scope_close(struct access_thread *at);   /* the call has ended */
void scope_release(struct access_thread *at); /* gives the register back once no watch asks for the call's end */

/* search.c */
void search_begin(struct access_thread *at, const ucontext_t *uc, bool store, uintptr_t slot, uint64_t weight_ns);
void search_go_on(struct access_thread *at, const ucontext_t *uc); /* what is under way, from where the thread is now */
void search_hit(struct access_thread *at, struct search *search, const ucontext_t *uc, bool asynchronous);
void search_call_ended(struct access_thread *at);
/*
 * In each handler that a clock rang: while Python runs elsewhere a search gives its register back. The next sample in native code
 * finds the call ended, or goes on from where it is.
 */
void search_check(struct access_thread *at, uint64_t now_ns);
void search_check_sample(struct access_thread *at);
bool search_waits(const struct search *search); /* with a register armed for it */
void search_drop(struct access_thread *at, struct search *search, enum db_drop why);

/* patience.c: how long a watch may wait. */
void patience_alarm_open(struct access_thread *at); /* without it watches wait for the next sample */
void patience_alarm_close(struct access_thread *at, bool forget);
void patience_begin(struct access_thread *at, struct watch *watch, uint32_t sixteenths, uint64_t now_ns);
/* What a pair of this age stands for: 1 / the chance that a watch waits so long, times what the watch stands for. */
uint64_t patience_scale(const struct watch *watch, uint64_t now_ns);
/* Ends what has waited too long, and sees to it that the next one is woken in time. In every handler, first and last. */
void patience_check(struct access_thread *at, uint64_t now_ns);
void patience_set_alarm(struct access_thread *at, uint64_t now_ns);
/* Is there anything that patience_check could end or patience_set_alarm wait for? */
bool patience_waits(const struct access_thread *at);
/* Shorter when registers are short or armed time is dear, longer otherwise. */
void patience_adapt(struct access_thread *at, bool found_register);

/* arm.c */
struct found {
    const struct machine_find *find;
    bool store;
    uint32_t sixteenths; /* of accesses that this one stands for */
    bool context_holds;  /* thread->scratch is the stack of the access */
    uintptr_t slot;
    uint64_t weight_ns;
};
void arm_watch(struct access_thread *at, const ucontext_t *uc, const struct found *found);

/* verdict.c */
void verdict_trap(struct access_thread *at, struct watch *watch, const ucontext_t *uc, bool asynchronous);
void verdict_call_ended(struct access_thread *at);
/* The compared value as it stands, in the low bytes; false when its memory is gone. */
bool verdict_read_value(const struct watch *watch, uint64_t *value);
void verdict_end(struct access_thread *at, struct watch *watch,
                 enum db_drop why); /* counted unless a pair was recorded */

/* wakeful.c: contexts of accesses behind which a watch stays awake, for what came later in their call went by unseen before. Signal-safe. */
void wakeful_make(struct access_thread *at, uint32_t node);
bool wakeful_is(const struct access_thread *at, uint32_t node);

/* registers.c */
struct watch *registers_take(struct access_thread *at); /* a free one for a new watch; NULL: none */
/* Takes a register for an execution breakpoint, lending a watch's where none is free; 0 when none can be had. */
unsigned registers_lend(struct access_thread *at);
void registers_return(struct access_thread *at, unsigned index);

#endif
