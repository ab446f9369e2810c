#include "stack/source_text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "ledger/ledger.h"
#include "memory.h"

#define ZLIB_MEMORY_BYTES (1u << 20)

static struct {
    int (*begin)(z_streamp stream, int level, const char *version, int stream_bytes);
    int (*run)(z_streamp stream, int flush);
    const char *(*version)(void);
} zlib;

void source_text_start(void)
{
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return;
    }
    zlib.run = __extension__(int (*)(z_streamp, int)) dlsym(library, "deflate");
    zlib.version = __extension__(const char *(*)(void)) dlsym(library, "zlibVersion");
    zlib.begin = __extension__(int (*)(z_streamp, int, const char *, int)) dlsym(library, "deflateInit_");
}

/* zlib asks for its tables through these: from one mapping that is given back whole, never from the program's heap. */
struct arena {
    uint8_t *memory;
    size_t used;
};

static voidpf arena_take(voidpf opaque, uInt items, uInt size)
{
    struct arena *arena = opaque;
    size_t bytes = ((size_t)items * size + 15) & ~(size_t)15;
    if (bytes > ZLIB_MEMORY_BYTES - arena->used) {
        return Z_NULL;
    }
    void *taken = arena->memory + arena->used;
    arena->used += bytes;
    return taken;
}

static void arena_give(voidpf opaque, voidpf address)
{
    (void)opaque, (void)address;
}

/* Compressed size, 0 when there is no zlib or it does not get smaller. */
static size_t compress_text(const uint8_t *text, size_t bytes, uint8_t *to)
{
    if (zlib.begin == NULL || zlib.run == NULL || zlib.version == NULL) {
        return 0;
    }
    struct arena arena = {.memory = memory_map(ZLIB_MEMORY_BYTES)};
    if (arena.memory == NULL) {
        return 0;
    }
    z_stream stream = {.zalloc = arena_take, .zfree = arena_give, .opaque = &arena};
    size_t written = 0;
    if (zlib.begin(&stream, 6, zlib.version(), (int)sizeof stream) == Z_OK) {
        stream.next_in = (z_const Bytef *)(uintptr_t)text;
        stream.avail_in = (uInt)bytes;
        stream.next_out = to;
        stream.avail_out = (uInt)bytes;
        written = zlib.run(&stream, Z_FINISH) == Z_STREAM_END ? bytes - stream.avail_out : 0;
    }
    memory_unmap(arena.memory, ZLIB_MEMORY_BYTES);
    return written;
}

static bool read_whole(int file, uint8_t *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        long got = syscall(SYS_read, file, to + done, bytes - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* All parts or none: a reader that finds part 0 of n expects the rest behind it. */
static uint32_t store_parts(const struct db_source *common, const uint8_t *data, size_t bytes)
{
    uint32_t first = 0;
    uint32_t parts = (uint32_t)((bytes + DB_BLOB_MAX_BYTES - 1) / DB_BLOB_MAX_BYTES);
    for (uint32_t part = 0; part < parts; part++) {
        size_t at = part * DB_BLOB_MAX_BYTES;
        size_t length = bytes - at < DB_BLOB_MAX_BYTES ? bytes - at : DB_BLOB_MAX_BYTES;
        uint32_t id = 0;
        uint32_t blob = ledger_blob(data + at, length);
        struct db_source *record = blob != 0 ? ledger_claim(DB_KIND_SOURCE, &id) : NULL;
        if (record == NULL) {
            return 0;
        }
        *record = *common;
        record->part = part;
        record->parts = parts;
        record->text_blob = blob;
        ledger_publish(record);
        first = part == 0 ? id : first;
    }
    return first;
}

static uint32_t store_open(int file, uint32_t path_blob, size_t bytes_max, size_t *bytes)
{
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        (size_t)status.st_size > bytes_max) {
        return 0;
    }
    size_t size = (size_t)status.st_size;
    uint8_t *text = memory_map(2 * size); /* the text, then room for it compressed */
    if (text == NULL) {
        return 0;
    }
    struct db_source common = {
        .path_blob = path_blob,
        .file_size_bytes = size,
        .modified_unix_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
    };
    uint32_t id = 0;
    if (read_whole(file, text, size)) {
        size_t small = compress_text(text, size, text + size);
        common.compression = small > 0 ? DB_COMPRESSION_ZLIB : DB_COMPRESSION_NONE;
        id = store_parts(&common, small > 0 ? text + size : text, small > 0 ? small : size);
        *bytes += size;
    }
    memory_unmap(text, 2 * size);
    return id;
}

uint32_t source_text_store(const char *path, uint32_t path_blob, size_t bytes_max, size_t *bytes)
{
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return 0;
    }
    uint32_t id = store_open((int)file, path_blob, bytes_max, bytes);
    syscall(SYS_close, file);
    return id;
}
