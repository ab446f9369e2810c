#include "stack/python_code.h"

#include <stdatomic.h>
#include <string.h>

#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"
#include "stack/guard.h"
#include "stack/python.h"
#include "stack/python_probe.h"
#include "stack/python_string.h"
#include "stack/source.h"

#define TABLE_BITS 16u
#define NEAR_BITS 10u
#define NEAR_PROBES 6u
#define PROBES_MAX 64u
#define TABLE_ENTRIES ((1u << NEAR_BITS) + (1u << TABLE_BITS))
#define NAME_BYTES_MAX 4096u
#define SPINS_MAX 2000u

enum state { STATE_FREE = 0, STATE_BUSY = 1, STATE_READY = 2, STATE_GIVEN_UP = 3 };

/* A code object's address is reused once it is freed, so what it points to belongs to its identity. */
struct identity {
    uintptr_t address, file, lines;
    int32_t first_line;
};

/* The state leads: the rest is written while BUSY by the one who claimed the entry, and never changes once READY. */
struct entry {
    _Atomic uint32_t state;
    uint32_t id;
    struct identity identity;
    uint32_t file;
};

static struct entry *table;

bool python_code_start(void)
{
    if (table == NULL) {
        table = memory_map(sizeof(struct entry) * TABLE_ENTRIES);
    }
    return table != NULL && source_files_start();
}

void python_code_reset_child(void)
{
    if (table != NULL) {
        memory_forget(table, sizeof(struct entry) * TABLE_ENTRIES);
    }
}

static bool read_identity(const struct python_probe *probe, uintptr_t address, struct identity *identity)
{
    const struct python_layout *layout = &probe->layout;
    uintptr_t type = 0;
    identity->address = address;
    return address % 8 == 0 && guard_word(&type, address + (uintptr_t)layout->object_type) &&
           type == probe->code_type && guard_word(&identity->file, address + (uintptr_t)layout->code_file) &&
           guard_word(&identity->lines, address + (uintptr_t)layout->code_lines) &&
           guard_read(&identity->first_line, (const int32_t *)(address + (uintptr_t)layout->code_first_line));
}

static bool same(const struct identity *a, const struct identity *b)
{
    return a->address == b->address && a->file == b->file && a->lines == b->lines && a->first_line == b->first_line;
}

static uint32_t store_name(const struct python_probe *probe, uintptr_t address)
{
    char name[NAME_BYTES_MAX];
    uintptr_t string = 0;
    size_t bytes = 0;
    if (!guard_word(&string, address + (uintptr_t)probe->layout.code_name) ||
        !python_string_copy(probe, string, name, sizeof name, &bytes)) {
        return 0;
    }
    return ledger_blob(name, bytes);
}

static uint32_t store_lines(const struct python_probe *probe, uintptr_t object)
{
    uintptr_t type = 0;
    uintptr_t bytes = 0;
    if (!guard_word(&type, object + (uintptr_t)probe->layout.object_type) || type != probe->bytes_type ||
        !guard_word(&bytes, object + (uintptr_t)probe->layout.bytes_size)) {
        return 0;
    }
    return bytes > 0 ? ledger_blob_guarded((const void *)(object + (uintptr_t)probe->layout.bytes_data), bytes) : 0;
}

static bool fill(const struct python_probe *probe, struct entry *entry, struct db_code *code)
{
    entry->file = source_file_intern(probe, entry->identity.file);
    code->first_line = entry->identity.first_line;
    code->file_blob = source_file_blob(entry->file);
    code->name_blob = store_name(probe, entry->identity.address);
    code->lines_blob = store_lines(probe, entry->identity.lines);
    return code->file_blob != 0 && code->name_blob != 0;
}

/* The new id; 0 for want of space: then it is tried again at the next sight. */
static uint32_t record(const struct python_probe *probe, struct entry *entry)
{
    struct db_code *code = ledger_claim(DB_KIND_CODE, &entry->id);
    if (code == NULL || !fill(probe, entry, code)) {
        entry->id = 0;
        atomic_store_explicit(&entry->state, STATE_GIVEN_UP, memory_order_release);
        return 0;
    }
    uint32_t id = entry->id;
    ledger_publish(code);
    atomic_store_explicit(&entry->state, STATE_READY, memory_order_release);
    source_link(id, entry->file);
    return id;
}

/* Another thread is recording in this entry: it takes microseconds, so a bounded wait nearly always sees the end. */
static uint32_t settled_state(struct entry *entry)
{
    uint32_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
    for (unsigned i = 0; i < SPINS_MAX && state == STATE_BUSY; i++) {
        __builtin_ia32_pause();
        state = atomic_load_explicit(&entry->state, memory_order_acquire);
    }
    return state;
}

static bool claim(struct entry *entry, uint32_t state)
{
    return (state == STATE_FREE || state == STATE_GIVEN_UP) &&
           atomic_compare_exchange_strong_explicit(&entry->state, &state, STATE_BUSY, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

/* The i-th place to look at: a near part takes what it can, so that a small program stays within a few pages. */
static struct entry *entry_at(uint64_t hash, unsigned i)
{
    if (i < NEAR_PROBES) {
        return &table[((hash >> (64 - NEAR_BITS)) + i) & ((1u << NEAR_BITS) - 1)];
    }
    return &table[(1u << NEAR_BITS) + (((hash >> (64 - TABLE_BITS)) + i) & ((1u << TABLE_BITS) - 1))];
}

/* The entry of this identity; a fresh one is recorded into the first free place of its chain. */
static uint32_t find_or_record(const struct python_probe *probe, const struct identity *identity)
{
    uint64_t hash = (identity->address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    struct entry *given_up = NULL;
    if (table == NULL) {
        return 0;
    }
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct entry *entry = entry_at(hash, i);
        uint32_t state = settled_state(entry);
        if (state == STATE_READY && same(&entry->identity, identity)) {
            return entry->id;
        }
        given_up = state == STATE_GIVEN_UP && given_up == NULL ? entry : given_up;
        if (state != STATE_FREE) {
            continue;
        }
        struct entry *free_entry = given_up != NULL ? given_up : entry;
        if (claim(free_entry, given_up != NULL ? STATE_GIVEN_UP : STATE_FREE)) {
            free_entry->identity = *identity;
            free_entry->id = 0;
            return record(probe, free_entry);
        }
        given_up = NULL;
        i--; /* somebody took it: look at it again */
    }
    process_drop(DB_DROP_TABLE_FULL);
    return 0;
}

bool python_code_find(const struct python_probe *probe, uintptr_t address, uint32_t *id)
{
    struct identity identity;
    if (!read_identity(probe, address, &identity)) {
        return false;
    }
    *id = find_or_record(probe, &identity);
    return true;
}

void python_code_visit(python_code_visitor visit)
{
    for (size_t i = 0; table != NULL && i < TABLE_ENTRIES; i++) {
        if (atomic_load_explicit(&table[i].state, memory_order_acquire) == STATE_READY) {
            visit(table[i].id, table[i].file);
        }
    }
}
