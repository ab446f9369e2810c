#include "model/faults.h"

#include "model/model.h"

#define PAGE_BYTES 4096.0

/*
 * Objects from DB_HUGE_MIN_BYTES on are taken to lie in huge pages as far as whole ones fit in, where the kernel gives any:
 * NumPy asks for them from that size on (numpy/core/src/multiarray/alloc.c). Where others do not, that is too little, never
 * too much. What was not touched is taken to be spread evenly.
 */
static double byte_ns(const struct db_live *live, const struct db_site *record)
{
    double small_ns = (double)live->page_ns / PAGE_BYTES;
    double huge_ns = (double)live->huge_page_ns / (double)DB_HUGE_PAGE_BYTES;
    if (record->size_bytes < DB_HUGE_MIN_BYTES || live->huge_page_ns == 0 || huge_ns >= small_ns)
        return small_ns;
    double part = record->fresh_bytes > 0 ? (double)record->huge_bytes / (double)record->fresh_bytes : 0;
    return part * huge_ns + (1 - part) * small_ns;
}

struct faults faults_of_site(const struct process *process, const struct db_site *record)
{
    struct faults faults = {0};
    if (process->live == NULL || record->pages_asked == 0)
        return faults;
    double touched = (double)(record->fresh_bytes - record->untouched_bytes);
    faults.bytes = touched * ((double)record->births / (double)record->pages_asked);
    faults.seconds = faults.bytes * byte_ns(process->live, record) * 1e-9;
    return faults;
}
