#include "objects/page_cost.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "access/armed.h"
#include "kernel.h"
#include "objects/lifetime.h"

#define PAGE_BYTES ((size_t)4096)
#define TRIED_PAGES ((size_t)256)
#define TRIED_HUGE_PAGES                                                                                               \
    ((size_t)4) /* one alone would stay in the nearest cache while it is zeroed, as no program's do */
#define SECOND_TRIAL_BYTES (UINT64_C(64) << 20) /* of fresh memory since the first; each time four times as much */
#define TRIALS 9u

struct price {
    uint64_t (*round_ns)(void);
    uint64_t next_bytes; /* of fresh memory at the next trial */
    unsigned count;
    uint64_t tried_ns[TRIALS]; /* in ascending order */
};

static atomic_flag trying = ATOMIC_FLAG_INIT; /* where two threads would, one does */
static _Atomic uint64_t fresh_bytes_sum;

static char *map(size_t bytes)
{
    long start = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    return start == -1 ? NULL : (char *)start;
}

/* To map, touch and unmap pages, each. 0: it could not be tried. */
static uint64_t try_pages(void)
{
    uint64_t start_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    volatile char *pages = map(TRIED_PAGES * PAGE_BYTES);
    if (pages == NULL) {
        return 0;
    }
    for (size_t i = 0; i < TRIED_PAGES; i++) {
        pages[i * PAGE_BYTES] = 1;
    }
    syscall(SYS_munmap, pages, TRIED_PAGES * PAGE_BYTES);
    return (kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / TRIED_PAGES;
}

/* Its last page is there too once its first was touched. */
static bool is_huge_page(uintptr_t start)
{
    unsigned char present = 0;
    *(volatile char *)start = 1;
    return syscall(SYS_mincore, start + DB_HUGE_PAGE_BYTES - PAGE_BYTES, PAGE_BYTES, &present) == 0 &&
           (present & 1) != 0;
}

/* The same of huge pages. 0 too where the kernel gives small ones. */
static uint64_t try_huge_pages(void)
{
    uint64_t start_ns = kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    char *room = map((TRIED_HUGE_PAGES + 1) * DB_HUGE_PAGE_BYTES);
    if (room == NULL) {
        return 0;
    }
    uintptr_t first = ((uintptr_t)room + DB_HUGE_PAGE_BYTES - 1) & ~(DB_HUGE_PAGE_BYTES - 1);
    bool huge = syscall(SYS_madvise, first, TRIED_HUGE_PAGES * DB_HUGE_PAGE_BYTES, MADV_HUGEPAGE) == 0;
    for (size_t i = 0; i < TRIED_HUGE_PAGES && huge; i++) {
        huge = is_huge_page(first + i * DB_HUGE_PAGE_BYTES);
    }
    syscall(SYS_munmap, room, (TRIED_HUGE_PAGES + 1) * DB_HUGE_PAGE_BYTES);
    return huge ? (kernel_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / TRIED_HUGE_PAGES : 0;
}

static struct price small = {.round_ns = try_pages};
static struct price huge = {.round_ns = try_huge_pages};

/* The middle one of three rounds: the first alone may have to fetch what the kernel keeps ready for the others. */
static uint64_t middle_round_ns(const struct price *price)
{
    uint64_t a = price->round_ns();
    uint64_t b = a != 0 ? price->round_ns() : 0, c = b != 0 ? price->round_ns() : 0;
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

static __attribute__((noinline, cold)) void try_again(struct price *price, uint64_t *record_ns)
{
    uint64_t tried_ns = middle_round_ns(price);
    unsigned place = price->count++;
    for (; place > 0 && price->tried_ns[place - 1] > tried_ns; place--) {
        price->tried_ns[place] = price->tried_ns[place - 1];
    }
    price->tried_ns[place] = tried_ns;
    price->next_bytes = price->next_bytes > 0 ? price->next_bytes * 4 : SECOND_TRIAL_BYTES;
    __atomic_store_n(record_ns, price->tried_ns[(price->count - 1) / 2], __ATOMIC_RELAXED);
}

static bool is_time(const struct price *price, uint64_t sum)
{
    return sum >= price->next_bytes && price->count < TRIALS;
}

void page_cost_want(size_t object_bytes, size_t fresh_bytes)
{
    uint64_t sum = atomic_fetch_add_explicit(&fresh_bytes_sum, fresh_bytes, memory_order_relaxed) + fresh_bytes;
    bool wants_huge = object_bytes >= DB_HUGE_MIN_BYTES && is_time(&huge, sum);
    struct db_live *live = lifetime_record();
    /* An armed register would slow the trial down (governor.h): a later birth will do. */
    if ((!wants_huge && !is_time(&small, sum)) || live == NULL || armed_now() || atomic_flag_test_and_set(&trying)) {
        return;
    }
    if (is_time(&small, sum)) {
        try_again(&small, &live->page_ns);
    }
    if (wants_huge && is_time(&huge, sum)) {
        try_again(&huge, &live->huge_page_ns);
    }
    atomic_flag_clear(&trying);
}

void page_cost_reset_child(void)
{
    atomic_store_explicit(&fresh_bytes_sum, 0, memory_order_relaxed);
    small.count = huge.count = 0;
    small.next_bytes = huge.next_bytes = 0;
    atomic_flag_clear(&trying);
}
