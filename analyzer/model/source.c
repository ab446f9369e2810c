#include "model/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

/* No source file is larger; a bomb is cut here. */
#define SOURCE_MAX_BYTES (8u << 20)

static struct map sources; /* path -> struct source */
static struct source **all;
static size_t all_count, all_capacity;

/* Parts of one text, in order. */
struct parts {
    const struct run_process *process;
    const struct db_source **records;
    uint32_t count;
};

/* Finds the parts of `path` in one process. False when a part is missing. */
static bool parts_find(struct parts *parts, const struct run_process *process, const char *path)
{
    const struct run_table *table = &process->tables[DB_KIND_SOURCE];
    const char *directory = run_text(process, process->record->directory_blob);
    struct run_cursor cursor = {0};
    uint32_t found = 0;
    *parts = (struct parts){.process = process};
    for (const struct db_source *record; (record = run_next(table, &cursor)) != NULL;) {
        if (path_absolute(directory, run_text(process, record->path_blob)) != path ||
            record->parts > run_capacity(table))
            continue;
        if (parts->records == NULL) {
            parts->count = record->parts > 0 ? record->parts : 1;
            parts->records = memory_zeroed(parts->count, sizeof(*parts->records));
        }
        if (record->part < parts->count && parts->records[record->part] == NULL) {
            parts->records[record->part] = record;
            found++;
        }
    }
    return parts->records != NULL && found == parts->count;
}

static void append(struct source *source, const unsigned char *bytes, size_t length_bytes)
{
    if (length_bytes > SOURCE_MAX_BYTES - source->length_bytes)
        length_bytes = SOURCE_MAX_BYTES - source->length_bytes;
    memcpy(source->text + source->length_bytes, bytes, length_bytes);
    source->length_bytes += length_bytes;
}

/* Feeds one part; false when the stream is broken or the text too long. */
static bool inflate_part(z_stream *stream, struct source *source, struct run_blob blob)
{
    unsigned char piece[16384];
    stream->next_in = (unsigned char *)(uintptr_t)blob.bytes;
    stream->avail_in = (uInt)blob.length_bytes;
    while (stream->avail_in > 0 && source->length_bytes < SOURCE_MAX_BYTES) {
        stream->next_out = piece;
        stream->avail_out = sizeof(piece);
        int status = inflate(stream, Z_NO_FLUSH);
        append(source, piece, sizeof(piece) - stream->avail_out);
        if (status == Z_STREAM_END)
            return true;
        if (status != Z_OK)
            return false;
    }
    return stream->avail_in == 0;
}

static bool parts_unpack(const struct parts *parts, struct source *source)
{
    z_stream stream = {0};
    bool compressed = parts->records[0]->compression == DB_COMPRESSION_ZLIB, good = true;
    source->text = memory_zeroed(1, SOURCE_MAX_BYTES + 1);
    if (compressed && inflateInit(&stream) != Z_OK)
        return false;
    for (uint32_t i = 0; i < parts->count && good; i++) {
        struct run_blob blob = run_blob(parts->process, parts->records[i]->text_blob);
        if (compressed)
            good = inflate_part(&stream, source, blob);
        else
            append(source, blob.bytes, blob.length_bytes);
    }
    if (compressed)
        inflateEnd(&stream);
    return good;
}

/* The file's bytes as they are now; false when there is no such regular file of sane size. */
static bool read_disk(const char *path, char **text, size_t *length_bytes, struct stat *status)
{
    int descriptor = path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (descriptor < 0)
        return false;
    bool good =
        fstat(descriptor, status) == 0 && S_ISREG(status->st_mode) && status->st_size <= (off_t)SOURCE_MAX_BYTES;
    if (good) {
        *text = memory_zeroed((size_t)status->st_size + 1, 1);
        ssize_t got = pread(descriptor, *text, (size_t)status->st_size, 0);
        *length_bytes = got > 0 ? (size_t)got : 0;
    }
    close(descriptor);
    return good;
}

static enum source_state compare_with_disk(const struct source *source)
{
    char *text = NULL;
    size_t length_bytes = 0;
    struct stat status;
    if (!read_disk(source->path, &text, &length_bytes, &status))
        return SOURCE_GONE;
    bool same = length_bytes == source->length_bytes && memcmp(text, source->text, length_bytes) == 0;
    free(text);
    return same ? SOURCE_SAME : SOURCE_CHANGED;
}

static void source_load(const struct model *model, struct source *source)
{
    struct stat status;
    for (size_t i = 0; i < model->process_count; i++) {
        struct parts parts;
        bool good = parts_find(&parts, model->processes[i].run, source->path) && parts_unpack(&parts, source);
        free(parts.records);
        if (good) {
            source->state = compare_with_disk(source);
            return;
        }
        free(source->text);
        source->text = NULL;
        source->length_bytes = 0;
    }
    source->state = read_disk(source->path, &source->text, &source->length_bytes, &status) ? SOURCE_DISK : SOURCE_NONE;
}

const struct source *source_get(const struct model *model, const char *path)
{
    struct map_key key = {(uintptr_t)intern_string(path), 0, 0};
    struct source *source = map_get(&sources, key);
    if (source != NULL)
        return source;
    source = memory_zeroed(1, sizeof(*source));
    source->path = intern_string(path);
    source_load(model, source);
    map_put(&sources, key, source);
    all = memory_grow(all, all_count, &all_capacity, sizeof(struct source *));
    all[all_count++] = source;
    return source;
}

void source_free_all(void)
{
    for (size_t i = 0; i < all_count; i++) {
        free(all[i]->text);
        free(all[i]);
    }
    free(all);
    all = NULL;
    all_count = all_capacity = 0;
    map_free(&sources);
}

const char *source_line(const struct source *source, int32_t number, size_t *length_bytes)
{
    const char *at = source->text, *end = at != NULL ? at + source->length_bytes : NULL;
    for (int32_t i = 1; at != NULL && i < number; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL || at >= end || number < 1)
        return NULL;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *length_bytes = (size_t)((stop != NULL ? stop : end) - at);
    if (*length_bytes > 0 && at[*length_bytes - 1] == '\r')
        (*length_bytes)--;
    return at;
}

const char *source_repository_path(const char *path)
{
    const char *found = NULL;
    if (path[0] != '/')
        return NULL;
    for (size_t length = strlen(path); length > 0 && found == NULL; length--) {
        if (path[length - 1] != '/')
            continue;
        char *git = memory_print("%.*s.git", (int)length, path);
        if (access(git, F_OK) == 0)
            found = intern_string(path + length);
        free(git);
    }
    return found;
}
