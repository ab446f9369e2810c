/* The ledger's own state, shared by its files only. */
#ifndef PIEPROF_PRELOAD_LEDGER_MAP_H
#define PIEPROF_PRELOAD_LEDGER_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config.h"
#include "ledger/ledger.h"

enum ledger_shortage {
    LEDGER_SHORTAGE_NONE = 0,
    LEDGER_SHORTAGE_FILE = 1, /* PIEPROF_MAX_SIZE is used up: for good */
    LEDGER_SHORTAGE_DISK = 2, /* the file system refused: tried again now and then */
};

struct ledger_map {
    struct db_header *header; /* start of the mapping; NULL when there is no ledger */
    uint64_t mapped_bytes;
    uint64_t backed_bytes; /* the file is at least that long, or somebody has cut it */
    uint32_t extents_limit;
    uint32_t process; /* ordinal of this process in the run */
    int descriptor;   /* 100 or above; -1 when it could not be had there, or the program closed it */
    dev_t device;
    ino_t inode;
    bool created; /* by this process or an ancestor it was forked from */
    pid_t opened_by;
    char path[CONFIG_PATH_BYTES];
    _Atomic uint32_t shortage;  /* enum ledger_shortage */
    _Atomic bool full, refused; /* a shortage of that sort ever happened: said at the end */
    _Atomic bool lost;          /* the file was cut short under us: the mapping is private by now */
    /* By kind: for each extent of the kind, in order, its index in the file + 1; 0 while there is none. */
    _Atomic uint32_t *extents[DB_KIND_END];
    /* By kind: records claimed; for blobs: bytes. */
    _Atomic uint64_t claimed[DB_KIND_END];
};

extern struct ledger_map ledger_map;

static inline uint64_t ledger_extent_offset(uint32_t index)
{
    return DB_HEADER_BYTES + (uint64_t)index * DB_EXTENT_BYTES;
}

static inline struct db_extent *ledger_extent(uint32_t index)
{
    return (struct db_extent *)((unsigned char *)ledger_map.header + ledger_extent_offset(index));
}

/* file.c: the file as such. `descriptor` is any descriptor of a candidate file. */
void ledger_host_name(char name[DB_HOST_NAME_BYTES]);
void ledger_boot_id(uint8_t boot_id[16]);
/* Grows the file by a range that is sure to be backed. 0, or the errno; never raises SIGXFSZ. System calls only. */
int ledger_back(int descriptor, uint64_t offset, uint64_t bytes);
/* Writes the first page of a new file. 0, or the errno. */
int ledger_header_write(int descriptor);
/* False when the file does not begin with a whole header of this version. */
bool ledger_header_read(int descriptor, struct db_header *header);
/*
 * A descriptor of the ledger, -1 when the file is out of reach; given back at once. Where the program closed ours, the
 * file is opened for the occasion only: a program that closes everything and counts on its next numbers gets them.
 */
int ledger_descriptor_borrow(void);
/* Is ours still open? Then borrowing it takes no new number. Signal-safe. */
bool ledger_descriptor_held(void);
void ledger_descriptor_return(int descriptor);
/* Moves a descriptor out of the program's way; -1 when there is no room above. Closes the low one. */
int ledger_descriptor_raise(int descriptor);

/* live.c */
/* Does a process that still runs write to this file? Through its lock, or because it has closed even that, by name. */
bool ledger_is_live(int descriptor, const struct db_header *header);
/* Marks the record of the program that this process ran before it called exec. */
void ledger_mark_replaced(void);

/* open.c: what bounds the file, in words: PIEPROF_MAX_SIZE, or a smaller limit of address space (RLIMIT_AS). */
void ledger_limit_text(char *to, size_t capacity);

/* place.c: which file. Opens, joins, or makes way; says one line and returns -1 on failure. */
int ledger_place_open(bool *created);

/* extents.c */
bool ledger_extents_start(void);
void ledger_extents_reset(void);
/* Takes a reserved extent: its index + 1, or 0 (and the reserve is wanted). Signal-safe. */
uint32_t ledger_extent_take(void);
void ledger_extent_put_back(uint32_t index_plus_one);
/* Gives what is left of the reserve back to the run. */
void ledger_extents_release(void);

/* repair.c: puts private memory over the whole ledger and stops recording. Signal-safe. */
void ledger_lose(void);

#endif
