/* Stores one file's text in the ledger: read by raw system calls, compressed by zlib where there is one. */
#ifndef PIEPROF_PRELOAD_SOURCE_TEXT_H
#define PIEPROF_PRELOAD_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

void source_text_start(void); /* opens zlib locally. Constructor */

/* The id of its first db_source, 0 when it is no regular file of `bytes_max` bytes at most or could not be stored. Adds
 * the file's size to `bytes`. Outside handlers. */
uint32_t source_text_store(const char *path, uint32_t path_blob, size_t bytes_max, size_t *bytes);

#endif
