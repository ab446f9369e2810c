/*
 * The file's bytes, copied into memory at once: a live run may change or truncate the file while it is looked at, and a
 * mapping would then change under our checks or raise SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "read/run_private.h"

/* Keeps a sparse file of terabytes from being read. */
#define SNAPSHOT_MAX_BYTES ((uint64_t)DB_FILE_MAX_GIB << 30)

static bool snapshot_open_fail(struct run *run, const char *what)
{
    snprintf(run->error, sizeof(run->error), "%.300s: %s", run->path, what);
    return false;
}

/* Reads up to `size` bytes at `offset`; what cannot be read stays zero. Returns the bytes read. */
static size_t snapshot_pread(int descriptor, unsigned char *into, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(descriptor, into + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * 1000 * 1000 + (uint64_t)now.tv_nsec;
}

/* Extents the header says are in use, within the file; the last may be cut. */
static size_t snapshot_extents(const struct db_header *header, uint64_t file_bytes)
{
    uint64_t in_file =
        file_bytes > DB_HEADER_BYTES ? (file_bytes - DB_HEADER_BYTES + DB_EXTENT_BYTES - 1) / DB_EXTENT_BYTES : 0;
    return (size_t)(header->extents_claimed < in_file ? header->extents_claimed : in_file);
}

static bool header_sound(struct run *run, const struct db_header *header)
{
    if (run->file_bytes == 0)
        return run_fail(run, 0, "the file is empty, not a PieProf run");
    size_t magic_bytes = run->file_bytes < DB_MAGIC_BYTES ? (size_t)run->file_bytes : DB_MAGIC_BYTES;
    if (memcmp(header->magic, DB_MAGIC, magic_bytes) != 0)
        return run_fail(run, 0, "not a PieProf run (another kind of file)");
    if (run->file_bytes < DB_HEADER_BYTES)
        return run_fail(run, run->file_bytes, "the file is cut short inside its header of %u bytes", DB_HEADER_BYTES);
    if (header->byte_order != DB_BYTE_ORDER)
        return run_fail(run, offsetof(struct db_header, byte_order), "byte order mark 0x%x, expected 0x%x",
                        header->byte_order, DB_BYTE_ORDER);
    if (header->version != DB_VERSION)
        return run_fail(run, offsetof(struct db_header, version),
                        "format version %u; this pieprof-report reads version %u", header->version, DB_VERSION);
    if (header->header_bytes != DB_HEADER_BYTES)
        return run_fail(run, offsetof(struct db_header, header_bytes), "header of %u bytes, expected %u",
                        header->header_bytes, DB_HEADER_BYTES);
    if (header->extent_bytes != DB_EXTENT_BYTES)
        return run_fail(run, offsetof(struct db_header, extent_bytes), "extents of %u bytes, expected %u",
                        header->extent_bytes, DB_EXTENT_BYTES);
    return true;
}

bool snapshot_header(struct run *run)
{
    struct db_header *header = run->header;
    header->run_name[DB_RUN_NAME_BYTES - 1] = '\0';
    header->host_name[DB_HOST_NAME_BYTES - 1] = '\0';
    uint64_t claimed = header->extents_claimed;
    if (header->extents_limit > 0 && claimed > header->extents_limit)
        claimed = header->extents_limit;
    uint64_t whole = (run->file_bytes - DB_HEADER_BYTES) / DB_EXTENT_BYTES;
    bool uneven = (run->file_bytes - DB_HEADER_BYTES) % DB_EXTENT_BYTES != 0; /* the shim reserves whole extents */
    run->cut_short = claimed > whole || uneven;
    run->incomplete = run->cut_short;
    return true;
}

/* Room for the header and `extents` extents, all zero. */
static void snapshot_room(struct run *run, size_t extents)
{
    run->extent_count = extents;
    run->bytes = memory_zeroed(1, DB_HEADER_BYTES + extents * DB_EXTENT_BYTES);
    run->header = (struct db_header *)run->bytes;
}

static bool snapshot_copy(struct run *run, int descriptor)
{
    unsigned char first[DB_HEADER_BYTES] = {0};
    struct db_header *header = (struct db_header *)first;
    size_t got = snapshot_pread(descriptor, first, sizeof(first), 0);
    if (got < run->file_bytes && got < DB_HEADER_BYTES)
        run->file_bytes = got;
    if (!header_sound(run, header))
        return false;
    if (run->file_bytes > SNAPSHOT_MAX_BYTES)
        return run_fail(run, run->file_bytes, "the file is larger than any run's (%" PRIu64 " bytes; at most %d GiB)",
                        run->file_bytes, DB_FILE_MAX_GIB);
    snapshot_room(run, snapshot_extents(header, run->file_bytes));
    memcpy(run->bytes, first, DB_HEADER_BYTES);
    size_t wanted = run->extent_count * (size_t)DB_EXTENT_BYTES;
    if (wanted > run->file_bytes - DB_HEADER_BYTES)
        wanted = (size_t)run->file_bytes - DB_HEADER_BYTES;
    uint64_t start_ns = now_ns();
    got = snapshot_pread(descriptor, run->bytes + DB_HEADER_BYTES, wanted, DB_HEADER_BYTES);
    run->read_ns = now_ns() - start_ns;
    if (got < wanted) /* truncated by somebody while we read */
        run->file_bytes = DB_HEADER_BYTES + got;
    uint64_t claimed_now = 0;
    snapshot_pread(descriptor, (unsigned char *)&claimed_now, sizeof(claimed_now),
                   offsetof(struct db_header, extents_claimed));
    bool grew = claimed_now != run->header->extents_claimed;
    bool sound = snapshot_header(run);
    run->incomplete = run->incomplete || grew;
    return sound;
}

static bool run_load(struct run *run)
{
    return extents_index(run) && check_records(run);
}

bool run_read(struct run *run, const char *path)
{
    *run = (struct run){.path = path};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return snapshot_open_fail(run, strerror(errno));
    struct stat status;
    bool good = fstat(descriptor, &status) == 0;
    if (!good)
        snapshot_open_fail(run, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        good =
            snapshot_open_fail(run, S_ISDIR(status.st_mode) ? "is a directory, not a file" : "is not a regular file");
    if (good) {
        run->file_bytes = (uint64_t)status.st_size;
        good = snapshot_copy(run, descriptor);
    }
    close(descriptor);
    return good && run_load(run);
}

bool run_read_bytes(struct run *run, const char *name, const void *bytes, size_t size_bytes)
{
    *run = (struct run){.path = name, .file_bytes = size_bytes};
    unsigned char first[DB_HEADER_BYTES] = {0};
    struct db_header *header = (struct db_header *)first;
    if (size_bytes > 0)
        memcpy(first, bytes, size_bytes < DB_HEADER_BYTES ? size_bytes : DB_HEADER_BYTES);
    if (!header_sound(run, header))
        return false;
    snapshot_room(run, snapshot_extents(header, size_bytes));
    size_t room = DB_HEADER_BYTES + run->extent_count * (size_t)DB_EXTENT_BYTES;
    memcpy(run->bytes, bytes, size_bytes < room ? size_bytes : room);
    return snapshot_header(run) && run_load(run);
}

void run_free(struct run *run)
{
    free(run->bytes);
    free(run->extents);
    free(run->processes);
    run->bytes = NULL;
    run->extents = NULL;
    run->processes = NULL;
}
