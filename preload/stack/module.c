#include "stack/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

#include "chores.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"
#include "stack/guard.h"
#include "stack/module_eval.h"
#include "stack/module_note.h"

#define MODULES_MAX 4096u
#define PATHS_BYTES (1u << 20)

/*
 * Entries are appended and never change, so a pointer to one stays good for ever. What is mapped now is an index of
 * pointers sorted by address; there are two of them, written in turn. A reader that was overtaken by two rebuilds sees
 * it by the sequence and searches again.
 */
struct entry {
    struct module module;
    const char *path;
    uint32_t build_id_bytes;
    uint8_t build_id[DB_BUILD_ID_BYTES];
};

struct index {
    uint32_t count;
    struct entry *entries[MODULES_MAX];
};

struct tables {
    struct entry entries[MODULES_MAX];
    struct index indexes[2];
    char paths[PATHS_BYTES];
};

static struct tables *tables;
static uint32_t entry_count;
static size_t paths_used;
static _Atomic uint32_t sequence; /* indexes[sequence % 2] is the current one */
static _Atomic uint32_t generation;
static unsigned long long adds_seen, removals_seen;
static uint32_t objects_seen; /* of the last scan */
static _Atomic uintptr_t interpreter_low, interpreter_high, loader_low, loader_high, c_library_low, c_library_high,
    greenlet_low, greenlet_high;
static uintptr_t allocator_address, c_library_address, kernel_page_address, interpreter_address, loader_address;

uint32_t module_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

static const struct module *find_in(const struct index *index, uintptr_t address)
{
    uint32_t low = 0;
    uint32_t high = index->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct module *module = &index->entries[middle]->module;
        if (address < module->low) {
            high = middle;
        } else if (address >= module->high) {
            low = middle + 1;
        } else {
            return module;
        }
    }
    return NULL;
}

const struct module *module_find(uintptr_t address)
{
    if (tables == NULL) {
        return NULL;
    }
    const struct module *found = NULL;
    uint32_t before = 0;
    uint32_t after = 0;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        found = find_in(&tables->indexes[before % 2], address);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (after - before > 1);
    return found;
}

const char *module_path(const struct module *module)
{
    return ((const struct entry *)module)->path; /* module is its first member */
}

bool module_is_interpreter(uintptr_t address)
{
    return address >= atomic_load_explicit(&interpreter_low, memory_order_relaxed) &&
           address < atomic_load_explicit(&interpreter_high, memory_order_relaxed);
}

bool module_is_loader(uintptr_t address)
{
    return address >= atomic_load_explicit(&loader_low, memory_order_relaxed) &&
           address < atomic_load_explicit(&loader_high, memory_order_relaxed);
}

bool module_is_c_library(uintptr_t address)
{
    return address >= atomic_load_explicit(&c_library_low, memory_order_relaxed) &&
           address < atomic_load_explicit(&c_library_high, memory_order_relaxed);
}

bool module_is_greenlet(uintptr_t address)
{
    return address >= atomic_load_explicit(&greenlet_low, memory_order_relaxed) &&
           address < atomic_load_explicit(&greenlet_high, memory_order_relaxed);
}

/* Code bytes before a return address: E8 rel32, or FF /2 in its lengths of 2 to 7 bytes. */
bool module_is_behind_call(uintptr_t address)
{
    uint8_t code[8];
    if (address < sizeof code || !guard_copy(code, (const void *)(address - sizeof code), sizeof code)) {
        return false;
    }
    if (code[3] == 0xE8) {
        return true;
    }
    for (unsigned length = 2; length <= 7; length++) {
        if (code[8 - length] == 0xFF && (code[9 - length] & 0x38) == 0x10) {
            return true;
        }
    }
    return false;
}

static void record_entry(struct entry *entry)
{
    uint32_t id = 0;
    struct db_module *record = ledger_claim(DB_KIND_MODULE, &id);
    if (record == NULL) {
        return;
    }
    record->flags = entry->module.flags;
    record->load_bias = entry->module.load_bias;
    record->low_address = entry->module.low;
    record->high_address = entry->module.high;
    record->path_blob = ledger_blob_string(entry->path);
    record->build_id_bytes = entry->build_id_bytes;
    memcpy(record->build_id, entry->build_id, sizeof record->build_id);
    ledger_publish(record);
    entry->module.id = id;
}

