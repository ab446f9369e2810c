/* Anonymous mappings that native code makes by itself, as objects. */
#ifndef PIEPROF_PRELOAD_HOOKS_MMAP_H
#define PIEPROF_PRELOAD_HOOKS_MMAP_H

/* Notes which modules are allocators: what they map is handed out by malloc. Constructor, after module_scan(). */
void hooks_mmap_start(void);

#endif
