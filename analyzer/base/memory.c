#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *memory_checked(void *memory)
{
    if (memory == NULL) {
        fputs("pieprof-report: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

void *memory_zeroed(size_t count, size_t size_bytes)
{
    return memory_checked(calloc(count > 0 ? count : 1, size_bytes));
}

void *memory_grow(void *items, size_t count, size_t *capacity, size_t size_bytes)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity > 0 ? *capacity * 2 : 16;
    return memory_checked(reallocarray(items, *capacity, size_bytes));
}

char *memory_print(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return memory_checked(length < 0 ? NULL : text);
}
