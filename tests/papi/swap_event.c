/*
 * Preloaded beside the shim where no PMU exists: a perf event of a hardware type is opened as the software clock instead.
 * Everything above stays real - PAPI, libpfm4's tables (LIBPFM_FORCE_PMU), overflow signals. It proves the shim's way
 * through PAPI; it does not prove the counts of any hardware event, nor reading by rdpmc.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

static int is_hardware(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_RAW || attr->type == PERF_TYPE_HARDWARE || attr->type > PERF_TYPE_BREAKPOINT;
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long arguments[6];
    struct perf_event_attr swapped;
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(list, long);
    }
    va_end(list);
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    }
    if (number == SYS_perf_event_open && is_hardware((const struct perf_event_attr *)arguments[0])) {
        memcpy(&swapped, (const void *)arguments[0], sizeof swapped);
        swapped.type = PERF_TYPE_SOFTWARE;
        swapped.config = PERF_COUNT_SW_TASK_CLOCK;
        swapped.config1 = swapped.config2 = 0;
        swapped.precise_ip = 0;
        arguments[0] = (long)&swapped;
    }
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
