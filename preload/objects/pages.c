#include "objects/pages.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "access/armed.h"
#include "kernel.h"
#include "objects/lifetime.h"
#include "process.h"

#define PAGE_BYTES ((size_t)4096)
#define COUNTED_PAGES ((size_t)2048) /* at once: the answer lies on the stack */
#define TRIED_PAGES ((size_t)256)
#define TRIED_HUGE_PAGES                                                                                               \
    ((size_t)4) /* one alone would stay in the nearest cache while it is zeroed, as no program's do */

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

/* Of [start, start + size_bytes). None where the kernel does not say. */
static struct absent absent_in(uintptr_t start, size_t size_bytes)
{
    unsigned char present[COUNTED_PAGES];
    uintptr_t first = (start + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1), end = (start + size_bytes) & ~(PAGE_BYTES - 1);
    struct absent absent = {0};
    while (first < end) {
        uintptr_t asked = first, asked_end = end_of_block(first, COUNTED_PAGES * PAGE_BYTES, end);
        if (syscall(SYS_mincore, first, asked_end - first, present) != 0) {
            return (struct absent){0};
        }
        while (first < asked_end) {
            uintptr_t next = end_of_block(first, DB_HUGE_PAGE_BYTES, asked_end);
            count_absent(&absent, present + (first - asked) / PAGE_BYTES, first, next);
            first = next;
        }
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
    char *room = map((count + 1) * DB_HUGE_PAGE_BYTES);
    if (room == NULL) {
        return 0;
    }
    uintptr_t first = ((uintptr_t)room + DB_HUGE_PAGE_BYTES - 1) & ~(DB_HUGE_PAGE_BYTES - 1);
    bool huge = syscall(SYS_madvise, first, count * DB_HUGE_PAGE_BYTES, MADV_HUGEPAGE) == 0;
    for (size_t i = 0; i < count && huge; i++) {
        *(volatile char *)(first + i * DB_HUGE_PAGE_BYTES) = 1;
        huge = absent_in(first + i * DB_HUGE_PAGE_BYTES, DB_HUGE_PAGE_BYTES).bytes == 0;
    }
    syscall(SYS_munmap, room, (count + 1) * DB_HUGE_PAGE_BYTES);
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
    struct absent fresh = absent_in(start, size_bytes);
    process_count(&site->pages_asked, 1);
    if (fresh.bytes == 0) {
        return false;
    }
    process_count(&site->fresh_bytes, fresh.bytes);
    process_count(&site->huge_bytes, fresh.huge_bytes);
    want_costs(size_bytes);
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
