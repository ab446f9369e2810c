#include "model/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "model/source_code.h"

/* No source file is larger; a bomb is cut here. */
#define SOURCE_MAX_BYTES (8u << 20)

static struct map sources; /* path -> struct source */
static struct source **all;
static size_t all_count, all_capacity;

/* Parts of one text, in order, as one process stored them. */
struct parts {
    const struct run_process *process;
    uint32_t count, found;
    const struct db_source *records[]; /* NULL: missing */
};

static struct map stored; /* path -> struct parts */
static struct parts **stored_all;
static size_t stored_count, stored_capacity;
static bool indexed;

static struct map repository_paths; /* path -> the same below its repository, "" for one in none */

/* The parts of this record's text, made at the first; NULL when they cannot all be there. */
static struct parts *parts_of(const struct run_process *process, const struct db_source *record)
{
    const char *directory = run_text(process, process->record->directory_blob);
    struct map_key key = {(uintptr_t)path_absolute(directory, run_text(process, record->path_blob)), 0, 0};
    struct parts *parts = map_get(&stored, key);
    uint32_t count = record->parts > 0 ? record->parts : 1;
    if (parts != NULL || count > run_capacity(&process->tables[DB_KIND_SOURCE]))
        return parts;
    parts = memory_zeroed(1, sizeof(*parts) + count * sizeof(const struct db_source *));
    parts->process = process;
    parts->count = count;
    map_put(&stored, key, parts);
    stored_all = memory_grow(stored_all, stored_count, &stored_capacity, sizeof(struct parts *));
    return stored_all[stored_count++] = parts;
}

/* The first process that stored a text is the one whose parts count. */
static void parts_index(const struct model *model)
{
    indexed = true;
    for (size_t i = 0; i < model->process_count; i++) {
        const struct run_process *process = model->processes[i].run;
        struct run_cursor cursor = {0};
        for (const struct db_source *record; (record = run_next(&process->tables[DB_KIND_SOURCE], &cursor)) != NULL;) {
            struct parts *parts = parts_of(process, record);
            if (parts == NULL || parts->process != process || record->part >= parts->count ||
                parts->records[record->part] != NULL)
                continue;
            parts->records[record->part] = record;
            parts->found++;
        }
    }
}

/* Adds to the text, up to `room` bytes of it in all. */
static void append(struct source *source, size_t room, const unsigned char *bytes, size_t length_bytes)
{
    if (length_bytes > room - source->length_bytes)
        length_bytes = room - source->length_bytes;
    if (length_bytes == 0)
        return; /* a part without bytes has no address either */
    memcpy(source->text + source->length_bytes, bytes, length_bytes);
    source->length_bytes += length_bytes;
}

/* Feeds one part; false when the stream is broken or the text too long. */
static bool inflate_part(z_stream *stream, struct source *source, size_t room, struct run_blob blob)
{
    unsigned char piece[16384];
    stream->next_in = (unsigned char *)(uintptr_t)blob.bytes;
    stream->avail_in = (uInt)blob.length_bytes;
    while (stream->avail_in > 0 && source->length_bytes < room) {
        stream->next_out = piece;
        stream->avail_out = sizeof(piece);
        int status = inflate(stream, Z_NO_FLUSH);
        append(source, room, piece, sizeof(piece) - stream->avail_out);
        if (status == Z_STREAM_END)
            return true;
        if (status != Z_OK)
            return false;
    }
    return stream->avail_in == 0 || source->length_bytes == room;
}

static bool parts_unpack(const struct parts *parts, struct source *source)
{
    z_stream stream = {0};
    bool compressed = parts->records[0]->compression == DB_COMPRESSION_ZLIB, good = true;
    uint64_t size_bytes = parts->records[0]->file_size_bytes;
    size_t room = size_bytes < SOURCE_MAX_BYTES ? (size_t)size_bytes : SOURCE_MAX_BYTES;
    source->text = memory_zeroed(1, room + 1);
    if (compressed && inflateInit(&stream) != Z_OK)
        return false;
    for (uint32_t i = 0; i < parts->count && good; i++) {
        struct run_blob blob = run_blob(parts->process, parts->records[i]->text_blob);
        if (compressed)
            good = inflate_part(&stream, source, room, blob);
        else
            append(source, room, blob.bytes, blob.length_bytes);
    }
    if (compressed)
        inflateEnd(&stream);
    char *fitting = realloc(source->text, source->length_bytes + 1);
    source->text = fitting != NULL ? fitting : source->text;
    source->text[source->length_bytes] = '\0';
    return good;
}

