/* Whose code an address is: the distinction every verdict of the access engine rests on. */
#ifndef PIEPROF_PRELOAD_ACCESS_TEXT_H
#define PIEPROF_PRELOAD_ACCESS_TEXT_H

#include <stdint.h>

enum text_owner {
    TEXT_NATIVE,      /* the program's native libraries, the C library's copies and comparisons included */
    TEXT_INTERPRETER, /* python or libpython */
    TEXT_ALLOCATOR, /* malloc and its family; and OpenMP's runtime, whose barriers and books are as little the program's */
    TEXT_SHIM,
};

/* The addresses around one that have the same owner: a walk asks again only when it leaves them. */
struct text_range {
    uintptr_t low, high;
    enum text_owner owner;
};

/* Finds where the C library's allocator lies. Outside handlers. */
void text_start(void);

/* Signal-safe. Code in no known module (generated at run time) is native, with a range of its own page. */
void text_find(uintptr_t address, struct text_range *range);
enum text_owner text_owner_of(uintptr_t address);

#endif
