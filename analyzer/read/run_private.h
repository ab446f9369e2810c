/* Between the reader's own files. */
#ifndef PIEPROF_ANALYZER_RUN_PRIVATE_H
#define PIEPROF_ANALYZER_RUN_PRIVATE_H

#include "read/run.h"

/* fail.c: fills run->error with "FILE: offset 0x...: ..." and returns false. */
bool run_fail(struct run *run, uint64_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Header and size (snapshot.c): bytes are in memory, header is sound. */
bool snapshot_header(struct run *run);

/* Extents sorted into tables (extents.c). */
bool extents_index(struct run *run);

/* Every record (check.c). */
bool check_records(struct run *run);

/* Counters and times that cannot be (plausible.c). */
void plausible_execs(struct run *run); /* first: a program's CPU time is not that of those it replaced in its process */
void plausible_process(struct run *run, struct run_process *process);
void plausible_node(struct run *run, struct run_process *process, struct db_node *node);
void plausible_pair(struct run *run, const struct run_process *process, struct db_pair *pair);
void plausible_counter(struct run *run, struct db_counter *counter);
void plausible_site(struct run *run, struct run_process *process, struct db_site *site);
void plausible_live(struct run *run, struct run_process *process, struct db_live *live);
void plausible_link(struct run *run, const struct run_process *process, struct db_link *link);
void plausible_heat(struct run *run, const struct run_process *process, struct db_heat *heat);
void plausible_neighbour(struct run *run, const struct run_process *process, struct db_neighbour *neighbour);
void plausible_content(struct run *run, const struct run_process *process, struct db_content *content);

/* How a reference stands. */
enum run_reference { RUN_REFERENCE_GOOD, RUN_REFERENCE_UNFINISHED, RUN_REFERENCE_BAD };
enum run_reference run_reference(const struct run *run, const struct run_process *process, enum db_kind kind,
                                 uint64_t id);
enum run_reference run_blob_reference(const struct run *run, const struct run_process *process, uint32_t reference);

#endif
