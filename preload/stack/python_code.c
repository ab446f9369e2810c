#include "stack/python_code.h"

#include <stdatomic.h>
#include <string.h>

#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"
#include "stack/code_deaths.h"
#include "stack/guard.h"
#include "stack/python.h"
#include "stack/python_probe.h"
#include "stack/python_string.h"
#include "stack/python_trampoline.h"
#include "stack/source.h"
#include "stack/source_files.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define TABLE_BITS 16u
#define NEAR_BITS 10u
#define NEAR_PROBES 6u
#define PROBES_MAX 64u
#define TABLE_ENTRIES ((1u << NEAR_BITS) + (1u << TABLE_BITS))
#define NAME_BYTES_MAX 4096u
#define HASHED_BYTES 240u /* at once: of more XXH3 would keep much on the stack */
#define LINES_BYTES_MAX (DB_LINES_PARTS_MAX * DB_BLOB_MAX_BYTES)
#define TWINS_MAX 256u
#define SPINS_MAX 2000u

enum state { STATE_FREE = 0, STATE_BUSY = 1, STATE_READY = 2, STATE_GIVEN_UP = 3 };

/*
 * A code object's address is reused once it is freed, and so are those of what it points to, as a notebook's cells show:
 * address and mark together are its identity.
 */
struct identity {
    uintptr_t address;
    uint64_t mark;         /* of the following, python_code_mark() */
    uintptr_t file, lines; /* objects */
    int32_t first_line;
};

