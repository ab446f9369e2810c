/* What fresh memory cost: page faults of large objects, counted in bytes, told in seconds by what a page was tried to cost. */
#ifndef PIEPROF_ANALYZER_FAULTS_H
#define PIEPROF_ANALYZER_FAULTS_H

#include <stdint.h>

struct db_site;
struct process;

struct faults {
    double
        bytes; /* that were not there at an object's birth, and were at its end: what was asked stands for the rest */
    double seconds; /* what the kernel took to give them, and to take them back */
};

/* Of a site's objects of DB_PAGES_MIN_BYTES and more. After lifetime_charge. */
struct faults faults_of_site(const struct process *process, const struct db_site *record);

#endif