static bool holds(const struct module *module, uintptr_t address)
{
    return address >= module->low && address < module->high;
}

static uint32_t flags_of(const struct module *module, const struct dl_phdr_info *info)
{
    uint32_t flags = 0;
    if ((uintptr_t)info->dlpi_phdr == getauxval(AT_PHDR)) {
        flags |= DB_MODULE_EXECUTABLE;
    }
    if (holds(module, interpreter_address)) {
        flags |= DB_MODULE_INTERPRETER;
    }
    if (holds(module, (uintptr_t)&tables)) {
        flags |= DB_MODULE_SHIM;
    }
    if (holds(module, allocator_address) || holds(module, c_library_address) || holds(module, kernel_page_address)) {
        flags |= DB_MODULE_ALLOCATOR;
    }
    return flags;
}

static void describe(const struct dl_phdr_info *info, struct module *module)
{
    *module = (struct module){.low = UINTPTR_MAX, .text_low = UINTPTR_MAX, .load_bias = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        uintptr_t end = start + header->p_memsz;
        if (header->p_type == PT_GNU_EH_FRAME) {
            module->unwind_header = (const uint8_t *)start;
            module->unwind_header_bytes = header->p_memsz;
        }
        if (header->p_type != PT_LOAD) {
            continue;
        }
        module->low = start < module->low ? start : module->low;
        module->high = end > module->high ? end : module->high;
        if (header->p_flags & PF_X) {
            module->text_low = start < module->text_low ? start : module->text_low;
            module->text_high = end > module->text_high ? end : module->text_high;
        }
    }
}

/* The known entry that is this very mapping, or NULL. */
static struct entry *known_entry(const struct module *module, const char *name)
{
    const struct module *found = module_find(module->low);
    if (found == NULL || found->low != module->low || found->high != module->high) {
        return NULL;
    }
    struct entry *entry = (struct entry *)(uintptr_t)found; /* module is its first member */
    bool named = name[0] == '/' && entry->path[0] == '/';   /* a relative one was made absolute when it was noted */
    return !named || strcmp(entry->path, name) == 0 ? entry : NULL;
}

/* By its file's name, "_greenlet.cpython-311-x86_64-linux-gnu.so". It is not unloaded again: an extension module of Python's stays. */
static void note_greenlet(const struct entry *entry)
{
    static const char name[] = "/_greenlet.";
    const char *slash = strrchr(entry->path, '/');
    if (slash != NULL && strncmp(slash, name, sizeof name - 1) == 0) {
        atomic_store_explicit(&greenlet_low, entry->module.text_low, memory_order_relaxed);
        atomic_store_explicit(&greenlet_high, entry->module.text_high, memory_order_relaxed);
    }
}

static struct entry *append_entry(const struct module *module, const struct dl_phdr_info *info)
{
    if (entry_count == MODULES_MAX) {
        process_drop(DB_DROP_TABLE_FULL);
        return NULL;
    }
    struct entry *entry = &tables->entries[entry_count++];
    entry->module = *module;
    entry->module.flags = flags_of(module, info);
    size_t used = module_note_path(info->dlpi_name, (entry->module.flags & DB_MODULE_EXECUTABLE) != 0,
                                   tables->paths + paths_used, PATHS_BYTES - paths_used);
    entry->path = used > 0 ? tables->paths + paths_used : "";
    paths_used += used;
    entry->build_id_bytes = module_note_build_id(info, entry->build_id);
    record_entry(entry);
    note_greenlet(entry);
    return entry;
}

struct scan {
    const struct index *old;
    struct index *index;
    uint32_t position;
    uint32_t known; /* objects before this position are in the index: they were seen before */
    bool unchanged;
};

/* The loader appends what it loads: where nothing was unloaded, what the last scan saw comes first, and is taken over. */
static void begin_scan(struct scan *scan, const struct dl_phdr_info *info, size_t size)
{
    if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
        return;
    }
    scan->unchanged = info->dlpi_adds == adds_seen && info->dlpi_subs == removals_seen;
    if (!scan->unchanged && info->dlpi_subs == removals_seen) {
        scan->known = objects_seen;
        scan->index->count = scan->old->count;
        memcpy(scan->index->entries, scan->old->entries, scan->old->count * sizeof *scan->old->entries);
    }
    adds_seen = info->dlpi_adds;
    removals_seen = info->dlpi_subs;
}

