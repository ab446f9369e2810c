/*
 * Source files named by code objects, and their text as it was when it ran. Only the user's own files are stored: what
 * lies in the standard library or among installed packages is found by name and version.
 */
#ifndef PIEPROF_PRELOAD_SOURCE_H
#define PIEPROF_PRELOAD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct python_probe;
struct source_file;

void source_start(void);       /* remembers the working directory, opens zlib. Constructor */
bool source_files_start(void); /* maps the table of files */
void source_reset_child(void);

struct source_name {
    uint32_t file; /* its place in the table of files, from 1; 0: there was none left, and its text is not stored */
    uint32_t blob; /* in the ledger */
    uint64_t hash;
    bool imports; /* the interpreter's own machinery of imports, frozen into it */
};

/* The file whose name is the str at `string`. False: it could not be read or stored. Signal-safe. */
bool source_file_intern(const struct python_probe *probe, uintptr_t string, struct source_name *name);

/* Connects a published code object with its file's text, where that is stored by now. Signal-safe. */
void source_link(uint32_t code_id, struct source_file *file);

#endif
