/*
 * A run's file, read and proved sound. After run_read() every reference in a published record is either 0 or names a
 * published record or blob, every enumeration has a known value, every counter is possible: what was unfinished or
 * impossible has been set to 0 in this copy and counted in `damaged`. Nothing else in the analyzer checks again.
 */
#ifndef PIEPROF_ANALYZER_RUN_H
#define PIEPROF_ANALYZER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pieprof/db.h"

#define RUN_TIME_LIMIT_NS (UINT64_C(365) * 86400 * 1000 * 1000 * 1000) /* a year; longer is a damaged clock */

struct run_extent {
    unsigned char *records; /* behind the struct db_extent */
    uint64_t offset;        /* of the extent in the file */
    uint64_t first_id;      /* blobs: bytes */
    uint64_t index;         /* of its first record among the table's, counted over the extents that are there */
    size_t bytes;           /* of the records, in the file: fewer than an extent has when it is cut */
    uint32_t process, kind;
};

#define RUN_EXTENT_SHIFT 32u

/* The records of one kind of one process: extents by first id. */
struct run_table {
    const struct run_extent *extents;
    size_t extent_count;
    size_t record_bytes; /* of a record; 0 for blobs */
    size_t per_extent;   /* records in an extent; payload bytes for blobs */
    uint64_t per_record; /* extents, times 2^RUN_EXTENT_SHIFT and rounded up */
};

struct run_process {
    uint32_t ordinal;
    struct db_process *record;
    struct run_table tables[DB_KIND_END];
    uint64_t sampled_limit_ns; /* the most CPU time that its samples can stand for */
    uint64_t exec_cpu_ns;      /* of the first program in a process: what all had used when the last was replaced */
    uint64_t nodes_left_ns;    /* of that, what the nodes checked so far leave to the others */
    uint64_t peak_left_bytes;  /* of what was alive at the peak, what the sites checked so far leave to the others */
};

struct run {
    const char *path;
    unsigned char *bytes; /* header and extents, padded with zeros to whole extents */
    struct db_header *header;
    uint64_t file_bytes;
    size_t extent_count;        /* in `bytes`, holes included */
    struct run_extent *extents; /* those in use, sorted by process, kind, first id */
    size_t used_extents;
    struct run_process *processes; /* those whose record is published */
    size_t process_count;
    uint64_t read_ns;        /* that reading took: a live run's last records are so much younger than its first */
    uint64_t damaged;        /* things that were unfinished, cut off or impossible */
    uint64_t damaged_offset; /* of the record of the first that was come to; 0: it is of none */
    bool cut_short;          /* the file ends before what was claimed */
    bool incomplete;         /* extents are missing, so a reference may lead nowhere without being wrong */
    char error[512];         /* when reading failed: one line that names file and offset */
};

/* Reads `path` whole into memory (a live run's file too). False: `error` says why. Free with run_free in both cases. */
bool run_read(struct run *run, const char *path);

/* The same for a file's bytes already in memory (the fuzzer's way in). `name` stands for the path in messages. */
bool run_read_bytes(struct run *run, const char *name, const void *bytes, size_t size_bytes);
void run_free(struct run *run);

/* The published record of an id, else NULL. */
void *run_record(const struct run_process *process, enum db_kind kind, uint64_t id);

/* Dense position of an id among the table's records; SIZE_MAX when no extent holds it. */
size_t run_index(const struct run_table *table, uint64_t id);

/* How many records the table's extents have room for: the size of an array indexed by run_index(). */
size_t run_capacity(const struct run_table *table);

/* Bytes of a blob; `bytes` is NULL for reference 0. */
struct run_blob {
    const unsigned char *bytes;
    size_t length_bytes;
};
struct run_blob run_blob(const struct run_process *process, uint32_t reference);
const char *run_text(const struct run_process *process, uint32_t reference); /* interned, never NULL */

/* Walks the published records of a table in the order of their ids; returns NULL at the end. Start with a zeroed one. */
struct run_cursor {
    size_t extent, record;
    uint64_t id;     /* of the record just returned */
    size_t index;    /* its run_index() */
    uint64_t offset; /* its offset in the file */
};
void *run_next(const struct run_table *table, struct run_cursor *cursor);

#endif
