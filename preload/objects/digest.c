#include "objects/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t digest_bytes_sse2(const void *bytes, size_t count, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, count, seed);
}

static uint64_t (*widest)(const void *bytes, size_t count, uint64_t seed) = digest_bytes_sse2;

void digest_start(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) {
        widest = digest_bytes_avx2;
    }
}

uint64_t digest_bytes(const void *bytes, size_t count, uint64_t seed)
{
    return widest(bytes, count, seed);
}
