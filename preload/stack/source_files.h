/* The table of source files: filled in handlers without a lock, read by the chore that stores texts. */
#ifndef PIEPROF_PRELOAD_SOURCE_FILES_H
#define PIEPROF_PRELOAD_SOURCE_FILES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_PATH_BYTES_MAX 4096u

struct source_file {
    _Atomic uint32_t state; /* free, busy, ready */
    uint32_t blob;
    uint64_t hash;
    const char *path; /* NUL-terminated, in the table's own memory */
    uint32_t path_bytes;
    _Atomic uint32_t source; /* id of the db_source, 0 while there is none */
    _Atomic uint32_t codes;  /* list of its code objects (python_code.c) */
    uint32_t next_wanted;    /* file whose text was wanted before this one's */
};

#define SOURCE_FILES_MAX 4096u

/* The file of a number from 1 to SOURCE_FILES_MAX; NULL while unused. Signal-safe. */
struct source_file *source_files_at(uint32_t file);

/* The first of the files whose text is wanted, linked by `next_wanted`: they are the caller's from now on. 0: none. */
uint32_t source_files_take_wanted(void);

#endif
