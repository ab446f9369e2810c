#include "symbols/binary.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/memo.h"
#include "base/memory.h"
#include "symbols/debug_info.h"
#include "symbols/demangle.h"

struct symbol {
    uint64_t start, end;
    const char *name; /* in the debug information's string table */
};

struct binary {
    struct binary *next;
    const char *path, *trouble;
    unsigned char build_id[64];
    size_t build_id_bytes;
    int descriptor;
    Elf *elf;
    struct symbol *symbols; /* by start */
    size_t symbol_count, symbol_capacity;
    struct debug_info *debug;
    struct memo places; /* by address: of debug information each costs a search through a unit */
    bool opened, has_local;
};

static struct binary *binaries;
static struct map by_identity;

static uint64_t build_id_hash(const unsigned char *build_id, size_t build_id_bytes)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < build_id_bytes; i++)
        hash = hash_mix(hash ^ build_id[i]);
    return hash;
}

struct binary *binary_get(const char *path, const unsigned char *build_id, size_t build_id_bytes)
{
    path = intern_string(path);
    if (build_id_bytes > sizeof(binaries->build_id))
        build_id_bytes = sizeof(binaries->build_id);
    struct map_key key = {(uintptr_t)path, build_id_hash(build_id, build_id_bytes), build_id_bytes};
    struct binary *binary = map_get(&by_identity, key);
    if (binary != NULL)
        return binary;
    binary = memory_zeroed(1, sizeof(*binary));
    map_put(&by_identity, key, binary);
    binary->path = path;
    binary->descriptor = -1;
    binary->build_id_bytes = build_id_bytes;
    memcpy(binary->build_id, build_id, build_id_bytes);
    binary->next = binaries;
    binaries = binary;
    return binary;
}

static void symbols_add(void *to, const char *name, uint64_t start, uint64_t size, bool local)
{
    struct binary *binary = to;
    binary->has_local |= local;
    binary->symbols =
        memory_grow(binary->symbols, binary->symbol_count, &binary->symbol_capacity, sizeof(*binary->symbols));
    binary->symbols[binary->symbol_count++] = (struct symbol){.start = start, .end = start + size, .name = name};
}

static int symbol_order(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static void symbols_load(struct binary *binary)
{
    binary->debug = debug_info_open(binary->path);
    if (binary->debug != NULL)
        debug_info_symbols(binary->debug, symbols_add, binary);
    if (binary->symbol_count > 0)
        qsort(binary->symbols, binary->symbol_count, sizeof(*binary->symbols), symbol_order);
}

static bool build_id_fits(struct binary *binary)
{
    const void *found = NULL;
    ssize_t length = dwelf_elf_gnu_build_id(binary->elf, &found);
    if (binary->build_id_bytes == 0)
        return true; /* nothing to compare: the recorded file had none */
    return length > 0 && (size_t)length >= binary->build_id_bytes &&
           memcmp(found, binary->build_id, binary->build_id_bytes) == 0;
}

static const char *binary_load(struct binary *binary)
{
    if (binary->path[0] != '/')
        return "where its file is was not recorded";
    binary->descriptor = open(binary->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (binary->descriptor < 0)
        return "not on this machine";
    struct stat status;
    if (fstat(binary->descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return "not a regular file";
    elf_version(EV_CURRENT);
    binary->elf = elf_begin(binary->descriptor, ELF_C_READ_MMAP, NULL);
    if (binary->elf == NULL || elf_kind(binary->elf) != ELF_K_ELF)
        return "not an ELF file";
    if (!build_id_fits(binary))
        return "another build by now (build-id differs), so its symbols are not used";
    symbols_load(binary);
    return NULL;
}

const char *binary_trouble(struct binary *binary)
{
    if (!binary->opened) {
        binary->opened = true;
        binary->trouble = binary_load(binary);
    }
    return binary->trouble;
}

const char *binary_path(const struct binary *binary)
{
    return binary->path;
}

bool binary_stripped(struct binary *binary)
{
    return binary_trouble(binary) == NULL && !binary->has_local;
}

/* The kernel's own object has no file anywhere. */
static bool is_vdso(const struct binary *binary)
{
    return strcmp(binary->path, "linux-vdso.so.1") == 0;
}

struct binary *binary_next_troubled(const struct binary *binary)
{
    struct binary *next = binary != NULL ? binary->next : binaries;
    while (next != NULL && (!next->opened || next->trouble == NULL || is_vdso(next)))
        next = next->next;
    return next;
}

const char *binary_symbol(struct binary *binary, uint64_t address)
{
    if (binary_trouble(binary) != NULL)
        return NULL;
    size_t low = 0, high = binary->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (binary->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i > 0 && low - i < 8; i--) { /* aliases and nested ranges lie close together */
        const struct symbol *symbol = &binary->symbols[i - 1];
        if (address < symbol->end || symbol->start == address)
            return symbol->name;
    }
    return NULL;
}

static void find_place(struct binary *binary, uint64_t address, struct binary_place *place)
{
    if (binary->debug != NULL && debug_info_find(binary->debug, address, place))
        return;
    const char *symbol = binary_symbol(binary, address);
    if (symbol != NULL)
        place->functions[place->count++] = (struct binary_function){.name = demangle(symbol)};
}

void binary_find(struct binary *binary, uint64_t address, struct binary_place *place)
{
    *place = (struct binary_place){0};
    if (binary_trouble(binary) != NULL)
        return;
    bool is_new = false;
    struct binary_place *known = memo_get(&binary->places, (struct map_key){address, 0, 0}, sizeof(*known), &is_new);
    if (is_new)
        find_place(binary, address, known);
    *place = *known;
}

void binary_free_all(void)
{
    while (binaries != NULL) {
        struct binary *binary = binaries;
        binaries = binary->next;
        debug_info_close(binary->debug);
        if (binary->elf != NULL)
            elf_end(binary->elf);
        if (binary->descriptor >= 0)
            close(binary->descriptor);
        memo_free(&binary->places);
        free(binary->symbols);
        free(binary);
    }
    map_free(&by_identity);
}
