#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "read/run_private.h"

bool run_fail(struct run *run, uint64_t offset, const char *format, ...)
{
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    snprintf(run->error, sizeof(run->error), "%.150s: offset 0x%" PRIx64 ": %s", run->path, offset, what);
    return false;
}
