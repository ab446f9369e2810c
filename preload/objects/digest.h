/*
 * XXH3's 64 bits of some bytes, by the widest vectors that are free of charge: the same digest on every processor. Outside
 * handlers.
 */
#ifndef PIEPROF_PRELOAD_DIGEST_H
#define PIEPROF_PRELOAD_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* Before the first digest; until then it is taken as on any x86-64. */
void digest_start(void);

uint64_t digest_bytes(const void *bytes, size_t count, uint64_t seed);

/* For digest_start(): where the processor and the kernel have AVX2. */
uint64_t digest_bytes_avx2(const void *bytes, size_t count, uint64_t seed);

#endif
