/* A file of its own: xxHash chooses its vectors when it is compiled. AVX-512 slows some processors down, the program with it. */
#include "objects/digest.h"

#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t digest_bytes_avx2(const void *bytes, size_t count, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, count, seed);
}
