#include "launch/caller_real.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "chores.h"
#include "real.h"
#include "say.h"

/* The parts of a loaded object that tell to what its symbols are bound (ELF gABI, chapter "Dynamic Linking"). */
struct binding {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
    struct {
        const ElfW(Rela) * first;
        size_t bytes;
    } tables[2];
};

static void binding_read(const struct link_map *map, struct binding *binding)
{
    *binding = (struct binding){.base = map->l_addr};
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            binding->symbols = (const ElfW(Sym) *)entry->d_un.d_ptr; /* glibc has made addresses of these */
            break;
        case DT_STRTAB:
            binding->names = (const char *)entry->d_un.d_ptr;
            break;
        case DT_JMPREL:
            binding->tables[0].first = (const ElfW(Rela) *)entry->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            binding->tables[0].bytes = entry->d_un.d_val;
            break;
        case DT_RELA:
            binding->tables[1].first = (const ElfW(Rela) *)entry->d_un.d_ptr;
            break;
        case DT_RELASZ:
            binding->tables[1].bytes = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
}

/* OpenMP's own functions, by the prefixes of GNU's, LLVM's and the standard's. */
static bool is_sibling(const char *name)
{
    return strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "__kmpc_", 7) == 0 || strncmp(name, "omp_", 4) == 0;
}

static void *base_of(void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

/* What a library that is loaded, or what it needs, calls `name`. Nothing is held: who loaded it may unload it as ever. */
static void *in_library(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (library != NULL) {
        REAL(dlclose)(library);
    }
    return found;
}

/* The function in the very library that holds `sibling`; NULL: it has none. */
static void *beside(void *sibling, const char *name)
{
    Dl_info info;
    if (dladdr(sibling, &info) == 0) {
        return NULL;
    }
    void *found = in_library(info.dli_fname, name);
    return found != NULL && base_of(found) == info.dli_fbase ? found : NULL;
}

/* What a slot of the global offset table points to, if that is an OpenMP function outside the caller and the shim. */
static void *bound_sibling(const struct binding *binding, const ElfW(Rela) * slot, void *caller_base, void *own_base)
{
    unsigned long type = ELF64_R_TYPE(slot->r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
        !is_sibling(binding->names + binding->symbols[ELF64_R_SYM(slot->r_info)].st_name)) {
        return NULL;
    }
    void *target = *(void *const *)(binding->base + slot->r_offset);
    void *base = target != NULL ? base_of(target) : NULL;
    return base != NULL && base != caller_base && base != own_base ? target
                                                                   : NULL; /* not bound yet: the caller's own */
}

static void *by_siblings(const struct link_map *map, void *caller_base, const char *name)
{
    struct binding binding;
    binding_read(map, &binding);
    void *own_base = base_of((void *)&is_sibling);
    for (size_t i = 0; binding.symbols != NULL && binding.names != NULL && i < 2; i++) {
        for (size_t at = 0; binding.tables[i].first != NULL && at < binding.tables[i].bytes / sizeof(ElfW(Rela));
             at++) {
            void *sibling = bound_sibling(&binding, &binding.tables[i].first[at], caller_base, own_base);
            void *found = sibling != NULL ? beside(sibling, name) : NULL;
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

/*
 * Bound to the library that the caller's other OpenMP functions are bound to already. Where none is (none used, or each is
 * bound at its first call), as the loader would look now: first what all see, then what the caller needs.
 */
static void *look_up(const struct link_map *map, const Dl_info *info, const char *name)
{
    void *found = by_siblings(map, info->dli_fbase, name);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
    }
    if (found == NULL) {
        found = in_library(info->dli_fname, name);
    }
    return found != NULL && base_of(found) != base_of((void *)&is_sibling) ? found : NULL;
}

static uintptr_t end_of(uintptr_t base)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)base; /* the first page of an object begins with its header */
    const ElfW(Phdr) *parts = (const ElfW(Phdr) *)(base + header->e_phoff);
    uintptr_t bias = base, end = base;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (parts[i].p_type == PT_LOAD) {
            bias = end == base ? base - (parts[i].p_vaddr & ~(uintptr_t)4095) : bias;
            uintptr_t part_end = bias + parts[i].p_vaddr + parts[i].p_memsz;
            end = part_end > end ? part_end : end;
        }
    }
    return end;
}

