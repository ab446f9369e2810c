#include "objects/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "access/armed.h"
#include "kernel.h"
#include "objects/lifetime.h"
#include "process.h"

#define PAGE_BYTES ((size_t)4096)
#define ASKED_PAGES ((size_t)2048) /* at once: the answer lies on the stack */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define TRIED_PAGES ((size_t)256)
#define TRIED_HUGE_PAGES                                                                                               \
    ((size_t)4) /* one alone would stay in the nearest cache while it is zeroed, as no program's do */

/* Bytes of whole pages in [start, start + size_bytes) that the process has no memory for yet. 0 where the kernel does not say. */
static size_t absent_bytes(uintptr_t start, size_t size_bytes)
{
    unsigned char present[ASKED_PAGES];
    uintptr_t first = (start + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1), end = (start + size_bytes) & ~(PAGE_BYTES - 1);
    size_t absent = 0;
    while (first < end) {
        size_t bytes = end - first < ASKED_PAGES * PAGE_BYTES ? end - first : ASKED_PAGES * PAGE_BYTES;
        if (syscall(SYS_mincore, first, bytes, present) != 0) {
            return 0;
        }
        for (size_t i = 0; i < bytes / PAGE_BYTES; i++) {
            absent += (present[i] & 1) == 0 ? PAGE_BYTES : 0;
        }
        first += bytes;
    }
    return absent;
}

static char *map(size_t bytes)
{
    long start = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    return start == -1 ? NULL : (char *)start;
}

/* To map, touch and unmap `count` pages, each. 0: it could not be tried. */
static uint64_t try_pages(size_t count)
{
    uint64_t start_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    volatile char *pages = map(count * PAGE_BYTES);
    if (pages == NULL) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        pages[i * PAGE_BYTES] = 1;
    }
    syscall(SYS_munmap, pages, count * PAGE_BYTES);
    return (kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / count;
}

/* The same of huge pages. 0 too where the kernel gives small ones. */
static uint64_t try_huge_pages(size_t count)
{
    uint64_t start_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    char *room = map((count + 1) * HUGE_PAGE_BYTES);
    if (room == NULL) {
        return 0;
    }
    uintptr_t first = ((uintptr_t)room + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    bool huge = syscall(SYS_madvise, first, count * HUGE_PAGE_BYTES, MADV_HUGEPAGE) == 0;
    for (size_t i = 0; i < count && huge; i++) {
        *(volatile char *)(first + i * HUGE_PAGE_BYTES) = 1;
        huge = absent_bytes(first + i * HUGE_PAGE_BYTES, HUGE_PAGE_BYTES) == 0;
    }
    syscall(SYS_munmap, room, (count + 1) * HUGE_PAGE_BYTES);
    return huge ? (kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / count : 0;
}

/*
 * The middle one of three rounds, told in the record: in one the kernel may have had to look for pages, in another they may
 * still lie in the caches. Two threads that try at once do no harm.
 */
static __attribute__((noinline, cold)) void try_out(uint64_t *record_ns, uint64_t (*round_ns)(size_t), size_t count)
{
    uint64_t a = round_ns(count), b = a != 0 ? round_ns(count) : 0, c = b != 0 ? round_ns(count) : 0;
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    __atomic_store_n(record_ns, c < low ? low : c > high ? high : c, __ATOMIC_RELAXED);
}

static void want_costs(size_t size_bytes)
{
    struct db_live *live = lifetime_record();
    static bool huge_tried;
    if (live == NULL ||
        armed_now()) { /* an armed register would slow the trial down (governor.h): the next birth will do */
        return;
    }
    if (__atomic_load_n(&live->page_ns, __ATOMIC_RELAXED) == 0) {
        try_out(&live->page_ns, try_pages, TRIED_PAGES);
        __atomic_store_n(&huge_tried, false, __ATOMIC_RELAXED); /* a forked child has a record of its own */
    }
    if (size_bytes >= DB_HUGE_MIN_BYTES && !__atomic_exchange_n(&huge_tried, true, __ATOMIC_RELAXED)) {
        try_out(&live->huge_page_ns, try_huge_pages, TRIED_HUGE_PAGES);
    }
}

bool pages_born(struct db_site *site, uintptr_t start, size_t size_bytes)
{
    if (size_bytes < DB_PAGES_MIN_BYTES) {
        return false;
    }
    size_t fresh = absent_bytes(start, size_bytes);
    process_count(&site->pages_asked, 1);
    if (fresh == 0) {
        return false;
    }
    process_count(&site->fresh_bytes, fresh);
    want_costs(size_bytes);
    return true;
}

void pages_ended(struct db_site *site, uintptr_t start)
{
    size_t untouched = absent_bytes(start, site->size_bytes);
    if (untouched != 0) {
        process_count(&site->untouched_bytes, untouched);
    }
}
