#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "kernel.h"
#include "ledger/map.h"

/* Extents that lie wholly inside the file, whatever its header says. */
static uint32_t ledger_extents_present(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || status.st_size < (off_t)DB_HEADER_BYTES) {
        return 0;
    }
    uint64_t extents = ((uint64_t)status.st_size - DB_HEADER_BYTES) / DB_EXTENT_BYTES;
    return extents < DB_EXTENTS_MAX ? (uint32_t)extents : DB_EXTENTS_MAX;
}

/* The offset of the next process record from extent `*index` on, 0 when there is none; `*index` moves behind it. */
static uint64_t ledger_next_process(int descriptor, uint32_t *index, struct db_process *process)
{
    uint32_t extents = ledger_extents_present(descriptor);
    while (*index < extents) {
        uint64_t offset = ledger_extent_offset((*index)++);
        struct db_extent extent;
        if (kernel_read_at(descriptor, &extent, sizeof extent, offset) == (ssize_t)sizeof extent &&
            extent.magic == DB_EXTENT_MAGIC && extent.kind == DB_KIND_PROCESS) {
            offset += sizeof extent;
            if (kernel_read_at(descriptor, process, sizeof *process, offset) == (ssize_t)sizeof *process) {
                return offset;
            }
        }
    }
    return 0;
}

static bool ledger_has_live_process(int descriptor)
{
    struct db_process process;
    uint32_t index = 0;
    while (ledger_next_process(descriptor, &index, &process) != 0) {
        pid_t pid = (pid_t)process.pid;
        /* This very process may have written there before it called exec: that program is gone. */
        if (process.ended == DB_END_RUNNING && pid > 0 && pid != kernel_process_id() && process.start_ticks != 0 &&
            kernel_start_ticks(pid) == process.start_ticks) {
            return true;
        }
    }
    return false;
}

bool ledger_is_live(int descriptor, const struct db_header *header)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK;
    }
    flock(descriptor, LOCK_UN);
    uint8_t boot_id[16];
    ledger_boot_id(boot_id);
    return header != NULL && memcmp(header->boot_id, boot_id, sizeof boot_id) == 0 &&
           ledger_has_live_process(descriptor);
}

void ledger_mark_replaced(void)
{
    struct db_process process;
    uint32_t index = 0;
    uint64_t offset;
    uint32_t pid = (uint32_t)kernel_process_id();
    uint64_t start_ticks = kernel_start_ticks((pid_t)pid);
    int descriptor = ledger_descriptor_borrow();
    while (descriptor >= 0 && (offset = ledger_next_process(descriptor, &index, &process)) != 0) {
        if (process.pid == pid && process.start_ticks == start_ticks && process.ended == DB_END_RUNNING) {
            const uint32_t ended = DB_END_EXEC;
            (void)!kernel_write_at(descriptor, &ended, sizeof ended, offset + offsetof(struct db_process, ended));
        }
    }
    ledger_descriptor_return(descriptor);
}
