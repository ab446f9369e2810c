/* Facts about a recorded process. */
#ifndef PIEPROF_ANALYZER_PROCESSES_H
#define PIEPROF_ANALYZER_PROCESSES_H

#include "read/run.h"

/* "3.11.2"; NULL while the process had not said. Interned. */
const char *process_python(const struct db_process *record);

/* "running", "exit", "exec", "signal", "killed" (gone without a word: by a signal, or by a system call of its own) or "unknown" (recorded elsewhere). */
const char *process_state(const struct run *run, const struct db_process *record);

/* Seconds from its start to its last sign of life. */
double process_duration_s(const struct db_process *record);

/* Has it so many sites that what is made once at its own has none (DB_SITES_CROWDED)? */
bool process_is_crowded(const struct run_process *process);

/* argv as the program would write it in a shell, at most `limit_bytes`; fresh memory. */
char *process_command(const struct run_process *process, size_t limit_bytes);

#endif