/* The state leads: the rest is written while BUSY by the one who claimed the entry, and never changes once READY. */
struct entry {
    _Atomic uint32_t state;
    uint32_t id;
    struct identity identity;
    _Atomic uint64_t seen; /* its mark was read when so many code objects had died, and one more: 0 is never */
    uint64_t content;      /* of name and lines: what is compiled again is the same code */
    bool module;           /* runs but once: the code of a file or a cell */
    bool imports;          /* of the machinery of imports */
    uint32_t next_of_file; /* entry recorded before it for the same file, from 1; 0 = the first */
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

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* In pieces: the stack it runs on is the program's. */
static bool hash_bytes(uintptr_t bytes, size_t count, uint64_t *hash)
{
    uint8_t piece[HASHED_BYTES];
    for (size_t at = 0; at < count; at += sizeof piece) {
        size_t left = count - at, taken = left < sizeof piece ? left : sizeof piece;
        if (!guard_copy(piece, (const void *)(bytes + at), taken)) {
            return false;
        }
        *hash = XXH3_64bits_withSeed(piece, taken, *hash);
    }
    return true;
}

/*
 * The end of the file's name tells one cell's code from another's, the line table one text from another, and nothing in it
 * where the objects lie: compiled once more, the same code has the same mark.
 */
static bool mark_of(const struct python_probe *probe, const struct identity *identity, uint64_t *mark)
{
    const struct python_layout *layout = &probe->layout;
    enum { NAME_LENGTH, LINES_BYTES, FIRST_LINE, NAME_END, PARTS = NAME_END + PYTHON_STRING_END_WORDS };
    uintptr_t parts[PARTS] = {[FIRST_LINE] = (uintptr_t)identity->first_line};
    if (!guard_word(&parts[NAME_LENGTH], identity->file + (uintptr_t)layout->string_length) ||
        !guard_word(&parts[LINES_BYTES], identity->lines + (uintptr_t)layout->bytes_size)) {
        return false;
    }
    (void)python_string_end(probe, identity->file, &parts[NAME_END]); /* a name that is no plain str has none */
    *mark = 0;
    for (size_t i = 0; i < PARTS; i++) {
        *mark = mix(*mark, parts[i]);
    }
    size_t bytes = parts[LINES_BYTES] < LINES_BYTES_MAX ? parts[LINES_BYTES] : 0;
    return hash_bytes(identity->lines + (uintptr_t)layout->bytes_data, bytes, mark);
}

static bool read_identity(const struct python_probe *probe, uintptr_t address, struct identity *identity)
{
    const struct python_layout *layout = &probe->layout;
    uintptr_t type = 0;
    identity->address = address;
    return address % 8 == 0 && guard_word(&type, address + (uintptr_t)layout->object_type) &&
           type == probe->code_type && guard_word(&identity->file, address + (uintptr_t)layout->code_file) &&
           guard_word(&identity->lines, address + (uintptr_t)layout->code_lines) &&
           guard_read(&identity->first_line, (const int32_t *)(address + (uintptr_t)layout->code_first_line)) &&
           mark_of(probe, identity, &identity->mark);
}

uint64_t python_code_mark(const struct python_probe *probe, uintptr_t address)
{
    struct identity identity;
    return probe != NULL && read_identity(probe, address, &identity) ? identity.mark : 0;
}

static bool same(const struct identity *a, const struct identity *b)
{
    return a->address == b->address && a->mark == b->mark;
}

/* The name, and hashes of what makes a code object what it is: these hold in other processes and runs too. */
struct content {
    char name[NAME_BYTES_MAX];
    size_t name_bytes;
    uintptr_t lines; /* the bytes of its line table */
    size_t lines_bytes;
    uint64_t hash;
};

/* A table that is longer than can be stored is left out (counted): its function stands in the contexts, without lines. */
static bool read_lines(const struct python_probe *probe, uintptr_t object, struct content *content)
{
    const struct python_layout *layout = &probe->layout;
    uintptr_t type = 0;
    content->lines = object + (uintptr_t)layout->bytes_data;
    content->lines_bytes = 0;
    bool known = guard_word(&type, object + (uintptr_t)layout->object_type) && type == probe->bytes_type;
    if (known && !guard_word(&content->lines_bytes, object + (uintptr_t)layout->bytes_size)) {
        return false;
    }
    if (content->lines_bytes > LINES_BYTES_MAX) {
        content->lines_bytes = 0;
        process_drop(DB_DROP_BLOB_TOO_LARGE);
    }
    return hash_bytes(content->lines, content->lines_bytes, &content->hash);
}

static bool read_content(const struct python_probe *probe, const struct entry *entry, const struct source_name *file,
                         struct content *content)
{
    uintptr_t string = 0;
    if (!guard_word(&string, entry->identity.address + (uintptr_t)probe->layout.code_name) ||
        !python_string_copy(probe, string, content->name, sizeof content->name, &content->name_bytes)) {
        return false;
    }
    content->hash = mix(file->hash, (uint64_t)entry->identity.first_line);
    for (size_t i = 0; i < content->name_bytes; i++) {
        content->hash = mix(content->hash, (uint8_t)content->name[i]);
    }
    return read_lines(probe, entry->identity.lines, content);
}

static bool is_module(const struct content *content)
{
    static const char name[] = "<module>";
    return content->name_bytes == sizeof name - 1 && memcmp(content->name, name, content->name_bytes) == 0;
}

/* A code object of the same file with the same content, recorded before; NULL: none among the last ones. */
static const struct entry *find_twin(const struct source_file *file, uint64_t content)
{
    uint32_t number = file != NULL ? atomic_load(&file->codes) : 0;
    for (unsigned i = 0; i < TWINS_MAX && number != 0; i++, number = table[number - 1].next_of_file) {
        if (table[number - 1].content == content) {
            return &table[number - 1];
        }
    }
    return NULL;
}

/* In several blobs, and their references in another. */
static void store_parts(const struct content *content, struct db_code *code)
{
    uint32_t parts[DB_LINES_PARTS_MAX], count = 0;
    for (size_t at = 0; at < content->lines_bytes; at += DB_BLOB_MAX_BYTES) {
        size_t left = content->lines_bytes - at;
        parts[count] = ledger_blob_guarded((const void *)(content->lines + at),
                                           left < DB_BLOB_MAX_BYTES ? left : DB_BLOB_MAX_BYTES);
        if (parts[count++] == 0) {
            return;
        }
    }
    code->lines_blob = ledger_blob(parts, count * sizeof parts[0]);
    code->lines_parts = code->lines_blob != 0 ? count : 0;
}

static void store_lines(const struct content *content, struct db_code *code)
{
    if (content->lines_bytes > DB_BLOB_MAX_BYTES) {
        store_parts(content, code);
        return;
    }
    code->lines_blob =
        content->lines_bytes > 0 ? ledger_blob_guarded((const void *)content->lines, content->lines_bytes) : 0;
}

static bool store(const struct entry *entry, const struct content *content, const struct source_name *file,
                  struct db_code *code)
{
    code->first_line = entry->identity.first_line;
    code->file_blob = file->blob;
    code->name_blob = ledger_blob(content->name, content->name_bytes);
    store_lines(content, code); /* a function without lines is better than none */
    return code->file_blob != 0 && code->name_blob != 0;
}

/* Before the file's text is asked for: what is not in the list when the text is stored finds it there (source_link()). */
static void join_file(struct entry *entry, struct source_file *file)
{
    uint32_t first = atomic_load_explicit(&file->codes, memory_order_relaxed);
    do {
        entry->next_of_file = first;
    } while (!atomic_compare_exchange_weak(&file->codes, &first, (uint32_t)(entry - table) + 1));
}

/* Gives it the id of its twin, or a record of its own. */
static bool identify(struct entry *entry, const struct content *content, const struct source_name *name)
{
    struct source_file *file = source_files_at(name->file);
    const struct entry *twin = find_twin(file, content->hash);
    struct db_code *code = NULL;
    if (twin != NULL) {
        entry->id = twin->id;
        return true;
    }
    code = ledger_claim(DB_KIND_CODE, &entry->id);
    if (code == NULL || !store(entry, content, name, code)) {
        return false;
    }
    ledger_publish(code);
    if (file != NULL) {
        join_file(entry, file);
        source_link(entry->id, file);
    }
    return true;
}

/* Apart from what interns the file's name: the stack it runs on is the program's. */
static __attribute__((noinline)) bool read_and_identify(const struct python_probe *probe, struct entry *entry,
                                                        const struct source_name *file)
{
    struct content content;
    if (!read_content(probe, entry, file, &content)) {
        return false;
    }
    entry->content = content.hash;
    entry->module = is_module(&content);
    entry->imports = file->imports;
    python_trampoline_meet(probe->layout.version, entry->identity.address, entry->identity.first_line, content.name,
                           content.name_bytes, content.lines_bytes);
    return identify(entry, &content, file);
}

/* False for want of space: then it is tried again at the next sight. */
static bool record(const struct python_probe *probe, struct entry *entry)
{
    struct source_name file;
    bool done = source_file_intern(probe, entry->identity.file, &file) && read_and_identify(probe, entry, &file);
    entry->id = done ? entry->id : 0;
    atomic_store_explicit(&entry->state, done ? STATE_READY : STATE_GIVEN_UP, memory_order_release);
    return done;
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

static uint64_t hash_of(uintptr_t address)
{
    return (address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

/* The one of the code that is at the address still, for no code has died since it was seen there; NULL: that is to be read. */
static const struct entry *find_unread(uintptr_t address, uint64_t seen)
{
    uint64_t hash = hash_of(address);
    for (unsigned i = 0; table != NULL && i < PROBES_MAX; i++) {
        const struct entry *entry = entry_at(hash, i);
        uint32_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
        if (state == STATE_READY && entry->identity.address == address &&
            atomic_load_explicit(&entry->seen, memory_order_relaxed) == seen) {
            return entry;
        }
        if (state == STATE_FREE) {
            break;
        }
    }
    return NULL;
}

/* The entry of this identity; a fresh one is recorded into the first free place of its chain. */
static struct entry *find_or_record(const struct python_probe *probe, const struct identity *identity)
{
    uint64_t hash = hash_of(identity->address);
    struct entry *given_up = NULL;
    if (table == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct entry *entry = entry_at(hash, i);
        uint32_t state = settled_state(entry);
        if (state == STATE_READY && same(&entry->identity, identity)) {
            return entry;
        }
        given_up = state == STATE_GIVEN_UP && given_up == NULL ? entry : given_up;
        if (state != STATE_FREE) {
            continue;
        }
        struct entry *free_entry = given_up != NULL ? given_up : entry;
        if (claim(free_entry, given_up != NULL ? STATE_GIVEN_UP : STATE_FREE)) {
            free_entry->identity = *identity;
            free_entry->id = 0;
            atomic_store_explicit(&free_entry->seen, 0, memory_order_relaxed);
            return record(probe, free_entry) ? free_entry : NULL;
        }
        given_up = NULL;
        i--; /* somebody took it: look at it again */
    }
    process_drop(DB_DROP_TABLE_FULL);
    return NULL;
}

static const struct entry *find(const struct python_probe *probe, uintptr_t address, bool *is_code)
{
    uint64_t seen = code_deaths() + 1;
    const struct entry *unread = code_deaths_known() ? find_unread(address, seen) : NULL;
    struct identity identity;
    *is_code = unread != NULL || read_identity(probe, address, &identity);
    if (unread != NULL || !*is_code) {
        return unread;
    }
    struct entry *entry = find_or_record(probe, &identity);
    if (entry != NULL) {
        atomic_store_explicit(&entry->seen, seen, memory_order_relaxed);
    }
    return entry;
}

bool python_code_find(const struct python_probe *probe, uintptr_t address, struct python_frame *frame)
{
    bool is_code;
    const struct entry *entry = find(probe, address, &is_code);
    if (!is_code) {
        return false;
    }
    frame->code = entry != NULL ? entry->id : 0;
    frame->module = entry != NULL && entry->module;
    frame->imports = entry != NULL && entry->imports;
    frame->content = entry != NULL ? entry->content : 0;
    return true;
}

void python_code_visit(struct source_file *file, python_code_visitor visit)
{
    for (uint32_t i = atomic_load(&file->codes); i != 0; i = table[i - 1].next_of_file) {
        visit(table[i - 1].id, file);
    }
}
