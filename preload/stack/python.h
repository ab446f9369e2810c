/* Python's frames of the calling thread, read in place by offsets: one struct, one row a version. */
#ifndef PIEPROF_PRELOAD_PYTHON_H
#define PIEPROF_PRELOAD_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PYTHON_DEPTH_MAX 1024u

struct python_frame {
    uint64_t content; /* hash of what its code is, alike in every run; 0 without a code id */
    uint32_t code;    /* id of the db_code */
    int32_t offset;   /* bytes into the bytecode */
    bool module;      /* its code runs but once: that of a file, or of a notebook's cell */
    bool imports;     /* its code is of the machinery of imports: what it calls is not told */
    bool entry;       /* outermost Python frame of its native evaluation-loop frame */
    /* Of an entry: evaluation loops directly around, whose frames had ended when what they still did (clear them) led here. */
    uint8_t ended_around;
};

enum python_walk_result {
    PYTHON_WALK_OK,       /* frames (maybe 0: a thread state with no frame) */
    PYTHON_WALK_NO_STATE, /* this thread has no Python thread state */
    PYTHON_WALK_FAULT,    /* unreadable at this instant */
};

/* Looks for an interpreter in the process and chooses its row. Constructor, and after dlopen. False: no Python here,
 * or a version we refuse (said by python_why). Not signal-safe. */
bool python_probe(void);
const char *python_why(void);
uint32_t python_version(void); /* PY_VERSION_HEX */

/* Leaf first. Signal-safe. `truncated` is set when the stack was deeper than `capacity` (the leaf end is kept). */
enum python_walk_result python_walk(struct python_frame *frames, size_t capacity, size_t *count, bool *truncated);

/*
 * The same from `frame` outwards, on whatever thread: for a frame that cannot end meanwhile, nor those outside it. Another one
 * is unreadable or gives frames that never were.
 */
enum python_walk_result python_walk_from(uintptr_t frame, struct python_frame *frames, size_t capacity, size_t *count,
                                         bool *truncated);

/* The calling thread's state, 0 when it has none. Good for python_top_of() as long as the thread keeps it. Signal-safe. */
uintptr_t python_this_state(void);

/* A cheap key of the innermost frame (frame address, code, instruction): equal while control stays in one native call
 * of it. Signal-safe; false when there is none. */
struct python_top {
    uintptr_t frame, instruction;
};
bool python_top(struct python_top *top);
/* Of the thread whose state this is; guarded, so that one which has ended does no harm. Signal-safe. */
bool python_top_of(uintptr_t state, struct python_top *top);

/* A frame as it lies in memory: its address, and the words that hold its code and its instruction. Only good to be
 * compared, and resolved while it lives. */
struct python_link {
    uintptr_t frame, code, instruction;
};

/*
 * The calling thread's frames, leaf first, at most `capacity` of them (the leaf end). Returns how many; 0 without a thread
 * state, without frames, or when they were unreadable. Signal-safe.
 */
size_t python_links(struct python_link *links, size_t capacity);

/*
 * Code id and offset of a live frame that python_links() gave. False when unreadable. Where a call is two instructions, of
 * which a specialised first one does all (3.11), the offset is the second's: the place must not move when code warms up.
 * Signal-safe.
 */
bool python_link_resolve(const struct python_link *link, struct python_frame *frame);

/*
 * Where the values of a live frame begin that its instructions work on, one after the other, as addresses of objects. From CPython 3.14 on
 * such an address has bits set if the frame does not hold a reference of its own. 0: unreadable, or not known. Signal-safe.
 */
uintptr_t python_link_values(const struct python_link *link);

/* Differs between code objects that have one address, one after the other. 0: unreadable. Signal-safe. */
uint64_t python_link_mark(const struct python_link *link);

/* The published anchor on the C stack from which the return slot lies at a constant distance; 0 when none (3.8, 3.9). */
uintptr_t python_anchor(void);

/* Stores the text of files whose code was recorded. CHORE_SOURCES. */
void source_store_pending(void);
void python_reset_child(void);

#endif
