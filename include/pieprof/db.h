/*
 * The file that the shim writes and the analyzer reads: out.db, version 1.
 *
 *     +--------------------+ 0
 *     | struct db_header   |   one page, filled by the process that creates the file
 *     +--------------------+ DB_HEADER_BYTES
 *     | extent 0           |   16 KiB each: struct db_extent, then records of ONE kind
 *     +--------------------+   that belong to ONE process
 *     | extent 1           |
 *     +--------------------+
 *     | ...                |
 *
 * Writers. All processes of a run on a node map the same file. A process claims an extent by one atomic increment of
 * `extents_claimed` and from then on writes it alone; its threads claim records inside by atomic increments of
 * private cursors. Every record starts with `published`: it is 0 in fresh (zero) space and becomes non-zero by a
 * release store once the record is whole, so a reader skips what a killed writer left half-way. Counters inside
 * published records are then updated in place by relaxed atomic additions.
 *
 * Ids. A record's id is its ordinal among the records of its kind and process, counted from 1: the extent's
 * `first_id` plus the record's index in the extent. 0 means none. Ids refer to records of the same process.
 *
 * Blobs. Bytes of any length up to DB_BLOB_MAX_BYTES. A blob reference is the offset of its struct db_blob in the
 * concatenation of the process's blob extents' payloads (first_id of a blob extent counts bytes), plus 1; a blob
 * never crosses an extent. 0 means none.
 *
 * Readers treat every byte as hostile. What is structurally wrong (magic, version, sizes, references out of range)
 * ends the reading; what is merely unfinished is skipped and counted.
 *
 * All integers are little-endian and naturally aligned; the structs have no implicit padding.
 */
#ifndef PIEPROF_DB_H
#define PIEPROF_DB_H

#include <stdint.h>

#include "pieprof/db_drops.h"

#define DB_MAGIC "PIEPROF\x1a"
#define DB_MAGIC_BYTES 8u
#define DB_VERSION 1u
#define DB_HEADER_BYTES 4096u
#define DB_EXTENT_BYTES 16384u
#define DB_FILE_MAX_GIB 8 /* the most that PIEPROF_MAX_SIZE allows, and that a reader takes: it copies the file */
#define DB_EXTENTS_MAX ((uint32_t)((((uint64_t)DB_FILE_MAX_GIB << 30) - DB_HEADER_BYTES) / DB_EXTENT_BYTES))
#define DB_EXTENT_MAGIC 0x54584550u /* "PEXT" */
#define DB_BYTE_ORDER 0x01020304u
#define DB_BLOB_MAX_BYTES (DB_EXTENT_BYTES - sizeof(struct db_extent) - sizeof(struct db_blob))
#define DB_SITES_CROWDED 4096u /* of a process: from so many sites on a place has one from its second birth on */
#define DB_LINES_PARTS_MAX 64u /* of a table of lines */
#define DB_RUN_NAME_BYTES 128u
#define DB_HOST_NAME_BYTES 64u
#define DB_BUILD_ID_BYTES 32u
#define DB_REASON_BYTES 184u
#define DB_OBJECT_MIN_BYTES 1024u /* no smaller buffer is an object, whatever PIEPROF_OBJECT_MIN asks for */
#define DB_EVENTS_MAX 8u
#define DB_EVENT_NAME_BYTES 64u

/* The engines, in the order of `db_process.engines`; the names are PIEPROF_ENGINES' and JSON's. */
#define DB_ENGINES(X)                                                                                                  \
    X(TIME, "time")                                                                                                    \
    X(ACCESS, "access")                                                                                                \
    X(REPLICA, "replica")                                                                                              \
    X(TRANSFER, "transfer")

/* The kinds of extents: name, type of its records. */
#define DB_KINDS(X)                                                                                                    \
    X(PROCESS, struct db_process)                                                                                      \
    X(BLOB, struct db_blob)                                                                                            \
    X(CODE, struct db_code)                                                                                            \
    X(MODULE, struct db_module)                                                                                        \
    X(SOURCE, struct db_source)                                                                                        \
    X(NODE, struct db_node)                                                                                            \
    X(PAIR, struct db_pair)                                                                                            \
    X(COUNTER, struct db_counter)                                                                                      \
    X(SITE, struct db_site)                                                                                            \
    X(LINK, struct db_link)                                                                                            \
    X(LIVE, struct db_live)                                                                                            \
    X(CONTENT, struct db_content)                                                                                      \
    X(HEAT, struct db_heat)                                                                                            \
    X(NEIGHBOUR, struct db_neighbour)

