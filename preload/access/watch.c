#include "access/watch.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "access/armed.h"
#include "gate.h"
#include "kernel.h"
#include "signals.h"
#include "stack/guard.h"
#include "thread.h"

static SHIM_THREAD_LOCAL struct watch_register *current_registers;
static SHIM_THREAD_LOCAL size_t current_count;

/* Only address, kind, length and the disabled bit may differ when an event is modified: the rest is fixed here. */
static struct perf_event_attr event_attributes(enum watch_kind kind, uintptr_t address, uint32_t size_bytes)
{
    static const uint32_t kinds[] = {
        [WATCH_OFF] = HW_BREAKPOINT_RW,
        [WATCH_ACCESS] = HW_BREAKPOINT_RW,
        [WATCH_WRITE] = HW_BREAKPOINT_W,
        [WATCH_EXECUTE] = HW_BREAKPOINT_X,
    };
    return (struct perf_event_attr){
        .type = PERF_TYPE_BREAKPOINT,
        .size = sizeof(struct perf_event_attr),
        .sample_period = 1,
        .disabled = kind == WATCH_OFF,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .sig_data = SIGNALS_COOKIE_WATCH,
        .bp_type = kinds[kind],
        .bp_addr = address,
        .bp_len = kind == WATCH_EXECUTE ? sizeof(long) : size_bytes,
    };
}

bool watch_register_open(struct watch_register *reg)
{
    struct perf_event_attr attributes = event_attributes(WATCH_OFF, (uintptr_t)&current_registers & ~(uintptr_t)7, 8);
    *reg = (struct watch_register){.descriptor = thread_open_event(&attributes)};
    return reg->descriptor >= 0;
}

/* Never on a number that has become the program's own: a read would eat its bytes. */
static bool control(const struct watch_register *reg, unsigned long request, void *argument)
{
    return thread_event_is_ours(reg->descriptor) && syscall(SYS_ioctl, reg->descriptor, request, argument) == 0;
}

void watch_register_close(struct watch_register *reg)
{
    if (reg->descriptor >= 0) {
        watch_register_disarm(reg);
        thread_close_event(reg->descriptor);
        reg->descriptor = -1;
    }
}

void watch_register_forget(struct watch_register *reg)
{
    if (reg->descriptor >= 0) {
        thread_close_event(reg->descriptor);
    }
    *reg = (struct watch_register){.descriptor = -1};
}

bool watch_register_arm(struct watch_register *reg, enum watch_kind kind, uintptr_t address, uint32_t size_bytes)
{
    struct perf_event_attr attributes = event_attributes(kind, address, size_bytes);
    if (!control(reg, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attributes)) {
        watch_register_disarm(reg);
        return false;
    }
    if (reg->kind == WATCH_OFF) {
        armed_more();
    }
    reg->kind = kind;
    reg->address = address;
    reg->size_bytes = kind == WATCH_EXECUTE ? 1 : size_bytes;
    reg->stopped = false;
    watch_register_was_hit(reg); /* what it counted for its last owner is nothing to this one */
    return true;
}

void watch_register_disarm(struct watch_register *reg)
{
    if (reg->kind != WATCH_OFF) {
        control(reg, PERF_EVENT_IOC_DISABLE, NULL);
        reg->kind = WATCH_OFF;
        armed_less();
    }
}

/* Its count; where that cannot be had, as if nothing had hit it since. */
static uint64_t hits_now(const struct watch_register *reg)
{
    uint64_t hits;
    bool known = thread_event_is_ours(reg->descriptor) &&
                 kernel_read(reg->descriptor, &hits, sizeof hits) == (ssize_t)sizeof hits;
    return known ? hits : reg->hits;
}

bool watch_register_was_hit(struct watch_register *reg)
{
    uint64_t hits = hits_now(reg);
    bool hit = hits != reg->hits;
    reg->hits = hits;
    return hit;
}

void watch_register_stop(struct watch_register *reg)
{
    if (reg->kind != WATCH_OFF && hits_now(reg) != reg->hits) {
        reg->stopped = control(reg, PERF_EVENT_IOC_DISABLE, NULL);
    }
}

uint32_t watch_choose_bytes(uintptr_t address, uint32_t size_bytes, uint32_t random, uintptr_t *start)
{
    for (uint32_t length = 8; length > 1; length /= 2) {
        uintptr_t first = (address + length - 1) & ~(uintptr_t)(length - 1);
        if (first + length <= address + size_bytes) {
            uint32_t places = (uint32_t)((address + size_bytes - first) / length);
            *start = first + (uintptr_t)(random % places) * length;
            return length;
        }
    }
    *start = address;
    return 1;
}

void watch_choose_place(uintptr_t address, uint32_t size_bytes, uint32_t element_bytes, uint32_t random,
                        struct watch_place *place)
{
    bool split = size_bytes > 8 && element_bytes != 0 && element_bytes <= 8 && address % element_bytes != 0;
    if (split) {
        address += (uintptr_t)(random % (size_bytes / element_bytes)) * element_bytes;
        size_bytes = element_bytes;
    }
    place->size_bytes = watch_choose_bytes(address, size_bytes, random, &place->address);
    bool whole = size_bytes <= 8;
    place->value_address = whole ? address : place->address;
    place->value_bytes = whole ? size_bytes : place->size_bytes;
}

void watch_set_current(struct watch_register *registers, size_t count)
{
    current_registers = registers;
    current_count = count;
    if (count == 0) {
        armed_forget();
    }
}

static bool read_would_trap(uintptr_t from, size_t bytes)
{
    for (size_t i = 0; i < current_count; i++) {
        const struct watch_register *reg = &current_registers[i];
        if (reg->kind == WATCH_ACCESS && from < reg->address + reg->size_bytes && reg->address < from + bytes) {
            return true;
        }
    }
    return false;
}

bool watch_read_memory(void *to, uintptr_t from, size_t bytes)
{
    if (!read_would_trap(from, bytes)) {
        return guard_copy(to, (const void *)from, bytes);
    }
    struct iovec local = {to, bytes}, remote = {(void *)from, bytes};
    return syscall(SYS_process_vm_readv, kernel_process_id(), &local, 1UL, &remote, 1UL, 0UL) == (long)bytes;
}
