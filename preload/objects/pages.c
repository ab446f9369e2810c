#include "objects/pages.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "objects/page_cost.h"
#include "process.h"

#define PAGE_BYTES ((size_t)4096)
#define COUNTED_PAGES ((size_t)2048) /* at once: the answer lies on the stack */
#define COUNTED_BYTES (COUNTED_PAGES * PAGE_BYTES)
/* A gigabyte takes the kernel a millisecond, and may be but reserved. */
#define BLOCKS_ASKED (PAGES_ASKED_WHOLE_BYTES / COUNTED_BYTES)

/* Bytes of whole pages that the process has no memory for yet, and of these: of whole huge pages, where they are aligned. */
struct absent {
    size_t bytes, huge_bytes;
};

/* Pages that lie in one huge page, [first, end). */
static void count_absent(struct absent *absent, const unsigned char *present, uintptr_t first, uintptr_t end)
{
    size_t bytes = 0;
    for (; first < end; first += PAGE_BYTES, present++) {
        bytes += (*present & 1) == 0 ? PAGE_BYTES : 0;
    }
    absent->bytes += bytes;
    absent->huge_bytes += bytes == DB_HUGE_PAGE_BYTES ? bytes : 0;
}

static uintptr_t end_of_block(uintptr_t address, size_t block_bytes, uintptr_t end)
{
    uintptr_t next = (address | (block_bytes - 1)) + 1;
    return next < end ? next : end;
}

/* Of [first, end), which lies in one block. False where the kernel does not say. */
static bool ask_block(struct absent *absent, uintptr_t first, uintptr_t end)
{
    unsigned char present[COUNTED_PAGES];
    if (syscall(SYS_mincore, first, end - first, present) != 0) {
        return false;
    }
    for (uintptr_t at = first, next; at < end; at = next) {
        next = end_of_block(at, DB_HUGE_PAGE_BYTES, end);
        count_absent(absent, present + (at - first) / PAGE_BYTES, at, next);
    }
    return true;
}

static size_t scaled(size_t bytes, size_t whole_bytes, size_t asked_bytes)
{
    return asked_bytes < whole_bytes ? (size_t)((double)bytes * ((double)whole_bytes / (double)asked_bytes)) : bytes;
}

/* Of [start, start + size_bytes): of what is larger than some blocks by these alone, at even distances. None where the kernel does not say. */
static struct absent absent_in(uintptr_t start, size_t size_bytes)
{
    uintptr_t first = (start + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1), end = (start + size_bytes) & ~(PAGE_BYTES - 1);
    if (first >= end) {
        return (struct absent){0};
    }
    size_t blocks = (end - first) / COUNTED_BYTES, skipped = blocks > BLOCKS_ASKED ? blocks / BLOCKS_ASKED - 1 : 0;
    size_t asked_bytes = 0;
    struct absent absent = {0};
    for (uintptr_t at = first, next;
         at<end; at = end - next> skipped * COUNTED_BYTES ? next + skipped * COUNTED_BYTES : end) {
        next = end_of_block(at, COUNTED_BYTES, end);
        if (!ask_block(&absent, at, next)) {
            return (struct absent){0};
        }
        asked_bytes += next - at;
    }
    return (struct absent){scaled(absent.bytes, end - first, asked_bytes),
                           scaled(absent.huge_bytes, end - first, asked_bytes)};
}

bool pages_born(struct db_site *site, uintptr_t start, size_t size_bytes)
{
    if (size_bytes < DB_PAGES_MIN_BYTES) {
        return false;
    }
    struct absent fresh = absent_in(start, size_bytes);
    __atomic_fetch_add(&site->pages_asked, 1, __ATOMIC_RELAXED);
    if (fresh.bytes == 0) {
        return false;
    }
    process_count(&site->fresh_bytes, fresh.bytes);
    process_count(&site->huge_bytes, fresh.huge_bytes);
    page_cost_want(size_bytes, fresh.bytes);
    return true;
}

void pages_ended(struct db_site *site, uintptr_t start)
{
    size_t untouched = absent_in(start, site->size_bytes).bytes;
    if (untouched != 0) {
        process_count(&site->untouched_bytes, untouched);
    }
}

/* Whoever's it is: to find out whether this process has any takes a descriptor and much longer. */
static bool something_is_swapped_out(void)
{
    struct sysinfo machine;
    return syscall(SYS_sysinfo, &machine) != 0 || machine.freeswap != machine.totalswap;
}

static void ask(struct pages_answer *answer, uintptr_t first, uintptr_t object_end)
{
    uintptr_t end = (object_end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    size_t pages = (end - first) / PAGE_BYTES < PAGES_ASKED ? (end - first) / PAGE_BYTES : PAGES_ASKED;
    answer->first = first;
    answer->end = first + pages * PAGE_BYTES;
    bool is_told = syscall(SYS_mincore, first, pages * PAGE_BYTES, answer->present) == 0;
    size_t present = 0;
    while (is_told && present < pages && (answer->present[present] & 1) != 0) {
        present++;
    }
    if (present < pages && (!is_told || something_is_swapped_out())) {
        memset(answer->present, 1, pages);
    }
}

bool pages_are_empty(struct pages_answer *answer, uintptr_t start, size_t bytes, uintptr_t object_end)
{
    for (uintptr_t page = start & ~(PAGE_BYTES - 1); page < start + bytes; page += PAGE_BYTES) {
        if (page < answer->first || page >= answer->end) {
            ask(answer, page, object_end);
        }
        if ((answer->present[(page - answer->first) / PAGE_BYTES] & 1) != 0) {
            return false;
        }
    }
    return true;
}
