/* C++ names made readable. */
#ifndef PIEPROF_ANALYZER_DEMANGLE_H
#define PIEPROF_ANALYZER_DEMANGLE_H

#include <stddef.h>

/* The name as C++ writes it, or `name` itself when it is not mangled. Interned. */
const char *demangle(const char *name);

/* Without parameters, template arguments and return type: "at::native::copy_". Interned. */
const char *demangle_short(const char *demangled);

#endif