enum db_kind {
    DB_KIND_NONE = 0,
#define X(name, type) DB_KIND_##name,
    DB_KINDS(X)
#undef X
        DB_KIND_END
};

enum db_engine {
#define X(name, text) DB_ENGINE_##name,
    DB_ENGINES(X)
#undef X
        DB_ENGINE_COUNT
};

struct db_header {
    char magic[DB_MAGIC_BYTES];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t extent_bytes;
    uint32_t byte_order;
    uint32_t machine;         /* ELF e_machine of the recording processor */
    uint32_t extents_limit;   /* from PIEPROF_MAX_SIZE */
    uint64_t extents_claimed; /* atomic; may exceed the limit or the file's end: readers clamp */
    uint64_t processes;       /* atomic: processes that joined */
    uint64_t created_unix_ns;
    uint64_t trouble_said;  /* atomic bits: which troubles were already said on stderr in this run */
    uint64_t dropped_joins; /* atomic: processes that found no space for themselves */
    uint8_t boot_id[16];
    char run_name[DB_RUN_NAME_BYTES];   /* NUL-terminated */
    char host_name[DB_HOST_NAME_BYTES]; /* NUL-terminated */
};

struct db_extent {
    uint32_t magic;        /* DB_EXTENT_MAGIC; 0 = claimed, never used */
    uint32_t kind;         /* enum db_kind */
    uint32_t process;      /* ordinal of the process in this run, from 1 */
    uint32_t record_bytes; /* sizeof the record type; 0 for blobs */
    uint64_t first_id;     /* id of the first record here; for blobs: payload bytes in the extents before */
    uint64_t reserved;
};

struct db_blob {
    uint32_t published;
    uint32_t length_bytes; /* the data follows, padded to 8 bytes */
};

enum db_engine_state { DB_ENGINE_OFF = 0, DB_ENGINE_ON = 1 };
struct db_engine_status {
    uint32_t state;  /* enum db_engine_state */
    float tolerance; /* of the access engine: within which numbers count as equal (PIEPROF_FP_TOLERANCE); 0 else */
    char why_off[DB_REASON_BYTES]; /* empty when on */
    uint32_t object_min_bytes;     /* of the replica engine: smaller buffers were no objects; 0: DB_OBJECT_MIN_BYTES */
    uint32_t sampled_beyond_bytes; /* of the replica engine: samples of larger contents are compared; 0: of none */
};

enum db_process_end { DB_END_RUNNING = 0, DB_END_EXIT = 1, DB_END_EXEC = 2, DB_END_SIGNAL = 3 };

