/* What was alive: the curve of live bytes, what stood at its peak by line, how long objects lived (db.h: struct db_live). */
#ifndef PIEPROF_ANALYZER_LIFETIME_H
#define PIEPROF_ANALYZER_LIFETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/faults.h"
#include "pieprof/db.h"

/* Objects of DB_LIVE_SMALL_BYTES and more, summed over sites. All processes count, but for what stood at the peak. */
struct alive {
    uint64_t births, ended, lifetime_ns;
    uint64_t unfilled,
        unfilled_bytes;          /* of those whose content was looked at: nothing shows that they were stored into */
    uint64_t again, again_bytes; /* of births: took the place of one of its site that had ended */
    struct faults faults;        /* of those of DB_PAGES_MIN_BYTES and more */
    uint64_t peak_objects, peak_bytes; /* alive at the peak of the process that the model's memory tells of */
    uint64_t reserve_bytes;            /* of these: buffers that OpenBLAS maps once and works in ever after */
};

struct model;
struct line;
struct process;

struct memory {
    const struct process *process; /* the one with the highest peak; NULL: nothing is known */
    const struct db_live *record;
    size_t processes; /* of which something is known */
    uint64_t
        uncounted; /* objects of `process` that found no room in its object map: at the peak any of them is missing */
    struct alive all;    /* imports left out */
    struct line **lines; /* those that had something at the peak, most bytes first */
    size_t line_count, line_capacity;
    uint64_t import_bytes; /* at the peak: made below an import */
    uint64_t other_bytes;  /* at the peak: of no line; the small and the siteless ones are not among them */
};

/* The most bytes alive in each of `count` equal parts of the process's life. */
struct memory_curve {
    double bin_s;
    size_t count;
    uint64_t max_bytes[DB_LIVE_BINS];
};

/* After objects_charge. Fills model->memory and line->alive. */
void lifetime_charge(struct model *model);
void lifetime_free(struct model *model);

void lifetime_curve(const struct memory *memory, struct memory_curve *curve);

/* Mean of those that ended. False: none did. */
bool lifetime_mean_s(const struct alive *alive, double *seconds);

#endif
