/*
 * What an expression's text does last: libraries are often without the names of their native functions, and one native
 * function may be the way into many.
 */
#ifndef PIEPROF_ANALYZER_OPERATION_H
#define PIEPROF_ANALYZER_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

enum operation_kind { OPERATION_UNKNOWN, OPERATION_CALL, OPERATION_SUBSCRIPT, OPERATOR };

/* The last step of an expression: of "np.exp(x)" the call of "exp", of "a + b * c" the operator "+". */
struct operation {
    enum operation_kind kind;
    const char *name; /* not NUL-terminated, in the source; length 0 for subscripts and for calls of what has no name */
    size_t length_bytes;
};

/* Of an expression's text. Anything it does not know (conditions, comprehensions, half an expression) is unknown. */
struct operation operation_of(const char *text, size_t length_bytes);

/* Is it that name? */
bool operation_is_named(const struct operation *operation, const char *name);

/* Do the two differ for certain? */
bool operations_differ(const struct operation *a, const struct operation *b);

#endif
