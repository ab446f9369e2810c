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
#include "pieprof/db_objects.h"

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
