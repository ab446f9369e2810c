/*
 * Every published record, once. Two outcomes beside good: a reference to something a killed writer, a cut or a live run
 * left unfinished is set to 0 and counted; a value no writer can have produced ends the reading.
 */
#include <string.h>

#include "read/run_private.h"

struct check {
    struct run *run;
    struct run_process *process;
    uint64_t id, offset; /* of the record being checked */
};

static bool check_blob(struct check *check, const char *what, uint32_t *reference)
{
    switch (run_blob_reference(check->run, check->process, *reference)) {
    case RUN_REFERENCE_GOOD:
        return true;
    case RUN_REFERENCE_UNFINISHED:
        *reference = 0;
        check->run->damaged++;
        return true;
    default:
        return run_fail(check->run, check->offset,
                        "%s refers to blob %u, which is not there or reaches over its extent", what, *reference);
    }
}

/* Sets `*unfinished` when the record referred to is not there yet. */
static bool check_id(struct check *check, const char *what, enum db_kind kind, uint64_t id, bool *unfinished)
{
    enum run_reference reference = run_reference(check->run, check->process, kind, id);
    *unfinished = reference == RUN_REFERENCE_UNFINISHED;
    check->run->damaged += *unfinished;
    if (reference != RUN_REFERENCE_BAD)
        return true;
    return run_fail(check->run, check->offset, "%s %llu refers to record %llu, which is out of range", what,
                    (unsigned long long)check->id, (unsigned long long)id);
}

static bool check_range(struct check *check, const char *what, uint64_t value, uint64_t lowest, uint64_t highest)
{
    if (value >= lowest && value <= highest)
        return true;
    return run_fail(check->run, check->offset, "%s %llu is none of %llu to %llu", what, (unsigned long long)value,
                    (unsigned long long)lowest, (unsigned long long)highest);
}

static bool check_PROCESS(struct check *check, struct db_process *record)
{
    if (record != check->process->record)
        return run_fail(check->run, check->offset, "a second record for process %u", check->process->ordinal);
    for (size_t i = 0; i < DB_ENGINE_COUNT; i++)
        if (!check_range(check, "engine state", record->engines[i].state, DB_ENGINE_OFF, DB_ENGINE_ON))
            return false;
    return check_range(check, "way a process ended", record->ended, DB_END_RUNNING, DB_END_SIGNAL) &&
           check_blob(check, "process", &record->arguments_blob) &&
           check_blob(check, "process", &record->directory_blob) &&
           check_blob(check, "process", &record->executable_blob) &&
           check_blob(check, "process", &record->trigger_blob);
}

static bool check_CODE(struct check *check, struct db_code *record)
{
    bool unfinished = false;
    if (record->source != 0 && !check_id(check, "code", DB_KIND_SOURCE, record->source, &unfinished))
        return false;
    if (unfinished)
        record->source = 0;
    return check_blob(check, "code", &record->file_blob) && check_blob(check, "code", &record->name_blob) &&
           check_blob(check, "code", &record->lines_blob);
}

static bool check_MODULE(struct check *check, struct db_module *record)
{
    if (record->low_address > record->high_address)
        return run_fail(check->run, check->offset, "module ends before it begins");
    return check_range(check, "build-id length", record->build_id_bytes, 0, DB_BUILD_ID_BYTES) &&
           check_blob(check, "module", &record->path_blob);
}

static bool check_SOURCE(struct check *check, struct db_source *record)
{
    return check_range(check, "source part", record->part, 0, record->parts > 0 ? record->parts - 1 : 0) &&
           check_range(check, "source compression", record->compression, DB_COMPRESSION_NONE, DB_COMPRESSION_ZLIB) &&
           check_blob(check, "source", &record->path_blob) && check_blob(check, "source", &record->text_blob);
}

