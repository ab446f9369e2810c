#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "kernel.h"
#include "ledger/map.h"
#include "say.h"

struct ledger_map ledger_map = {.descriptor = -1};

#define LEDGER_ADDRESS_SHARE 16u /* of RLIMIT_AS: what is reserved here is missing to the program */

/* Extents that this process maps: all that the file may ever hold, less where address space is limited. */
static uint32_t ledger_extents_affordable(uint32_t extents_limit)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return extents_limit;
    }
    uint64_t affordable = (uint64_t)limit.rlim_cur / LEDGER_ADDRESS_SHARE / DB_EXTENT_BYTES + 1;
    return affordable < extents_limit ? (uint32_t)affordable : extents_limit;
}

void ledger_limit_text(char *to, size_t capacity)
{
    if (ledger_map.extents_limit >= ledger_map.header->extents_limit) {
        snprintf(to, capacity, "PIEPROF_MAX_SIZE");
        return;
    }
    snprintf(to, capacity, "%u MiB, all that the limit of address space (ulimit -v) leaves it",
             (unsigned)(ledger_map.mapped_bytes >> 20));
}

/* Maps all that the file may ever become: extents are backed one by one, the mapping never moves. */
static bool ledger_map_file(int descriptor)
{
    struct db_header header;
    struct stat status;
    if (!ledger_header_read(descriptor, &header) || fstat(descriptor, &status) != 0) {
        errno = EIO;
        return false;
    }
    ledger_map.device = status.st_dev;
    ledger_map.inode = status.st_ino;
    ledger_map.extents_limit = ledger_extents_affordable(header.extents_limit);
    ledger_map.mapped_bytes = DB_HEADER_BYTES + (uint64_t)ledger_map.extents_limit * DB_EXTENT_BYTES;
    void *start =
        mmap(NULL, ledger_map.mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (start == MAP_FAILED) {
        return false;
    }
    ledger_map.header = start;
    return true;
}

static void ledger_join_run(void)
{
    ledger_map.process = (uint32_t)__atomic_add_fetch(&ledger_map.header->processes, 1, __ATOMIC_RELAXED);
    ledger_map.opened_by = kernel_process_id();
    ledger_reserve();
}

bool ledger_open(void)
{
    memcpy(ledger_map.path, config.out_path, sizeof ledger_map.path);
    int descriptor = ledger_place_open(&ledger_map.created);
    if (descriptor < 0) {
        return false;
    }
    bool mapped = ledger_map_file(descriptor);
    int error = errno;
    ledger_map.descriptor = ledger_descriptor_raise(descriptor);
    if (!mapped || !ledger_extents_start()) {
        say(SAY_ERROR, "cannot map \"%s\" (%u MiB): %s; the program runs unprofiled", ledger_map.path,
            (unsigned)(ledger_map.mapped_bytes >> 20), strerror(mapped ? ENOMEM : error));
        ledger_map.header = NULL;
        return false;
    }
    memcpy(config.out_path, ledger_map.path, sizeof config.out_path);
    if (!ledger_map.created) {
        ledger_mark_replaced();
    }
    ledger_join_run();
    return true;
}

bool ledger_is_open(void)
{
    return ledger_map.header != NULL && !atomic_load(&ledger_map.lost);
}

bool ledger_is_refused(void)
{
    return atomic_load(&ledger_map.shortage) == LEDGER_SHORTAGE_DISK;
}

void ledger_count_refused_join(void)
{
    if (ledger_map.header != NULL) {
        __atomic_fetch_add(&ledger_map.header->dropped_joins, 1, __ATOMIC_RELAXED);
    }
}

void ledger_reset_child(void)
{
    ledger_extents_reset();
    atomic_store(&ledger_map.full, false);
    atomic_store(&ledger_map.refused, false);
    if (ledger_is_open()) {
        ledger_join_run();
    }
}

bool ledger_first_to_say(uint64_t trouble)
{
    if (ledger_map.header == NULL) {
        return true;
    }
    /* The file's memory of what was said is gone with it: then its creator speaks for the run. */
    if (atomic_load(&ledger_map.lost) && (!ledger_map.created || ledger_map.opened_by != kernel_process_id())) {
        return false;
    }
    return (__atomic_fetch_or(&ledger_map.header->trouble_said, trouble, __ATOMIC_RELAXED) & trouble) == 0;
}