/* The libraries that callers were passed on to. */
#define RUNTIMES_MAX 8u
static struct {
    _Atomic uintptr_t low, high; /* 0: not filled */
} runtimes[RUNTIMES_MAX];

static void note_runtime(void *function)
{
    uintptr_t low = (uintptr_t)base_of(function);
    for (unsigned i = 0; low != 0 && i < RUNTIMES_MAX; i++) {
        uintptr_t found = 0;
        if (atomic_compare_exchange_strong(&runtimes[i].low, &found, low)) {
            atomic_store(&runtimes[i].high, end_of(low));
            return;
        }
        if (found == low) {
            return;
        }
    }
}

bool caller_real_is_runtime(uintptr_t address)
{
    for (unsigned i = 0; i < RUNTIMES_MAX; i++) {
        uintptr_t low = atomic_load_explicit(&runtimes[i].low, memory_order_relaxed);
        if (low == 0) {
            return false;
        }
        if (address >= low && address < atomic_load_explicit(&runtimes[i].high, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

static atomic_uint age;

/* The oldest entry makes way. Two threads that fill the same one: the second finds again what it found at its next call. */
static void remember(struct caller_real *real, uintptr_t low, void *function, unsigned age_found)
{
    struct caller_real_entry *entry = &real->known[atomic_fetch_add(&real->claimed, 1) % CALLER_REAL_MODULES];
    unsigned sequence = atomic_load(&entry->sequence);
    if (sequence % 2 != 0 || !atomic_compare_exchange_strong(&entry->sequence, &sequence, sequence + 1)) {
        return;
    }
    entry->age = age_found;
    entry->low = low;
    entry->high = end_of(low);
    entry->function = function;
    atomic_store_explicit(&entry->sequence, sequence + 2, memory_order_release);
}

/* The function in an entry for `caller`, NULL when it holds for another or not any more. */
static void *recall(struct caller_real_entry *entry, uintptr_t caller, unsigned before)
{
    bool holds = before % 2 == 0 && caller >= entry->low && caller < entry->high &&
                 entry->age == atomic_load_explicit(&age, memory_order_relaxed);
    void *function = entry->function;
    atomic_thread_fence(memory_order_acquire);
    return holds && atomic_load_explicit(&entry->sequence, memory_order_relaxed) == before ? function : NULL;
}

static void *find_anew(struct caller_real *real, void *caller)
{
    unsigned age_found = atomic_load(&age);
    Dl_info info = {0};
    struct link_map *map = NULL;
    bool in_module = dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL;
    void *found = in_module ? look_up(map, &info, real->name) : dlsym(RTLD_NEXT, real->name);
    if (found == NULL) {
        say(SAY_ERROR, "symbol lookup error: %s: undefined symbol: %s", in_module ? info.dli_fname : "?", real->name);
        _exit(127); /* what the loader does */
    }
    note_runtime(found);
    if (in_module) {
        remember(real, (uintptr_t)info.dli_fbase, found, age_found);
    }
    return found;
}

void *caller_real_find(struct caller_real *real, void *caller)
{
    for (unsigned i = 0; i < CALLER_REAL_MODULES; i++) {
        unsigned sequence = atomic_load_explicit(&real->known[i].sequence, memory_order_acquire);
        if (sequence == 0) {
            break;
        }
        void *function = recall(&real->known[i], (uintptr_t)caller, sequence);
        if (function != NULL) {
            return function;
        }
    }
    return find_anew(real, caller);
}

void caller_real_forget(void)
{
    for (unsigned i = 0; i < RUNTIMES_MAX; i++) {
        atomic_store(&runtimes[i].low, 0);
    }
    atomic_fetch_add(&age, 1);
}

/* Before and after: a look-up that runs meanwhile holds for neither. */
INTERPOSED int dlclose(void *library)
{
    caller_real_forget();
    int status = REAL(dlclose)(library);
    caller_real_forget();
    chores_want(CHORE_MODULES);
    return status;
}