/* The file's bytes as they are now; none where it is no regular file, or one too large for a source. False when nothing can be read. */
static bool read_disk(const char *path, char **text, size_t *length_bytes)
{
    struct stat status;
    int descriptor = path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (descriptor < 0)
        return false;
    bool good = fstat(descriptor, &status) == 0;
    if (good && S_ISREG(status.st_mode) && status.st_size <= (off_t)SOURCE_MAX_BYTES) {
        *text = memory_zeroed((size_t)status.st_size + 1, 1);
        ssize_t got = pread(descriptor, *text, (size_t)status.st_size, 0);
        *length_bytes = got > 0 ? (size_t)got : 0;
    }
    close(descriptor);
    return good;
}

static enum source_state compare_with_disk(const struct source *source)
{
    char *text = NULL;
    size_t length_bytes = 0;
    if (!read_disk(source->path, &text, &length_bytes))
        return SOURCE_GONE;
    bool same = text != NULL && length_bytes == source->length_bytes && memcmp(text, source->text, length_bytes) == 0;
    free(text);
    return same ? SOURCE_SAME : SOURCE_CHANGED;
}

/* Forked children share their parent's command line; a program that was started anew has read its files anew too. */
static bool is_fork_of(const struct run_process *child, const struct run_process *parent)
{
    struct run_blob a = run_blob(child, child->record->arguments_blob),
                    b = run_blob(parent, parent->record->arguments_blob);
    return child->record->parent_pid == parent->record->pid && parent->ordinal < child->ordinal &&
           a.length_bytes == b.length_bytes && (a.length_bytes == 0 || memcmp(a.bytes, b.bytes, a.length_bytes) == 0);
}

/* When the program of a process began: forked children run what their parents read. */
static uint64_t program_start_unix_ns(const struct model *model, const struct run_process *process)
{
    for (size_t i = model->process_count; i-- > 0;)
        if (is_fork_of(process, model->processes[i].run))
            process = model->processes[i].run;
    return process->record->start_unix_ns;
}

/* Texts are stored some time after the interpreter read them. */
static bool edited_while_running(const struct model *model, const struct parts *parts)
{
    uint64_t start_ns = program_start_unix_ns(model, parts->process);
    int64_t modified_ns = parts->records[0]->modified_unix_ns;
    return start_ns > 0 && modified_ns > 0 && (uint64_t)modified_ns > start_ns;
}

/* Texts are below 4 GiB by far. */
static void lines_index(struct source *source)
{
    const char *end = source->text + source->length_bytes;
    size_t capacity = 0;
    for (const char *at = source->text; at != NULL;) {
        source->line_starts =
            memory_grow(source->line_starts, source->line_count, &capacity, sizeof(*source->line_starts));
        source->line_starts[source->line_count++] = (uint32_t)(at - source->text);
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop != NULL ? stop + 1 : NULL;
    }
}

/* Python takes a carriage return by itself for the end of a line, too. */
static void end_lines(struct source *source)
{
    for (size_t i = 0; i < source->length_bytes; i++)
        if (source->text[i] == '\r' && (i + 1 == source->length_bytes || source->text[i + 1] != '\n'))
            source->text[i] = '\n';
}