static int scan_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct scan *scan = data;
    if (scan->position == 0) {
        begin_scan(scan, info, size);
    }
    if (scan->unchanged) {
        return 1;
    }
    if (scan->position++ < scan->known) {
        return 0;
    }
    struct module module;
    describe(info, &module);
    if (module.high == 0 || scan->index->count == MODULES_MAX) {
        return 0;
    }
    struct entry *entry = known_entry(&module, info->dlpi_name != NULL ? info->dlpi_name : "");
    entry = entry != NULL ? entry : append_entry(&module, info);
    if (entry != NULL) {
        scan->index->entries[scan->index->count++] = entry;
    }
    return 0;
}

static void sort_index(struct index *index)
{
    for (uint32_t i = 1; i < index->count; i++) {
        struct entry *entry = index->entries[i];
        uint32_t at = i;
        for (; at > 0 && index->entries[at - 1]->module.low > entry->module.low; at--) {
            index->entries[at] = index->entries[at - 1];
        }
        index->entries[at] = entry;
    }
}

/* What stood in the old index and is not at its place in the new one was unloaded. */
static bool lost_any(const struct index *old, const struct index *current)
{
    for (uint32_t i = 0; i < old->count; i++) {
        if (find_in(current, old->entries[i]->module.low) != &old->entries[i]->module) {
            return true;
        }
    }
    return false;
}

static void find_landmarks(void)
{
    if (interpreter_address == 0) {
        interpreter_address = (uintptr_t)dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    }
    if (allocator_address == 0) {
        allocator_address = (uintptr_t)dlsym(RTLD_NEXT, "malloc");
        c_library_address = (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
        kernel_page_address = getauxval(AT_SYSINFO_EHDR); /* 0 where there is none: no module holds that */
        /* By name where the loader itself was started as the program; sanitizers put their own of that name first. */
        loader_address = getauxval(AT_BASE);
        loader_address = loader_address != 0 ? loader_address : (uintptr_t)dlsym(RTLD_DEFAULT, "__tls_get_addr");
    }
}

static void note_interpreter(void)
{
    if (interpreter_address == 0 || atomic_load_explicit(&interpreter_high, memory_order_relaxed) != 0) {
        return;
    }
    const struct module *module = module_find(interpreter_address);
    if (module != NULL) {
        atomic_store_explicit(&interpreter_low, module->text_low, memory_order_relaxed);
        atomic_store_explicit(&interpreter_high, module->text_high, memory_order_relaxed);
        module_eval_start(module, interpreter_address);
    }
}

/* The text of what is not unloaded again, once. */
static void note_text(uintptr_t address, _Atomic uintptr_t *low, _Atomic uintptr_t *high)
{
    const struct module *module = NULL;
    if (atomic_load_explicit(high, memory_order_relaxed) == 0 && (module = module_find(address)) != NULL) {
        atomic_store_explicit(low, module->text_low, memory_order_relaxed);
        atomic_store_explicit(high, module->text_high, memory_order_relaxed);
    }
}

bool module_scan(void)
{
    if (tables == NULL && (tables = memory_map(sizeof *tables)) == NULL) {
        return false;
    }
    find_landmarks();
    uint32_t now = atomic_load_explicit(&sequence, memory_order_relaxed);
    struct index *old = &tables->indexes[now % 2];
    struct scan scan = {.old = old, .index = &tables->indexes[(now + 1) % 2]};
    scan.index->count = 0;
    dl_iterate_phdr(scan_object, &scan);
    if (scan.unchanged) {
        return false;
    }
    objects_seen = scan.position;
    sort_index(scan.index);
    if (lost_any(old, scan.index)) {
        atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
    }
    atomic_store_explicit(&sequence, now + 1, memory_order_release);
    note_interpreter();
    note_text(loader_address, &loader_low, &loader_high);
    note_text(c_library_address, &c_library_low, &c_library_high);
    return true;
}

void module_reset_child(void)
{
    if (tables == NULL) {
        return;
    }
    const struct index *index = &tables->indexes[atomic_load_explicit(&sequence, memory_order_relaxed) % 2];
    for (uint32_t i = 0; i < index->count; i++) {
        record_entry(index->entries[i]);
    }
}
