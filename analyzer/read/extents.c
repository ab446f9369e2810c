/* Extents, sorted into one table for each process and kind; and the way from an id to its record. */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"
#include "read/run_private.h"

static const size_t kind_bytes[DB_KIND_END] = {
#define X(name, type) [DB_KIND_##name] = sizeof(type),
    DB_KINDS(X)
#undef X
};

#define EXTENT_PAYLOAD (DB_EXTENT_BYTES - sizeof(struct db_extent))

static size_t kind_per_extent(uint32_t kind)
{
    return kind == DB_KIND_BLOB ? EXTENT_PAYLOAD : EXTENT_PAYLOAD / kind_bytes[kind];
}

/* Is the header at `offset` one a shim can have written? Only a sound one makes an entry. */
static bool extent_sound(struct run *run, uint64_t offset, const struct db_extent *extent)
{
    if (extent->magic != DB_EXTENT_MAGIC)
        return run_fail(run, offset, "extent magic 0x%x, expected 0x%x", extent->magic, DB_EXTENT_MAGIC);
    if (extent->kind == DB_KIND_NONE || extent->kind >= DB_KIND_END)
        return run_fail(run, offset + offsetof(struct db_extent, kind), "unknown extent kind %u", extent->kind);
    if (extent->process == 0)
        return run_fail(run, offset + offsetof(struct db_extent, process), "extent of process 0");
    size_t expected = extent->kind == DB_KIND_BLOB ? 0 : kind_bytes[extent->kind];
    if (extent->record_bytes != expected)
        return run_fail(run, offset + offsetof(struct db_extent, record_bytes), "records of %u bytes, expected %zu",
                        extent->record_bytes, expected);
    uint64_t limit = run->extent_count * (uint64_t)kind_per_extent(extent->kind);
    bool blob = extent->kind == DB_KIND_BLOB;
    bool reachable = run->incomplete || extent->first_id <= limit;
    if ((!blob && extent->first_id == 0) || (blob && extent->first_id % 8 != 0) || !reachable ||
        extent->first_id > UINT32_MAX)
        return run_fail(run, offset + offsetof(struct db_extent, first_id), "first id %llu out of range",
                        (unsigned long long)extent->first_id);
    return true;
}

static int extent_order(const void *left, const void *right)
{
    const struct run_extent *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->first_id != b->first_id)
        return a->first_id < b->first_id ? -1 : 1;
    return a->offset < b->offset ? -1 : 1;
}

/* Where the file ends within the extent's records: the last whole one is the last there is. */
static void extent_cut(struct run_extent *extent, uint64_t file_bytes)
{
    uint64_t start = extent->offset + sizeof(struct db_extent);
    extent->bytes = file_bytes - start < EXTENT_PAYLOAD ? (size_t)(file_bytes - start) : EXTENT_PAYLOAD;
    size_t record_bytes = kind_bytes[extent->kind];
    size_t whole = extent->kind == DB_KIND_BLOB ? extent->bytes : extent->bytes / record_bytes * record_bytes;
    if (extent->bytes < EXTENT_PAYLOAD)
        memset(extent->records + whole, 0, EXTENT_PAYLOAD - whole);
}

static bool extents_collect(struct run *run)
{
    run->extents = memory_zeroed(run->extent_count, sizeof(*run->extents));
    for (size_t i = 0; i < run->extent_count; i++) {
        uint64_t offset = DB_HEADER_BYTES + (uint64_t)i * DB_EXTENT_BYTES;
        struct db_extent *extent = (struct db_extent *)(run->bytes + offset);
        if (extent->magic == 0 || run->file_bytes - offset < sizeof(*extent)) {
            run->incomplete = true; /* cut, or claimed by a process that did not live to use it */
            continue;
        }
        if (!extent_sound(run, offset, extent))
            return false;
        struct run_extent *added = &run->extents[run->used_extents++];
        *added = (struct run_extent){.records = (unsigned char *)(extent + 1),
                                     .offset = offset,
                                     .first_id = extent->first_id,
                                     .process = extent->process,
                                     .kind = extent->kind};
        extent_cut(added, run->file_bytes);
    }
    if (run->used_extents > 0)
        qsort(run->extents, run->used_extents, sizeof(*run->extents), extent_order);
    return true;
}

static bool extents_disjoint(struct run *run)
{
    for (size_t i = 1; i < run->used_extents; i++) {
        struct run_extent *before = &run->extents[i - 1], *extent = &run->extents[i];
        if (before->process != extent->process || before->kind != extent->kind)
            continue;
        if (extent->first_id < before->first_id + kind_per_extent(extent->kind))
            return run_fail(run, extent->offset, "extent repeats ids of the one at 0x%llx",
                            (unsigned long long)before->offset);
        extent->index = before->index + kind_per_extent(extent->kind);
    }
    return true;
}

/* Adds the process whose extents are [first, end) when its record is published. */
static void extents_add_process(struct run *run, size_t first, size_t end)
{
    struct run_process process = {.ordinal = run->extents[first].process};
    for (size_t i = first; i < end; i++) {
        struct run_table *table = &process.tables[run->extents[i].kind];
        if (table->extent_count++ == 0) {
            table->extents = &run->extents[i];
            table->per_extent = kind_per_extent(run->extents[i].kind);
            table->per_record = (UINT64_C(1) << RUN_EXTENT_SHIFT) / table->per_extent + 1;
            table->record_bytes = run->extents[i].kind == DB_KIND_BLOB ? 0 : kind_bytes[run->extents[i].kind];
        }
    }
    struct run_cursor cursor = {0};
    process.record = run_next(&process.tables[DB_KIND_PROCESS], &cursor);
    if (process.record != NULL)
        run->processes[run->process_count++] = process;
}