/* One per process that ran Python code, in an extent of its own. */
struct db_process {
    uint32_t published;
    uint32_t pid;
    uint32_t parent_pid;
    int32_t rank;            /* MPI or launcher rank, -1 when none */
    uint32_t python_version; /* PY_VERSION_HEX; 0 while unknown */
    uint32_t python_free_threaded;
    uint32_t ended;       /* enum db_process_end */
    int32_t end_detail;   /* signal number for DB_END_SIGNAL, exit status for DB_END_EXIT (0 where it is not known) */
    uint64_t start_ticks; /* /proc/PID/stat field 22: with pid, tells a live process from a later one */
    uint64_t start_unix_ns;
    uint64_t start_monotonic_ns;
    uint64_t last_monotonic_ns; /* kept fresh by samples: a killed process's duration is read from it */
    uint64_t cpu_ns;            /* CPU time of the process at the last sample or the end */
    uint64_t import_cpu_ns;     /* of that, below an import (0 when not measured) */
    uint32_t rate_hz;
    float budget_percent;
    uint32_t arguments_blob;  /* argv, NUL-separated, as seen at start (the interpreter's own options included) */
    uint32_t directory_blob;  /* working directory at start */
    uint32_t executable_blob; /* /proc/self/exe */
    uint32_t trigger_blob;    /* name of the trigger in use: "perf-task-clock", "timer", "papi:EVENT" */
    struct db_engine_status engines[DB_ENGINE_COUNT];
    char events[DB_EVENTS_MAX][DB_EVENT_NAME_BYTES]; /* PIEPROF_EVENTS that count; empty = unused */
    /* Health, all atomic. */
    uint64_t samples;           /* samples taken by the trigger */
    uint64_t native;            /* samples in native code that the access engine tried to resolve */
    uint64_t call_ended;        /* of those: control was back in the interpreter before a wanted access */
    uint64_t resolved;          /* of those: led to an access (a watch was armed, or could have been) */
    uint64_t armed;             /* watches armed */
    uint64_t finished;          /* watches that ended in a verdict */
    uint64_t traps;             /* watch and execution traps taken */
    uint64_t shim_cpu_ns;       /* the shim's own cost, as its governor accounts it */
    uint64_t shim_memory_bytes; /* private memory mapped by the shim */
    uint64_t threads;           /* threads set up */
    uint64_t objects;           /* objects born */
    uint64_t dropped[DB_DROP_COUNT];
};

/* A code object, stored when a sample first meets it. */
struct db_code {
    uint32_t published;
    int32_t first_line;
    uint32_t file_blob;   /* co_filename, UTF-8 */
    uint32_t name_blob;   /* co_qualname, co_name before 3.11; UTF-8 */
    uint32_t lines_blob;  /* raw co_lnotab (<= 3.9) or co_linetable; db_process.python_version says which rules */
    uint32_t lines_parts; /* 0; or so many: lines_blob holds references to blobs that are the table one after another */
    uint32_t source;      /* id of the db_source, 0 when not (yet) stored; atomic */
};

enum db_module_flag {
    DB_MODULE_EXECUTABLE = 1,  /* the main program */
    DB_MODULE_INTERPRETER = 2, /* holds the evaluation loop: python itself or libpython */
    DB_MODULE_SHIM = 4,
    DB_MODULE_ALLOCATOR = 8, /* libc, a preloaded malloc, or the kernel's vdso */
};

/* A mapped ELF object. A record is never changed: one that is unloaded and another mapped there are two. */
struct db_module {
    uint32_t published;
    uint32_t flags;       /* enum db_module_flag */
    uint64_t load_bias;   /* address in memory = address in the file + load_bias */
    uint64_t low_address; /* lowest and one past the highest mapped address */
    uint64_t high_address;
    uint32_t path_blob;
    uint32_t build_id_bytes; /* 0 when it has none */
    uint8_t build_id[DB_BUILD_ID_BYTES];
};

enum db_compression { DB_COMPRESSION_NONE = 0, DB_COMPRESSION_ZLIB = 1 };

/* Text of a source file as it was when it ran. Long texts take several records, part 0 first. */
struct db_source {
    uint32_t published;
    uint32_t path_blob;
    uint64_t file_size_bytes;
    int64_t modified_unix_ns;
    uint32_t part; /* of `parts` */
    uint32_t parts;
    uint32_t text_blob;   /* this part's bytes of the compressed text */
    uint32_t compression; /* enum db_compression */
};

enum db_frame {
    DB_FRAME_ROOT = 1, /* value: enum db_root; of a thread with Python | node id of the context that started it << 32 */
    DB_FRAME_PYTHON = 2, /* value: code id << 32 | uint32 byte offset of the instruction (int32: may be negative) */
    DB_FRAME_NATIVE = 3, /* value: absolute address: the leaf's instruction; a caller's return address */
    DB_FRAME_ACCESS = 4, /* value: absolute address of the load or store itself (only as a leaf) */
    DB_FRAME_GAP = 5,    /* value: 0; native frames that could not be unwound stood here */
};

