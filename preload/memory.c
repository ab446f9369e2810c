#include "memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"

static size_t memory_round_to_pages(size_t bytes)
{
    const size_t page_bytes = 4096;
    return (bytes + page_bytes - 1) & ~(page_bytes - 1);
}

void *memory_map(size_t bytes)
{
    size_t rounded = memory_round_to_pages(bytes);
    long start =
        syscall(SYS_mmap, NULL, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    if (start == -1) {
        return NULL;
    }
    process_count(&process_record->shim_memory_bytes, rounded);
    return (void *)start;
}

void memory_unmap(void *start, size_t bytes)
{
    size_t rounded = memory_round_to_pages(bytes);
    if (start != NULL && syscall(SYS_munmap, start, rounded) == 0) {
        process_count(&process_record->shim_memory_bytes, (uint64_t)0 - rounded);
    }
}

void memory_forget(void *start, size_t bytes)
{
    if (start != NULL) {
        syscall(SYS_madvise, start, memory_round_to_pages(bytes), MADV_DONTNEED);
    }
}
