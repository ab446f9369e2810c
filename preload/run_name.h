/* One run, one name: what tells the processes of a run from those of another, and their place in it. */
#ifndef PIEPROF_PRELOAD_RUN_NAME_H
#define PIEPROF_PRELOAD_RUN_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Sets config.run_name. False when `name` is empty, too long, or has bytes that are not printable ASCII. */
bool run_name_set(const char *name);

/* Sets config.run_name from the scheduler's job (PMIx, Slurm, TorchElastic), else to a name no other run has. */
void run_name_derive(void);

/* The rank that the launcher gave this process, -1 when none. */
int32_t run_name_rank(void);

/* Tells the children of this process the run's name and file. Constructor only: it changes the environment. */
void run_name_export(const char *out_path);

#endif
