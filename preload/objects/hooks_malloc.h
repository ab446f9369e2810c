/* The malloc family. */
#ifndef PIEPROF_PRELOAD_HOOKS_MALLOC_H
#define PIEPROF_PRELOAD_HOOKS_MALLOC_H

/* From now on blocks may be objects: frees ask the allocator for their size. Constructor, before the gate opens. */
void hooks_malloc_start(void);

#endif
