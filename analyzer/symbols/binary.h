/*
 * An ELF file named by a run: its symbols, its debug information, and whether it is still the file that ran. Everything
 * is loaded at first need; a file that is missing or another by now has no symbols and says why.
 */
#ifndef PIEPROF_ANALYZER_BINARY_H
#define PIEPROF_ANALYZER_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary;

#define BINARY_INLINE_MAX 8

/* A function at an address; all strings are interned. */
struct binary_function {
    const char *name; /* demangled, as written */
    const char *file; /* NULL without debug information */
    int line;
};

/* The function at the address and, before it, those inlined there: innermost first. */
struct binary_place {
    struct binary_function functions[BINARY_INLINE_MAX];
    size_t count;
};

/* The binary of this path and build-id (`build_id_bytes` 0: any); the same pointer for the same arguments. Never NULL. */
struct binary *binary_get(const char *path, const unsigned char *build_id, size_t build_id_bytes);

/* NULL when its symbols can be used; else why not ("missing", "another build by now", ...). */
const char *binary_trouble(struct binary *binary);
const char *binary_path(const struct binary *binary);

/* Usable, but with the names of exported functions alone. */
bool binary_stripped(struct binary *binary);

/* Of the binaries looked at so far, the next after `binary` (NULL: the first) whose symbols could not be used; NULL: none. */
struct binary *binary_next_troubled(const struct binary *binary);

/* Name of the ELF symbol that covers `address` (as in the file), not demangled; NULL when none does. */
const char *binary_symbol(struct binary *binary, uint64_t address);

/* Functions at `address` by debug information with inlined ones, by symbols else. `count` 0 when neither knows. */
void binary_find(struct binary *binary, uint64_t address, struct binary_place *place);

/* Releases every binary. */
void binary_free_all(void);

#endif
