/* Path and build id of a loaded object. Outside handlers. */
#ifndef PIEPROF_PRELOAD_MODULE_NOTE_H
#define PIEPROF_PRELOAD_MODULE_NOTE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the object's path, NUL-terminated, to `to`; returns the bytes used, 0 when there is no room or no name. A path
 * relative to the working directory (dlopen("./x.so")) becomes absolute, as long as nobody changes the directory. The
 * executable has none in the loader's list: it is asked of /proc/self/exe. */
size_t module_note_path(const char *loader_name, bool executable, char *to, size_t room_bytes);

/* Copies the GNU build id (at most DB_BUILD_ID_BYTES); returns its length, 0 when it has none. */
uint32_t module_note_build_id(const struct dl_phdr_info *info, uint8_t *to);

#endif