/* Whose stack it is, and for a thread with Python the context that started it, an earlier node. */
static bool check_root(struct check *check, struct db_node *record)
{
    bool unfinished = false;
    uint64_t started_by = record->value >> 32, root = (uint32_t)record->value;
    if (!check_range(check, "root", root, 0, DB_ROOT_END - 1))
        return false;
    if (started_by == 0)
        return true;
    if (root != DB_ROOT_PYTHON || started_by >= check->id)
        return run_fail(check->run, check->offset, "root %llu was started by node %llu, which cannot be",
                        (unsigned long long)check->id, (unsigned long long)started_by);
    if (!check_id(check, "root", DB_KIND_NODE, started_by, &unfinished))
        return false;
    if (unfinished)
        record->value = root;
    return true;
}

static bool check_NODE(struct check *check, struct db_node *record)
{
    bool unfinished = false;
    if (record->parent >= check->id)
        return run_fail(check->run, check->offset, "node %llu has parent %u, which is not before it",
                        (unsigned long long)check->id, record->parent);
    if (record->parent != 0 && !check_id(check, "node", DB_KIND_NODE, record->parent, &unfinished))
        return false;
    if (unfinished)
        record->parent = 0;
    if (!check_range(check, "frame kind", record->frame, DB_FRAME_ROOT, DB_FRAME_GAP))
        return false;
    if (record->frame == DB_FRAME_ROOT && !check_root(check, record))
        return false;
    if (record->frame == DB_FRAME_PYTHON) {
        if (!check_id(check, "node", DB_KIND_CODE, record->value >> 32, &unfinished))
            return false;
        if (unfinished) {
            record->frame = DB_FRAME_GAP;
            record->value = 0;
        }
    }
    plausible_node(check->run, check->process, record);
    return true;
}

static bool check_PAIR(struct check *check, struct db_pair *record)
{
    bool first = false, second = false, site = false;
    if (!check_id(check, "pair", DB_KIND_NODE, record->first_node, &first) ||
        !check_id(check, "pair", DB_KIND_NODE, record->second_node, &second) ||
        (record->site != 0 && !check_id(check, "pair", DB_KIND_SITE, record->site, &site)) ||
        !check_range(check, "access", record->first_access, DB_ACCESS_LOAD, DB_ACCESS_STORE) ||
        !check_range(check, "access", record->second_access,
                     record->first_access == DB_ACCESS_STORE ? DB_ACCESS_NONE : DB_ACCESS_LOAD, DB_ACCESS_STORE) ||
        !check_range(check, "scope", record->scope, DB_SCOPE_WITHIN, DB_SCOPE_UNKNOWN) ||
        !check_range(check, "relation", record->relation, DB_RELATION_SAME, DB_RELATION_UNKNOWN) ||
        !check_range(check, "address class", record->address_class, DB_CLASS_OBJECT, DB_CLASS_OTHER))
        return false;
    if (first || second)
        record->published = 0; /* without both ends it says nothing */
    if (site)
        record->site = 0;
    plausible_pair(check->run, check->process, record);
    return true;
}

static bool check_COUNTER(struct check *check, struct db_counter *record)
{
    bool unfinished = false;
    if (!check_id(check, "counter", DB_KIND_NODE, record->node, &unfinished) ||
        !check_range(check, "event", record->event, 0, DB_EVENTS_MAX - 1))
        return false;
    if (unfinished)
        record->published = 0;
    plausible_counter(check->run, record);
    return true;
}

/* A site without its context still counts, if no line can be told. */
static bool check_SITE(struct check *check, struct db_site *record)
{
    bool unfinished = false;
    if (record->node != 0 && !check_id(check, "site", DB_KIND_NODE, record->node, &unfinished))
        return false;
    if (unfinished)
        record->node = 0;
    plausible_site(check->run, check->process, record);
    return true;
}

static bool check_LINK(struct check *check, struct db_link *record)
{
    bool first = false, second = false;
    if (!check_id(check, "link", DB_KIND_SITE, record->first_site, &first) ||
        !check_id(check, "link", DB_KIND_SITE, record->second_site, &second))
        return false;
    if (first || second)
        record->published = 0;
    else
        plausible_link(check->run, check->process, record);
    return true;
}

static bool check_LIVE(struct check *check, struct db_live *record)
{
    plausible_live(check->run, check->process, record);
    return true;
}

