/*
 * The few system calls of the shim's life cycle, made without the C library's wrappers: those are interposed by this shim,
 * or may be by another preloaded library, and a guest's own reads and writes are nobody's to count.
 * All return -1 and set errno on failure; all are signal-safe.
 */
#ifndef PIEPROF_PRELOAD_KERNEL_H
#define PIEPROF_PRELOAD_KERNEL_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Where the shim's descriptors begin: low numbers are the program's. */
#define KERNEL_DESCRIPTOR_MIN 100

static inline int kernel_open_at(int directory, const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, directory, path, flags | O_CLOEXEC, mode);
}

static inline ssize_t kernel_read(int descriptor, void *to, size_t bytes)
{
    return syscall(SYS_read, descriptor, to, bytes);
}

static inline ssize_t kernel_read_at(int descriptor, void *to, size_t bytes, uint64_t offset)
{
    return syscall(SYS_pread64, descriptor, to, bytes, (off_t)offset);
}

static inline ssize_t kernel_write(int descriptor, const void *from, size_t bytes)
{
    return syscall(SYS_write, descriptor, from, bytes);
}

static inline ssize_t kernel_write_at(int descriptor, const void *from, size_t bytes, uint64_t offset)
{
    return syscall(SYS_pwrite64, descriptor, from, bytes, (off_t)offset);
}

static inline int kernel_close(int descriptor)
{
    return (int)syscall(SYS_close, descriptor);
}

static inline pid_t kernel_process_id(void)
{
    return (pid_t)syscall(SYS_getpid);
}

/* Reads a small file of /proc or /sys into `to`, NUL-terminated. Result: bytes read, 0 on any failure. */
size_t kernel_read_file(const char *path, char *to, size_t capacity);

/* Field 22 of /proc/PID/stat: the process's start in clock ticks since boot; 0 when there is no such process (or a zombie). */
uint64_t kernel_start_ticks(pid_t pid);
/* Field 47, of this process: where the heap that grows by brk(2) begins; 0 when the kernel does not say. */
uint64_t kernel_break_start(void);

uint64_t kernel_clock_ns(int clock);

#endif
