/*
 * What the kernel does to watched bytes on the program's behalf. Its accesses never trap, so the interposed calls say
 * which bytes they hand over, and the watch that lies there learns of it at its next trap.
 */
#ifndef PIEPROF_PRELOAD_IO_MARKS_H
#define PIEPROF_PRELOAD_IO_MARKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum io_mark {
    IO_USED = 1u << 0,      /* the kernel reads the bytes: a store was used */
    IO_REWRITTEN = 1u << 1, /* the kernel may write them */
    IO_GONE = 1u << 2,      /* the mapping goes away or its content does */
};

struct io_range {
    _Atomic uintptr_t address; /* 0: nothing is watched here */
    _Atomic uint32_t size_bytes;
    _Atomic uint32_t marks; /* enum io_mark */
    _Atomic bool taken;
};

/* Number of ranges in which something is watched, of all threads: one load tells that there is nothing to do. */
extern _Atomic uint32_t io_watched;

/* A range for a watch of the calling thread; NULL when all are taken. */
struct io_range *io_range_take(void);
void io_range_give(struct io_range *range);
void io_marks_reset_child(void);

/* Signal-safe. */
void io_range_set(struct io_range *range, uintptr_t address, uint32_t size_bytes);
void io_range_clear(struct io_range *range);

/* Marks every watch in [start, +bytes). Mark 0: nothing. Never looks at the bytes. */
void io_mark(uintptr_t start, size_t bytes, enum io_mark mark);

#endif