/* Whose stack a path is. A worker's is the Python frames that launched its work, then its own native ones. */
enum db_root {
    DB_ROOT_MAIN = 0,
    DB_ROOT_PYTHON = 1,  /* another thread with Python */
    DB_ROOT_NATIVE = 2,  /* a thread without, of which no more is known */
    DB_ROOT_WORKER = 3,  /* one that works for others; without Python frames below it waits for work */
    DB_ROOT_ADOPTED = 4, /* one of a pool that does not tell for whom it works: for the only one it could be */
    DB_ROOT_END
};

/* A frame in its calling context: the path from a root. */
struct db_node {
    uint32_t published;
    uint32_t parent; /* id, 0 for roots; always smaller than the node's own id */
    uint32_t frame;  /* enum db_frame */
    uint32_t reserved;
    uint64_t value;
    uint64_t samples;       /* atomic: time samples whose leaf this is */
    uint64_t cpu_ns;        /* atomic: CPU time they stand for (kernel time included) */
    uint64_t native_cpu_ns; /* atomic: part of cpu_ns whose samples the access engine attempted */
};

enum db_access { DB_ACCESS_NONE = 0, DB_ACCESS_LOAD = 1, DB_ACCESS_STORE = 2 };
enum db_scope { DB_SCOPE_WITHIN = 1, DB_SCOPE_ACROSS = 2, DB_SCOPE_UNKNOWN = 3 };
enum db_relation { DB_RELATION_SAME = 1, DB_RELATION_RECYCLED = 2, DB_RELATION_UNKNOWN = 3 };
enum db_class {
    DB_CLASS_OBJECT = 1,
    DB_CLASS_OTHER_HEAP = 2,
    DB_CLASS_MODULE_DATA = 3,
    DB_CLASS_STACK = 4,
    DB_CLASS_ARENA = 5,
    DB_CLASS_OTHER = 6,
};
enum db_pair_flag {
    DB_PAIR_SAME_VALUE = 1, /* the second access saw or wrote the value of the first */
    DB_PAIR_ZERO = 2,       /* ... and that value was all zero bits */
    DB_PAIR_UNPROVED = 4,   /* another thread, process or the kernel may have touched the bytes between */
    DB_PAIR_SLEPT = 8,      /* accesses between were not looked at (the watch slept, or its register was lent) */
    DB_PAIR_USED = 16,      /* a store's first access was loaded, or handed to the kernel, before the second */
    DB_PAIR_FIRST = 32,     /* the first pair of its watch: its first access is the sampled one */
    DB_PAIR_UNSEEN = 64,    /* what the first access, its call's last, saw is not known: the watch slept then */
    DB_PAIR_STORED = 128,   /* a load's bytes were stored to between: a load-store pair tells by what */
};

/*
 * Two consecutive accesses to the same bytes, by contexts. `first_access` is the sampled one. For a load the
 * second access is the next load; for a store it is the next access of either kind:
 *     load,  load:  redundant load when SAME_VALUE                       (charged to the second)
 *     load,  store: the first store behind the sampled load, before the next load; says only what followed what (FIRST)
 *     store, store: redundant store when SAME_VALUE                      (charged to the second),
 *                   and a dead store unless USED                         (charged to the first)
 *     store, load:  the store was used
 *     store, none:  the sampled store alone (second_node = first_node): redundant when SAME_VALUE, for then it wrote what
 *                   was there. Which part of a line's stores is redundant these say: among the second stores of pairs
 *                   those that follow a load are missing.
 * A watch that gave a pair inside the call of the sampled access goes on, for the pair of that call's last access and the
 * next call's first: FIRST tells the two apart, for only the first says what became of a sampled access.
 * UNPROVED, or SLEPT without USED: nothing is known of dead stores, neither way; values compare all the same. UNSEEN: nothing is
 * known of redundant loads, for which value the first load saw is not: the bytes changed behind it, or it slept where they had before.
 * Pairs equal in everything but the counters are one record.
 */
