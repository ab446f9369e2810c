#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

size_t kernel_read_file(const char *path, char *to, size_t capacity)
{
    size_t used = 0;
    int descriptor = kernel_open_at(AT_FDCWD, path, O_RDONLY, 0);
    if (descriptor >= 0) {
        while (used + 1 < capacity) {
            ssize_t got = kernel_read(descriptor, to + used, capacity - 1 - used);
            if (got <= 0) {
                break;
            }
            used += (size_t)got;
        }
        kernel_close(descriptor);
    }
    to[used] = '\0';
    return used;
}

/* A number of /proc/PID/stat (proc(5) counts its fields from 1), 0 for a process that is gone. */
static uint64_t stat_field(pid_t pid, int wanted)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (kernel_read_file(path, text, sizeof text) == 0) {
        return 0;
    }
    /* The command name (field 2) may hold blanks and parentheses: fields are counted from the last one. */
    const char *field = strrchr(text, ')');
    if (field == NULL || field[1] != ' ' || strchr("ZXx", field[2]) != NULL) {
        return 0;
    }
    for (int number = 2; number < wanted && field != NULL; number++) {
        field = strchr(field + 1, ' ');
    }
    return field != NULL ? strtoull(field + 1, NULL, 10) : 0;
}

uint64_t kernel_start_ticks(pid_t pid)
{
    return stat_field(pid, 22);
}

uint64_t kernel_break_start(void)
{
    return stat_field(kernel_process_id(), 47);
}

uint64_t kernel_clock_ns(int clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
