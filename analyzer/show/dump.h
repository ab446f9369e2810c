/* Every record as a line of text, in the order of the file's tables: for debugging and for tests. */
#ifndef PIEPROF_ANALYZER_DUMP_H
#define PIEPROF_ANALYZER_DUMP_H

#include <stdio.h>

#include "model/model.h"

/* `model`: with its contexts. `phase`: of records that have a context those of this one alone; PHASE_COUNT: all. */
void dump_show(FILE *out, const struct model *model, enum phase phase);

/* dump_phase.c: in which phase what a record tells happened; PHASE_COUNT: its kind has no context. */
enum phase dump_phase(const struct process *process, enum db_kind kind, uint64_t id, const void *record);

#endif
