#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "kernel.h"
#include "ledger/map.h"

void ledger_host_name(char name[DB_HOST_NAME_BYTES])
{
    memset(name, 0, DB_HOST_NAME_BYTES);
    gethostname(name, DB_HOST_NAME_BYTES - 1);
}

void ledger_boot_id(uint8_t boot_id[16])
{
    char text[64];
    size_t length = kernel_read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
    size_t digits = 0;
    memset(boot_id, 0, 16);
    for (size_t i = 0; i < length && digits < 32; i++) {
        int digit = text[i] >= '0' && text[i] <= '9'   ? text[i] - '0'
                    : text[i] >= 'a' && text[i] <= 'f' ? text[i] - 'a' + 10
                                                       : -1;
        if (digit >= 0) {
            boot_id[digits / 2] = (uint8_t)(boot_id[digits / 2] << 4 | digit);
            digits++;
        }
    }
}

/* Plain zeros, for file systems without fallocate, and sandboxes that refuse it by other errors than a full disk's: slower, but it takes the blocks all the same. */
static int ledger_write_zeros(int descriptor, uint64_t offset, uint64_t bytes)
{
    static const unsigned char zeros[DB_HEADER_BYTES];
    while (bytes > 0) {
        size_t piece = bytes < sizeof zeros ? (size_t)bytes : sizeof zeros;
        ssize_t written = kernel_write_at(descriptor, zeros, piece, offset);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written < 0 ? errno : ENOSPC;
        }
        offset += (uint64_t)written;
        bytes -= (uint64_t)written;
    }
    return 0;
}

int ledger_back(int descriptor, uint64_t offset, uint64_t bytes)
{
    /* Growing past RLIMIT_FSIZE would send the program a SIGXFSZ that it never earned. */
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        offset + bytes > limit.rlim_cur) {
        return EFBIG;
    }
    int attempts = 100;
    while (syscall(SYS_fallocate, descriptor, 0, (off_t)offset, (off_t)bytes) != 0) {
        bool is_full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO;
        if (is_full || (errno == EINTR && --attempts == 0)) {
            return errno;
        }
        if (errno != EINTR) {
            return ledger_write_zeros(descriptor, offset, bytes);
        }
    }
    return 0;
}

int ledger_header_write(int descriptor)
{
    union {
        struct db_header header;
        unsigned char bytes[DB_HEADER_BYTES];
    } page = {.header = {.version = DB_VERSION,
                         .header_bytes = DB_HEADER_BYTES,
                         .extent_bytes = DB_EXTENT_BYTES,
                         .byte_order = DB_BYTE_ORDER,
                         .machine = EM_X86_64,
                         .extents_limit = (uint32_t)((config.max_size_bytes - DB_HEADER_BYTES) / DB_EXTENT_BYTES),
                         .created_unix_ns = kernel_clock_ns(CLOCK_REALTIME)}};
    memcpy(page.header.magic, DB_MAGIC, DB_MAGIC_BYTES);
    memcpy(page.header.run_name, config.run_name, sizeof page.header.run_name);
    ledger_host_name(page.header.host_name);
    ledger_boot_id(page.header.boot_id);
    int error = ledger_back(descriptor, 0, DB_HEADER_BYTES);
    if (error != 0) {
        return error;
    }
    ssize_t written = kernel_write_at(descriptor, page.bytes, sizeof page.bytes, 0);
    return written == (ssize_t)sizeof page.bytes ? 0 : written < 0 ? errno : ENOSPC;
}

bool ledger_header_read(int descriptor, struct db_header *header)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && status.st_size >= (off_t)DB_HEADER_BYTES &&
           kernel_read_at(descriptor, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           memcmp(header->magic, DB_MAGIC, DB_MAGIC_BYTES) == 0 && header->version == DB_VERSION &&
           header->header_bytes == DB_HEADER_BYTES && header->extent_bytes == DB_EXTENT_BYTES &&
           header->byte_order == DB_BYTE_ORDER && header->extents_limit > 0 &&
           header->extents_limit <= DB_EXTENTS_MAX && memchr(header->run_name, '\0', sizeof header->run_name) != NULL &&
           memchr(header->host_name, '\0', sizeof header->host_name) != NULL;
}

int ledger_descriptor_raise(int descriptor)
{
    int high = (int)syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, KERNEL_DESCRIPTOR_MIN);
    kernel_close(descriptor);
    return high;
}

static bool ledger_descriptor_is_ours(int descriptor)
{
    struct stat status;
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == ledger_map.device &&
           status.st_ino == ledger_map.inode;
}

bool ledger_descriptor_held(void)
{
    return ledger_descriptor_is_ours(ledger_map.descriptor);
}

int ledger_descriptor_borrow(void)
{
    if (ledger_descriptor_is_ours(ledger_map.descriptor)) {
        return ledger_map.descriptor;
    }
    ledger_map.descriptor = -1;
    int descriptor = kernel_open_at(AT_FDCWD, ledger_map.path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (descriptor >= 0 && !ledger_descriptor_is_ours(descriptor)) {
        kernel_close(descriptor);
        return -1;
    }
    int high = descriptor >= 0 ? (int)syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, KERNEL_DESCRIPTOR_MIN) : -1;
    if (high < 0) {
        return descriptor; /* RLIMIT_NOFILE leaves no room above: for this one occasion a low number must do */
    }
    kernel_close(descriptor);
    return high;
}

void ledger_descriptor_return(int descriptor)
{
    if (descriptor >= 0 && descriptor != ledger_map.descriptor) {
        kernel_close(descriptor);
    }
}
