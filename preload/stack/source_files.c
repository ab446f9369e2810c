#include "stack/source_files.h"

#include <string.h>

#include "chores.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"
#include "stack/python_string.h"
#include "stack/source.h"

#define PATHS_BYTES (1u << 20)
#define PROBES_MAX 256u
#define IMPORT_MACHINERY "<frozen importlib._bootstrap" /* _bootstrap and _bootstrap_external, in all versions */
#define SPINS_MAX 2000u

enum state { STATE_FREE = 0, STATE_BUSY = 1, STATE_READY = 2 };

struct tables {
    struct source_file files[SOURCE_FILES_MAX];
    _Atomic uint32_t wanted; /* list of files whose text nobody has looked at yet */
    _Atomic uint32_t paths_used;
    char paths[PATHS_BYTES];
};

static struct tables *tables;

bool source_files_start(void)
{
    if (tables == NULL) {
        tables = memory_map(sizeof *tables);
    }
    return tables != NULL;
}

void source_reset_child(void)
{
    if (tables != NULL) {
        memory_forget(tables, sizeof *tables);
    }
}

struct source_file *source_files_at(uint32_t file)
{
    if (tables == NULL || file == 0 || file > SOURCE_FILES_MAX) {
        return NULL;
    }
    struct source_file *found = &tables->files[file - 1];
    return atomic_load_explicit(&found->state, memory_order_acquire) == STATE_READY ? found : NULL;
}

static uint64_t hash_of(const char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static const char *keep_path(const char *path, size_t bytes)
{
    uint32_t at = atomic_fetch_add_explicit(&tables->paths_used, (uint32_t)bytes + 1, memory_order_relaxed);
    if (at > PATHS_BYTES - bytes - 1) {
        atomic_fetch_sub_explicit(&tables->paths_used, (uint32_t)bytes + 1, memory_order_relaxed);
        return NULL;
    }
    memcpy(tables->paths + at, path, bytes); /* the terminator is there: the memory was zero */
    return tables->paths + at;
}

static void want_text(struct source_file *file)
{
    uint32_t first = atomic_load_explicit(&tables->wanted, memory_order_relaxed);
    do {
        file->next_wanted = first;
    } while (!atomic_compare_exchange_weak(&tables->wanted, &first, (uint32_t)(file - tables->files) + 1));
    chores_want(CHORE_SOURCES);
}

static bool fill(struct source_file *file, uint64_t hash, const char *path, size_t bytes)
{
    file->hash = hash;
    file->path_bytes = (uint32_t)bytes;
    file->path = keep_path(path, bytes);
    file->blob = file->path != NULL ? ledger_blob(path, bytes) : 0;
    atomic_store_explicit(&file->state, file->blob != 0 ? STATE_READY : STATE_FREE, memory_order_release);
    if (file->blob != 0) {
        want_text(file);
    }
    return file->blob != 0;
}

static uint32_t settled_state(struct source_file *file)
{
    uint32_t state = atomic_load_explicit(&file->state, memory_order_acquire);
    for (unsigned i = 0; i < SPINS_MAX && state == STATE_BUSY; i++) {
        __builtin_ia32_pause();
        state = atomic_load_explicit(&file->state, memory_order_acquire);
    }
    return state;
}

/* Its number from 1; 0: no place, or no room for its name. */
static uint32_t find_or_fill(uint64_t hash, const char *path, size_t bytes)
{
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        uint32_t number = (uint32_t)((hash + i) % SOURCE_FILES_MAX);
        struct source_file *file = &tables->files[number];
        uint32_t state = settled_state(file);
        if (state == STATE_FREE && atomic_compare_exchange_strong(&file->state, &state, STATE_BUSY)) {
            return fill(file, hash, path, bytes) ? number + 1 : 0;
        }
        if (settled_state(file) == STATE_READY && file->hash == hash && file->path_bytes == bytes &&
            memcmp(file->path, path, bytes) == 0) {
            return number + 1;
        }
    }
    return 0;
}

/* Without a place its code is known all the same: programs that generate code make thousands of files, which are none. */
bool source_file_intern(const struct python_probe *probe, uintptr_t string, struct source_name *name)
{
    char path[SOURCE_PATH_BYTES_MAX];
    size_t bytes = 0;
    *name = (struct source_name){0};
    if (!python_string_copy(probe, string, path, sizeof path, &bytes)) {
        return false;
    }
    name->hash = hash_of(path, bytes);
    name->imports = strncmp(path, IMPORT_MACHINERY, sizeof IMPORT_MACHINERY - 1) == 0;
    name->file = find_or_fill(name->hash, path, bytes);
    if (name->file != 0) {
        name->blob = tables->files[name->file - 1].blob;
        return true;
    }
    name->blob = ledger_blob(path, bytes);
    if (name->blob != 0) {
        process_drop(DB_DROP_TABLE_FULL);
    }
    return name->blob != 0;
}

uint32_t source_files_take_wanted(void)
{
    return tables != NULL ? atomic_exchange(&tables->wanted, 0) : 0;
}

void source_link(uint32_t code_id, struct source_file *file)
{
    struct db_code *code = ledger_record(DB_KIND_CODE, code_id);
    uint32_t source = atomic_load(&file->source);
    if (code != NULL && source != 0) {
        __atomic_store_n(&code->source, source, __ATOMIC_RELAXED);
    }
}