struct db_pair {
    uint32_t published;
    uint32_t first_node;
    uint32_t second_node;
    uint8_t first_access;  /* enum db_access */
    uint8_t second_access; /* enum db_access */
    uint8_t scope;         /* enum db_scope */
    uint8_t relation;      /* enum db_relation */
    uint8_t address_class; /* enum db_class */
    uint8_t flags;         /* enum db_pair_flag */
    uint16_t reserved;
    uint32_t size_bytes; /* of the sampled access */
    uint32_t site;       /* of the object at the sampled access; 0: none is known */
    uint32_t reserved_end;
    uint64_t count;         /* atomic */
    uint64_t weight_ns;     /* atomic: CPU time the samples behind it stand for */
    uint64_t scale;         /* atomic: sum of s, 16 / the chance of each counted pair to be seen */
    uint64_t scale_squares; /* atomic: sum of s * s */
};

/* A hardware event's count at a node (PIEPROF_EVENTS). */
struct db_counter {
    uint32_t published;
    uint32_t node;
    uint32_t event; /* index into db_process.events */
    uint32_t reserved;
    uint64_t value; /* atomic */
};

#define DB_FAR_MIN_BYTES 16384u
#define DB_FAR_BITS_MAX 8u
#define DB_NEW_MEASURED 8u

/*
 * A place that makes objects: all Python frames of the allocation, its size and its ordinal within its line's execution.
 * The counters, from `births` on, are atomic.
 */
struct db_site {
    uint32_t published;
    uint32_t node; /* its context, from the allocator's caller outwards; 0 before a small one's second birth; atomic */
    uint64_t size_bytes; /* as requested */
    uint32_t ordinal; /* of equal allocations since the innermost Python frame last stood at this instruction, from 0 */
    uint32_t period;  /* the distance, in births of this site, of most of its replicas; 0 = none yet */
    uint64_t births;
    uint64_t workspaces; /* born and dead within one native call */
    uint64_t unfilled;   /* of examined: they held what lay there at birth, and no object of the site ever held more */
    uint64_t examined;   /* digested at their end (no workspaces) */
    uint64_t constant;   /* of examined: one value throughout */
    uint64_t zero;       /* of constant: zero */
    uint64_t replicas;   /* of examined, not constant: equal to an earlier object of this site */
    uint64_t period_replicas; /* of replicas: at the distance `period` */
    uint64_t copies; /* of examined: equal to an object of another site that was alive at its birth (a copy of it) */
    uint64_t live_at_end; /* not dead when the process ended; digested then when possible (they count in examined) */
    uint64_t looked_at;   /* of births; the others were thinned by count, or gone. Data structures count, unexamined */
    /* What follows is counted for objects of DB_LIVE_SMALL_BYTES and more, all of them. */
    uint64_t ended;         /* of births: no longer alive */
    uint64_t lifetime_ns;   /* of those, summed; each a difference of readings of a clock that moves every few ms */
    uint32_t most_alive;    /* at once; each further birth took the place of one that had ended */
    int32_t changed_offset; /* of changed_beyond: in the bytecode, where the last of these frames stood before it */
    uint64_t peak_objects;  /* alive when db_live's snapshot was taken */
    /* The far history, of objects of DB_FAR_MIN_BYTES and more: contents that their own hash selects, one in 2^far_bits. */
    uint64_t far_births;          /* of births: those it covers, from the first that it counted to the last */
    uint64_t far_contents;        /* different ones */
    uint64_t far_examined;        /* objects that held them: all but the first of each content are replicas */
    uint64_t far_squares;         /* sum over contents: the square of their number of objects */
    uint64_t far_spans;           /* sum over contents: births between its first object and its last */
    uint64_t far_period_replicas; /* of its replicas: those that came `far_period` after the one before */
    uint32_t far_period;          /* the commonest of these distances, in births; 0 = none */
    uint8_t far_bits;
    uint8_t changed_beyond; /* Python frames, leaf first, that had moved on when an object was changed; 0: none was */
    uint8_t new_digits;     /* of the first DB_NEW_MEASURED new contents (see below): full of numbers with digits */
    uint8_t unlike;         /* bits, DB_UNLIKE_...: how objects that seem equal were seen to differ, or may */
    /* Of objects of DB_PAGES_MIN_BYTES and more: memory that the kernel had to give, page by page, as it was touched. */
    uint64_t pages_asked;     /* of births: whose pages were looked at */
    uint64_t fresh_bytes;     /* of those, summed: whole pages that were not there at birth... */
    uint64_t untouched_bytes; /* ... and still not at the end */
    /* When contents were new: of examined, neither constant nor replicas. */
    uint32_t new_step;   /* greatest common divisor of the births between each and the one before, from the third on */
    uint32_t undecided;  /* of births, not in looked_at: their samples do not tell whether they were new */
    uint32_t new_first;  /* birth of the first... */
    uint32_t new_last;   /* ... and of the last; UINT32_MAX: it is not known when */
    uint64_t alike;      /* of constant: of the same value as the first */
    uint64_t huge_bytes; /* of fresh_bytes: where a whole huge page could come, aligned and all of it absent */
};