static bool check_CONTENT(struct check *check, struct db_content *record)
{
    bool unfinished = false;
    if (!check_id(check, "content", DB_KIND_SITE, record->site, &unfinished))
        return false;
    for (size_t i = 0; i < DB_CONTENT_SAMPLES; i++)
        if (!check_blob(check, "content", &record->samples[i]))
            return false;
    if (unfinished)
        record->published = 0;
    else
        plausible_content(check->run, check->process, record);
    return true;
}

static bool check_HEAT(struct check *check, struct db_heat *record)
{
    bool unfinished = false;
    if (!check_id(check, "heat", DB_KIND_SITE, record->site, &unfinished))
        return false;
    if (unfinished)
        record->published = 0;
    else
        plausible_heat(check->run, check->process, record);
    for (size_t i = 0; i < DB_HEAT_PARTS; i++) {
        bool missing = false;
        if (record->nodes[i] != 0 && !check_id(check, "heat", DB_KIND_NODE, record->nodes[i], &missing))
            return false;
        record->nodes[i] = missing ? 0 : record->nodes[i];
    }
    return true;
}

static bool check_NEIGHBOUR(struct check *check, struct db_neighbour *record)
{
    bool site = false, other = false;
    if (!check_id(check, "neighbour", DB_KIND_SITE, record->site, &site) ||
        !check_id(check, "neighbour", DB_KIND_SITE, record->neighbour, &other))
        return false;
    if (site || other)
        record->published = 0;
    else
        plausible_neighbour(check->run, check->process, record);
    return true;
}

static bool check_BLOB(struct check *check, struct db_blob *record)
{
    (void)check;
    (void)record;
    return true; /* blobs are checked where they are referred to */
}

static bool check_kind(struct check *check, enum db_kind kind, void *record)
{
    switch (kind) {
#define X(name, type)                                                                                                  \
    case DB_KIND_##name:                                                                                               \
        return check_##name(check, record);
        DB_KINDS(X)
#undef X
    default:
        return false;
    }
}

/* Where the first thing was left out: `damaged` is what was counted before the record at `offset` was looked at. */
static void note_first(struct run *run, uint64_t damaged, uint64_t offset)
{
    if (damaged == 0 && run->damaged > 0)
        run->damaged_offset = offset;
}

static bool check_table(struct check *check, enum db_kind kind)
{
    struct run_cursor cursor = {0};
    void *record;
    while ((record = run_next(&check->process->tables[kind], &cursor)) != NULL) {
        check->id = cursor.id;
        check->offset = cursor.offset;
        const uint64_t damaged = check->run->damaged;
        if (!check_kind(check, kind, record))
            return false;
        note_first(check->run, damaged, cursor.offset);
    }
    return true;
}

static bool check_process(struct run *run, struct run_process *process)
{
    const uint64_t damaged = run->damaged;
    plausible_process(run, process);
    note_first(run, damaged, (uint64_t)((const unsigned char *)process->record - run->bytes));
    struct check check = {.run = run, .process = process};
    if (!check_table(&check, DB_KIND_LIVE)) /* sites are held against it */
        return false;
    for (enum db_kind kind = DB_KIND_NONE + 1; kind < DB_KIND_END; kind++)
        if (kind != DB_KIND_BLOB && kind != DB_KIND_LIVE && !check_table(&check, kind))
            return false;
    return true;
}

/* Claims beyond the file's end are damage unless a process says it had no space left, or found none to begin with. */
static void count_cut(struct run *run)
{
    if (!run->cut_short)
        return;
    bool uneven = (run->file_bytes - DB_HEADER_BYTES) % DB_EXTENT_BYTES != 0;
    bool full = run->header->dropped_joins > 0;
    for (size_t i = 0; i < run->process_count; i++) {
        const uint64_t *dropped = run->processes[i].record->dropped;
        full = full || dropped[DB_DROP_FILE_FULL] > 0 || dropped[DB_DROP_DISK_FULL] > 0;
    }
    run->cut_short = uneven || !full;
    run->damaged += run->cut_short;
}

bool check_records(struct run *run)
{
    plausible_execs(run);
    for (size_t i = 0; i < run->process_count; i++)
        if (!check_process(run, &run->processes[i]))
            return false;
    count_cut(run);
    return true;
}