bool extents_index(struct run *run)
{
    if (!extents_collect(run) || !extents_disjoint(run))
        return false;
    run->processes = memory_zeroed(run->used_extents, sizeof(*run->processes));
    for (size_t first = 0, end; first < run->used_extents; first = end) {
        for (end = first; end < run->used_extents && run->extents[end].process == run->extents[first].process; end++)
            ;
        extents_add_process(run, first, end);
    }
    return true;
}

static const struct run_extent *extent_search(const struct run_table *table, uint64_t id)
{
    size_t low = 0, high = table->extent_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->extents[middle].first_id <= id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || id - table->extents[low - 1].first_id >= table->per_extent)
        return NULL;
    return &table->extents[low - 1];
}

/*
 * The extent that holds `id` (blobs: the byte); NULL when none does. Where none is missing, a product tells which as a division does:
 * records are asked for millions of times.
 */
static inline const struct run_extent *table_extent(const struct run_table *table, uint64_t id)
{
    if (table->extent_count == 0)
        return NULL;
    uint64_t guess = (id - table->extents[0].first_id) * table->per_record >> RUN_EXTENT_SHIFT;
    if (guess < table->extent_count && id - table->extents[guess].first_id < table->per_extent)
        return &table->extents[guess];
    return extent_search(table, id);
}

size_t run_index(const struct run_table *table, uint64_t id)
{
    const struct run_extent *extent = table_extent(table, id);
    return extent != NULL ? (size_t)(extent->index + (id - extent->first_id)) : SIZE_MAX;
}

size_t run_capacity(const struct run_table *table)
{
    return table->extent_count * table->per_extent;
}

/* The slot of an id, published or not. */
static unsigned char *table_slot(const struct run_table *table, uint64_t id)
{
    const struct run_extent *extent = id != 0 ? table_extent(table, id) : NULL;
    return extent != NULL ? extent->records + (id - extent->first_id) * table->record_bytes : NULL;
}

static bool slot_published(const unsigned char *slot)
{
    uint32_t published;
    memcpy(&published, slot, sizeof(published));
    return published != 0;
}

void *run_record(const struct run_process *process, enum db_kind kind, uint64_t id)
{
    unsigned char *slot = table_slot(&process->tables[kind], id);
    return slot != NULL && slot_published(slot) ? slot : NULL;
}

enum run_reference run_reference(const struct run *run, const struct run_process *process, enum db_kind kind,
                                 uint64_t id)
{
    const unsigned char *slot = table_slot(&process->tables[kind], id);
    if (slot == NULL)
        return run->incomplete ? RUN_REFERENCE_UNFINISHED : RUN_REFERENCE_BAD;
    return slot_published(slot) ? RUN_REFERENCE_GOOD : RUN_REFERENCE_UNFINISHED;
}

/* A blob's header, the bytes its extent has behind it, and those of them that are in the file. */
struct blob_place {
    struct db_blob *blob; /* NULL: no extent holds it */
    size_t room, there;
};

static struct blob_place blob_find(const struct run_process *process, uint32_t reference)
{
    struct blob_place place = {0};
    const struct run_table *table = &process->tables[DB_KIND_BLOB];
    const struct run_extent *extent = table_extent(table, reference - 1u);
    if (extent == NULL || (reference - 1u) % 8 != 0)
        return place;
    size_t behind = (size_t)(reference - 1u - extent->first_id) + sizeof(struct db_blob);
    if (behind > table->per_extent)
        return place;
    place.blob = (struct db_blob *)(extent->records + behind - sizeof(struct db_blob));
    place.room = table->per_extent - behind;
    place.there = extent->bytes > behind ? extent->bytes - behind : 0;
    return place;
}

enum run_reference run_blob_reference(const struct run *run, const struct run_process *process, uint32_t reference)
{
    if (reference == 0)
        return RUN_REFERENCE_GOOD;
    struct blob_place place = blob_find(process, reference);
    if (place.blob == NULL)
        return run->incomplete && (reference - 1u) % 8 == 0 ? RUN_REFERENCE_UNFINISHED : RUN_REFERENCE_BAD;
    if (place.blob->published == 0)
        return RUN_REFERENCE_UNFINISHED;
    if (place.blob->length_bytes > place.room)
        return RUN_REFERENCE_BAD;
    return place.blob->length_bytes <= place.there ? RUN_REFERENCE_GOOD : RUN_REFERENCE_UNFINISHED;
}

struct run_blob run_blob(const struct run_process *process, uint32_t reference)
{
    struct run_blob none = {0};
    if (reference == 0)
        return none;
    struct blob_place place = blob_find(process, reference);
    if (place.blob == NULL || place.blob->published == 0 || place.blob->length_bytes > place.there)
        return none;
    return (struct run_blob){.bytes = (const unsigned char *)(place.blob + 1),
                             .length_bytes = place.blob->length_bytes};
}

const char *run_text(const struct run_process *process, uint32_t reference)
{
    struct run_blob blob = run_blob(process, reference);
    return intern_bytes(blob.bytes, blob.length_bytes);
}

void *run_next(const struct run_table *table, struct run_cursor *cursor)
{
    for (; cursor->extent < table->extent_count; cursor->extent++, cursor->record = 0) {
        const struct run_extent *extent = &table->extents[cursor->extent];
        while (cursor->record < table->per_extent) {
            size_t record = cursor->record++;
            unsigned char *slot = extent->records + record * table->record_bytes;
            if (!slot_published(slot))
                continue;
            cursor->id = extent->first_id + record;
            cursor->index = (size_t)extent->index + record;
            cursor->offset = extent->offset + sizeof(struct db_extent) + record * table->record_bytes;
            return slot;
        }
    }
    return NULL;
}