/* Objects of the second site that equal a recent, earlier born one of the first, made by the same native function. */
struct db_link {
    uint32_t published;
    uint32_t first_site;
    uint32_t second_site;
    uint32_t reserved;
    uint64_t objects; /* atomic */
};

#define DB_UNLIKE_BEGINNING 1u /* one that was asked about changes ended as another did, and had begun otherwise */
#define DB_UNLIKE_BEFORE 2u    /* a birth that was passed over held what none of those looked at before had... */
#define DB_UNLIKE_NEXT 4u      /* ... and the next one something else again */
/*
 * From this bit on: frames, as in changed_beyond, that had moved on when NumPy stored over an object, as over an operand; the fewest, at
 * most DB_OVERWRITTEN_MAX; 0: over none that was looked at. What was held afterwards may differ.
 */
#define DB_OVERWRITTEN_SHIFT 3u
#define DB_OVERWRITTEN_MAX 31u
#define DB_OFFSET_UNKNOWN INT32_MIN /* db_site.changed_offset: not known... */
#define DB_OFFSET_CALLED INT32_MAX  /* ... or within Python code that was called there */
#define DB_LIVE_SMALL_BYTES 16384u
#define DB_PAGES_MIN_BYTES 131072u /* glibc's allocations are mappings of their own from here on, at first */
/* Objects from here on are told as if of huge pages as far as these fit in, where there are any. */
#define DB_HUGE_MIN_BYTES ((uint64_t)4 << 20)
#define DB_HUGE_PAGE_BYTES ((uint64_t)2 << 20)
#define DB_LIVE_BINS 128u

/*
 * The bytes of the process's objects that are alive, as requested: one record a process, none when nothing was. All atomic.
 * Times count from the process's start. The sums with a sign may be off for a moment, or negative, while threads come and go.
 */
struct db_live {
    uint32_t published;
    uint32_t bins;          /* of max_bytes, in use; those of the time after the last change are not */
    uint64_t bin_ns;        /* how long each is; doubles when they have filled */
    int64_t bytes;          /* now */
    int64_t small_bytes;    /* of these: of objects below DB_LIVE_SMALL_BYTES */
    int64_t siteless_bytes; /* of these: of others without a site */
    uint64_t peak_bytes;
    uint64_t peak_at_ns;     /* when it was first reached */
    uint64_t snapshot_bytes; /* what stood when db_site.peak_objects was noted: the peak, or not long before it */
    uint64_t snapshot_at_ns;
    uint64_t snapshot_small_bytes;
    uint64_t snapshot_siteless_bytes;
    uint64_t page_ns;      /* CPU time to get a page, touch it and give it back, as tried out here; 0 = not needed */
    uint64_t huge_page_ns; /* the same of a page of 2 MiB; 0 = not needed, or the kernel gave none */
    uint64_t max_bytes[DB_LIVE_BINS]; /* the most within each bin */
};

#define DB_CONTENT_BYTES 4096u /* read of an object, all of a smaller one; a stored sample has as many at most */
#define DB_CONTENT_LINE_BYTES 64u
#define DB_CONTENT_SAMPLES 4u

/* Of elements read as floating point of one width. */
struct db_range {
    uint64_t nan, infinite, negative_zeros;
    uint64_t lowest, highest; /* bits of |x|, of finite values that are not 0; lowest > highest: there were none */
    uint64_t repeated; /* elements equal to that value, not 0, which most of their object's that are not 0 were */
};

