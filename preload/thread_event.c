/* Descriptors of perf events: high, close-on-exec, and known by the kernel's id so that a recycled number is noticed. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "kernel.h"
#include "memory.h"
#include "thread.h"

#define DESCRIPTORS_KNOWN 65536u
#define EVENTS_PART                                                                                                    \
    8u /* of the descriptors that the program may have: more are not taken from it where that can be helped */

/* The event's id by descriptor; 0 = none. Mapped at first use, only touched pages cost. */
static _Atomic(_Atomic uint64_t *) event_ids;

static _Atomic uint64_t *ids_table(void)
{
    _Atomic uint64_t *table = atomic_load(&event_ids);
    if (table == NULL) {
        _Atomic uint64_t *fresh = memory_map(DESCRIPTORS_KNOWN * sizeof *fresh);
        if (fresh == NULL || atomic_compare_exchange_strong(&event_ids, &table, fresh)) {
            return fresh;
        }
        memory_unmap((void *)fresh, DESCRIPTORS_KNOWN * sizeof *fresh);
    }
    return table;
}

static _Atomic int events_open;

bool thread_events_are_many(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || (rlim_t)atomic_load(&events_open) >= limit.rlim_cur / EVENTS_PART;
}

/* Where new numbers are looked for. */
static _Atomic int descriptors_from = KERNEL_DESCRIPTOR_MIN;

void thread_events_move_up(void)
{
    const rlim_t table_most = 4096; /* the kernel's table of descriptors grows to the highest in use */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        rlim_t top = limit.rlim_cur < table_most ? limit.rlim_cur : table_most;
        int from = (int)(top / 4 * 3);
        atomic_store(&descriptors_from, from > KERNEL_DESCRIPTOR_MIN ? from : KERNEL_DESCRIPTOR_MIN);
    }
}

/*
 * perf_event_open takes no wish: for the time of two system calls the event holds the lowest free number, and a thread that
 * opens a file just then gets the next one. Nothing but a lock around every open of the program could prevent that.
 */
static int descriptor_raise(int low)
{
    int from = atomic_load(&descriptors_from);
    if (low >= from) {
        return low;
    }
    int high = (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, from);
    int why = errno == EINVAL ? EMFILE : errno; /* EINVAL: RLIMIT_NOFILE lies below the minimum */
    kernel_close(low);
    errno = high < 0 ? why : errno;
    return high;
}

int thread_open_event(struct perf_event_attr *attr)
{
    _Atomic uint64_t *ids = ids_table();
    if (ids == NULL) {
        errno = ENOMEM;
        return -1;
    }
    int low = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    int descriptor = low < 0 ? -1 : descriptor_raise(low);
    uint64_t id = 0;
    if (descriptor < 0) {
        return -1;
    }
    if (descriptor >= (int)DESCRIPTORS_KNOWN || ioctl(descriptor, PERF_EVENT_IOC_ID, &id) != 0) {
        kernel_close(descriptor);
        errno = EMFILE;
        return -1;
    }
    atomic_fetch_add(&events_open, atomic_exchange(&ids[descriptor], id) == 0 ? 1 : 0);
    return descriptor;
}

void thread_clock_attributes(struct perf_event_attr *attr, uint64_t period_ns, uint64_t cookie)
{
    *attr = (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .size = sizeof *attr,
        .sample_period = period_ns,
        .disabled = 1,
        .exclude_kernel = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .sig_data = cookie,
    };
}

bool thread_event_is_ours(int descriptor)
{
    _Atomic uint64_t *ids = atomic_load(&event_ids);
    uint64_t id = 0;
    int kept_errno = errno;
    bool ours = ids != NULL && descriptor >= 0 && descriptor < (int)DESCRIPTORS_KNOWN &&
                syscall(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, &id) == 0 && id != 0 &&
                id == atomic_load(&ids[descriptor]);
    errno = kept_errno;
    return ours;
}

void thread_close_event(int descriptor)
{
    _Atomic uint64_t *ids = atomic_load(&event_ids);
    bool ours = thread_event_is_ours(descriptor);
    if (ids != NULL && descriptor >= 0 && descriptor < (int)DESCRIPTORS_KNOWN) {
        atomic_fetch_sub(&events_open, atomic_exchange(&ids[descriptor], 0) != 0 ? 1 : 0);
    }
    if (ours) {
        kernel_close(descriptor);
    }
}

void thread_stop_event(int descriptor)
{
    if (thread_event_is_ours(descriptor)) {
        syscall(SYS_ioctl, descriptor, PERF_EVENT_IOC_DISABLE, 0);
        thread_close_event(descriptor);
    }
}