static void source_load(const struct model *model, struct source *source)
{
    if (!indexed)
        parts_index(model);
    struct map_key key = {(uintptr_t)source->path, 0, 0};
    const struct parts *parts = map_get(&stored, key);
    if (parts != NULL && parts->found == parts->count && parts_unpack(parts, source)) {
        source->state = edited_while_running(model, parts) ? SOURCE_EDITED : compare_with_disk(source);
        return;
    }
    free(source->text);
    source->text = NULL;
    source->length_bytes = 0;
    read_disk(source->path, &source->text, &source->length_bytes);
    source->state = source->text != NULL ? SOURCE_DISK : SOURCE_NONE;
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
    if (source->text != NULL) {
        end_lines(source);
        lines_index(source);
    }
    map_put(&sources, key, source);
    all = memory_grow(all, all_count, &all_capacity, sizeof(struct source *));
    all[all_count++] = source;
    return source;
}

/* The source's twin, a copy that `overwrite` changes in its place. */
static const struct source *twin_of(const struct source *source, struct source **twin,
                                    void (*overwrite)(char *, size_t))
{
    if (*twin != NULL)
        return *twin;
    *twin = memory_zeroed(1, sizeof(**twin));
    **twin = (struct source){.path = source->path,
                             .state = source->state,
                             .length_bytes = source->length_bytes,
                             .line_starts = source->line_starts,
                             .line_count = source->line_count};
    if (source->text != NULL) {
        (*twin)->text = memory_zeroed(1, source->length_bytes + 1);
        memcpy((*twin)->text, source->text, source->length_bytes);
        overwrite((*twin)->text, source->length_bytes);
    }
    return *twin;
}

static struct source *loaded(const struct model *model, const char *path)
{
    struct map_key key = {(uintptr_t)source_get(model, path)->path, 0, 0};
    return map_get(&sources, key);
}

const struct source *source_code(const struct model *model, const char *path)
{
    struct source *source = loaded(model, path);
    return twin_of(source, &source->code, source_code_only);
}

static void join(char *text, size_t length_bytes)
{
    source_without_annotations(text, length_bytes);
    source_join_subscripts(text, length_bytes);
}

const struct source *source_joined(const struct model *model, const char *path)
{
    struct source *source = loaded(model, path);
    return twin_of(source, &source->joined, join);
}

static void free_twin(struct source *twin)
{
    if (twin != NULL)
        free(twin->text);
    free(twin);
}

void source_free_all(void)
{
    for (size_t i = 0; i < all_count; i++) {
        free_twin(all[i]->code);
        free_twin(all[i]->joined);
        free(all[i]->line_starts);
        free(all[i]->text);
        free(all[i]);
    }
    free(all);
    all = NULL;
    all_count = all_capacity = 0;
    map_free(&sources);
    for (size_t i = 0; i < stored_count; i++)
        free(stored_all[i]);
    free(stored_all);
    stored_all = NULL;
    stored_count = stored_capacity = 0;
    map_free(&stored);
    map_free(&repository_paths);
    indexed = false;
}

/* Its length without the end of the line. */
static size_t line_length(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop != NULL ? stop : end) - at);
    return length > 0 && at[length - 1] == '\r' ? length - 1 : length;
}

const char *source_line_before(const struct source *source, const char *line, size_t *length_bytes)
{
    if (line == source->text)
        return NULL;
    const char *end = line - 1; /* the line end of the one before */
    const char *found = memrchr(source->text, '\n', (size_t)(end - source->text));
    const char *at = found != NULL ? found + 1 : source->text;
    *length_bytes = line_length(at, line);
    return at;
}

const char *source_line(const struct source *source, int32_t number, size_t *length_bytes)
{
    if (number < 1 || (size_t)number > source->line_count)
        return NULL;
    const char *at = source->text + source->line_starts[number - 1], *end = source->text + source->length_bytes;
    if (at == end)
        return NULL; /* behind the last line end */
    *length_bytes = line_length(at, end);
    return at;
}

/* Looked for on the disk. */
static const char *find_repository_path(const char *path)
{
    const char *found = NULL;
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

const char *source_repository_path(const char *path)
{
    if (path[0] != '/')
        return NULL;
    struct map_key key = {(uintptr_t)intern_string(path), 0, 0};
    const char *known = map_get(&repository_paths, key);
    if (known == NULL) {
        known = find_repository_path(path);
        map_put(&repository_paths, key, (void *)(uintptr_t)(known != NULL ? known : ""));
    }
    return known == NULL || *known == '\0' ? NULL : known;
}