/*
 * What a site's examined objects held (PIEPROF_CONTENT): facts by which the reader decides what their elements are, for the
 * allocator is not told. Of each object all is read up to DB_CONTENT_BYTES, else a line in each of 64 equal parts of it, at a
 * place that depends on its number among the births alone. A word has 8 bytes, its halves 4: [0] is the one at the lower address.
 */
struct db_content {
    uint32_t published;
    uint32_t site;
    uint64_t objects;
    uint64_t words;
    uint64_t zero_words;
    uint64_t zero_halves[2];
    uint64_t floats[2]; /* not 0 (as integers): a usual float32: -0, from 2^-64 to 2^64, infinite, the quiet NaN */
    uint64_t shorts[2]; /* not 0: as int32 one that 16 bits would hold */
    uint64_t fractions; /* halves whose lower 16 bits are not 0... */
    uint64_t fraction_bits[3]; /* ... of these: with bit 15, 14, 7 set */
    uint64_t doubles;          /* words, not 0: a usual float64: the same with 2^-128 to 2^128 */
    uint64_t whole;            /* words, not 0: as int64 one that 32 bits would hold */
    uint64_t flags[2];         /* words, not 0, of bytes that are 0 or 1; of these: not only the first of a half is 1 */
    struct db_range float32, float64;
    uint32_t samples[DB_CONTENT_SAMPLES]; /* blobs: bytes of the 1st, 4th, 16th, 64th object; 0: none */
};

#define DB_HEAT_PARTS 16u
#define DB_HEAT_KEPT 12u      /* accesses of one object that are kept, at random, until it ends */
#define DB_HEAT_MIN_TICKS 32u /* the shortest life whose parts are told, in units of 2^20 ns */

/*
 * When in their lives a site's objects were accessed, as far as accesses were sampled. Told at the end of objects of
 * DB_LIVE_SMALL_BYTES and more that had lived for DB_HEAT_MIN_TICKS: in which of DB_HEAT_PARTS equal parts of its life each
 * access lay. All atomic.
 */
struct db_heat {
    uint32_t published;
    uint32_t site;
    uint64_t accesses;             /* sampled ones to its objects, of any size and life */
    uint64_t forgotten;            /* of these: not kept, for the tables were full or in use */
    uint64_t objects;              /* that ended, or were there at the end, with accesses kept */
    uint64_t lives_ns;             /* of these objects, summed */
    uint64_t parts[DB_HEAT_PARTS]; /* accesses kept, of these objects */
    uint32_t nodes[DB_HEAT_PARTS]; /* the context of the last of them, of its sample; 0: none is known */
};

/* Sampled accesses to objects of one site on pages that objects of another site shared at that moment. Atomic. */
struct db_neighbour {
    uint32_t published;
    uint32_t site;
    uint32_t neighbour; /* the other site */
    uint32_t reserved;
    uint64_t accesses;
    uint64_t bytes;           /* of the accessed object on that page, summed */
    uint64_t neighbour_bytes; /* of the other site's objects there, summed */
};

#define DB_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has no implicit padding")
_Static_assert(sizeof(struct db_header) <= DB_HEADER_BYTES, "the header fits its page");
DB_ASSERT_SIZE(struct db_extent, 32);
DB_ASSERT_SIZE(struct db_blob, 8);
DB_ASSERT_SIZE(struct db_code, 28);
DB_ASSERT_SIZE(struct db_module, 72);
DB_ASSERT_SIZE(struct db_source, 40);
DB_ASSERT_SIZE(struct db_node, 48);
DB_ASSERT_SIZE(struct db_pair, 64);
DB_ASSERT_SIZE(struct db_counter, 24);
DB_ASSERT_SIZE(struct db_site, 256);
DB_ASSERT_SIZE(struct db_link, 24);
DB_ASSERT_SIZE(struct db_live, 1128);
DB_ASSERT_SIZE(struct db_content, 256);
DB_ASSERT_SIZE(struct db_heat, 232);
DB_ASSERT_SIZE(struct db_neighbour, 40);
_Static_assert(sizeof(struct db_process) <= DB_EXTENT_BYTES - sizeof(struct db_extent), "a process fits its extent");

#endif
