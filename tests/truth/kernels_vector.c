/* Vector forms and string instructions: not announced to the counter, what they do follows from their text. */
#include <immintrin.h>

#include "kernels.h"

#define LANES_2 4u
#define LANES_512 8u

__attribute__((target("avx2"))) KERNEL(avx2_equal)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i += LANES_2) {
        __m256i lanes =
            _mm256_set_epi64x((long long)equal_value(i + 3, step, part), (long long)equal_value(i + 2, step, part),
                              (long long)equal_value(i + 1, step, part), (long long)equal_value(i, step, part));
        _mm256_storeu_si256((void *)(to + i), lanes);
    }
    return 0;
}

__attribute__((target("avx2"))) KERNEL(avx2_sum)
{
    const uint64_t *from = a;
    __m256i sum = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i += LANES_2) {
        sum = _mm256_add_epi64(sum, _mm256_loadu_si256((const void *)(from + i)));
    }
    return (uint64_t)_mm256_extract_epi64(sum, 0);
}

__attribute__((target("avx2"))) KERNEL(avx2_add)
{
    const uint64_t *from = b;
    uint64_t *to = a;
    for (size_t i = 0; i < count; i += LANES_2) {
        __m256i x = _mm256_loadu_si256((const void *)(to + i)), y = _mm256_loadu_si256((const void *)(from + i));
        _mm256_storeu_si256((void *)(to + i), _mm256_add_epi64(x, y));
    }
    return 0;
}

/* Two lanes of four. */
__attribute__((target("avx2"))) KERNEL(avx2_masked)
{
    uint64_t *to = a;
    __m256i mask = _mm256_set_epi64x(-1, 0, -1, 0);
    for (size_t i = 0; i < count; i += LANES_2) {
        __m256i lanes = _mm256_set_epi64x((long long)equal_value(i + 3, step, part), 1,
                                          (long long)equal_value(i + 1, step, part), 1);
        _mm256_maskstore_epi64((void *)(to + i), mask, lanes);
    }
    return 0;
}

__attribute__((target("avx2"))) KERNEL(avx2_gather)
{
    const long long *from = a;
    __m256i sum = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i += LANES_2) {
        long long at = (long long)i;
        sum = _mm256_add_epi64(sum, _mm256_i64gather_epi64(from, _mm256_set_epi64x(at + 3, at + 2, at + 1, at), 8));
    }
    return (uint64_t)_mm256_extract_epi64(sum, 0);
}

__attribute__((target("avx512f"))) KERNEL(avx512_equal)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i += LANES_512) {
        long long lane[LANES_512];
        for (size_t k = 0; k < LANES_512; k++) {
            lane[k] = (long long)equal_value(i + k, step, part);
        }
        _mm512_storeu_si512(to + i, _mm512_loadu_si512(lane));
    }
    return 0;
}

__attribute__((target("avx512f"))) KERNEL(avx512_sum)
{
    const uint64_t *from = a;
    __m512i sum = _mm512_setzero_si512();
    for (size_t i = 0; i < count; i += LANES_512) {
        sum = _mm512_add_epi64(sum, _mm512_loadu_si512(from + i));
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

__attribute__((target("avx512f"))) KERNEL(avx512_masked)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i += LANES_512) {
        _mm512_mask_storeu_epi64(to + i, 0x5a, _mm512_set1_epi64((long long)(step / 2)));
    }
    return 0;
}

__attribute__((target("avx512f"))) KERNEL(avx512_scatter)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i += LANES_512) {
        long long at = (long long)i;
        __m512i places = _mm512_set_epi64(at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6, at + 7);
        _mm512_i64scatter_epi64(to, places, _mm512_set1_epi64((long long)(step / 2)), 8);
    }
    return 0;
}

/* Two steps the same value, then another. */
KERNEL(string_fill)
{
    void *to = a;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(step / 2) : "memory");
    return 0;
}

KERNEL(string_fill_bytes)
{
    void *to = a;
    size_t bytes = count * 8;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(step / 2) : "memory");
    return 0;
}

KERNEL(string_copy)
{
    void *to = a;
    const void *from = b;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
    return 0;
}

KERNEL(string_copy_bytes)
{
    void *to = a;
    const void *from = b;
    size_t bytes = count * 8;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return 0;
}
