#include "access/io_marks.h"

#define RANGES 768u /* three for each of 256 threads that run Python at a time */

static struct io_range ranges[RANGES];
static _Atomic uint32_t ranges_high; /* one past the highest ever taken */

_Atomic uint32_t io_watched;

struct io_range *io_range_take(void)
{
    for (uint32_t i = 0; i < RANGES; i++) {
        bool free = false;
        if (atomic_compare_exchange_strong(&ranges[i].taken, &free, true)) {
            uint32_t high = atomic_load(&ranges_high);
            while (high < i + 1 && !atomic_compare_exchange_weak(&ranges_high, &high, i + 1)) {
            }
            return &ranges[i];
        }
    }
    return NULL;
}

void io_range_give(struct io_range *range)
{
    if (range != NULL) {
        io_range_clear(range);
        atomic_store(&range->taken, false);
    }
}

void io_marks_reset_child(void)
{
    for (uint32_t i = 0; i < atomic_load(&ranges_high); i++) {
        atomic_store(&ranges[i].address, 0);
        atomic_store(&ranges[i].taken, false);
    }
    atomic_store(&io_watched, 0);
}

void io_range_set(struct io_range *range, uintptr_t address, uint32_t size_bytes)
{
    if (range != NULL) {
        io_range_clear(range);
        atomic_store(&range->marks, 0);
        atomic_store(&range->size_bytes, size_bytes);
        atomic_store(&range->address, address);
        atomic_fetch_add(&io_watched, 1);
    }
}

void io_range_clear(struct io_range *range)
{
    if (range != NULL && atomic_exchange(&range->address, 0) != 0) {
        atomic_fetch_sub(&io_watched, 1);
    }
}

void io_mark(uintptr_t start, size_t bytes, enum io_mark mark)
{
    uint32_t high = atomic_load(&ranges_high);
    for (uint32_t i = 0; i < high; i++) {
        uintptr_t address = atomic_load(&ranges[i].address);
        bool overlaps = address - start < bytes || start - address < atomic_load(&ranges[i].size_bytes);
        if (address != 0 && mark != 0 && bytes != 0 && overlaps) {
            atomic_fetch_or(&ranges[i].marks, (uint32_t)mark);
        }
    }
}
