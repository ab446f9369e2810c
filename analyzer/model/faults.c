#include "model/faults.h"

#include "model/model.h"

#define PAGE_BYTES 4096.0
#define HUGE_PAGE_BYTES 2097152.0

/*
 * Objects from DB_HUGE_MIN_BYTES on are taken to lie in huge pages where the kernel gives any: NumPy asks for them from that
 * size on. Where others do not, that is too little, never too much.
 */
static double byte_ns(const struct db_live *live, uint64_t size_bytes)
{
    double small_ns = (double)live->page_ns / PAGE_BYTES, huge_ns = (double)live->huge_page_ns / HUGE_PAGE_BYTES;
    return size_bytes >= DB_HUGE_MIN_BYTES && live->huge_page_ns != 0 && huge_ns < small_ns ? huge_ns : small_ns;
}

struct faults faults_of_site(const struct process *process, const struct db_site *record)
{
    struct faults faults = {0};
    if (process->live == NULL || record->pages_asked == 0)
        return faults;
    double touched = (double)(record->fresh_bytes - record->untouched_bytes);
    faults.bytes = touched * ((double)record->births / (double)record->pages_asked);
    faults.seconds = faults.bytes * byte_ns(process->live, record->size_bytes) * 1e-9;
    return faults;
}
