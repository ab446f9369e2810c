/* The library whose structs Zydis's headers describe. */
#ifndef PIEPROF_ZYDIS_NAME_H
#define PIEPROF_ZYDIS_NAME_H

#include <Zydis/Zydis.h>
#include <stdio.h>

struct zydis_name {
    char library[32], package[32]; /* "libZydis.so.4.0", Debian's "libzydis4.0" */
};

/* Minor versions differ in their structs, so the soname has both numbers: no other library will do. */
static inline struct zydis_name zydis_name(void)
{
    const unsigned major = ZYDIS_VERSION_MAJOR(ZYDIS_VERSION), minor = ZYDIS_VERSION_MINOR(ZYDIS_VERSION);
    struct zydis_name name;
    snprintf(name.library, sizeof name.library, "libZydis.so.%u.%u", major, minor);
    snprintf(name.package, sizeof name.package, "libzydis%u.%u", major, minor);
    return name;
}

#endif
