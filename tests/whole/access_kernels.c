/* Kernels whose accesses are known: tests/whole/test_access.py calls each from a line of its own. */
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define KERNELS(bits)                                                                                                  \
    void fill##bits(uint##bits##_t *a, size_t bytes, uint64_t value)                                                   \
    {                                                                                                                  \
        for (size_t i = 0; i < bytes / sizeof *a; i++) {                                                               \
            a[i] = (uint##bits##_t)value;                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    uint64_t sum##bits(const uint##bits##_t *a, size_t bytes)                                                          \
    {                                                                                                                  \
        uint64_t sum = 0;                                                                                              \
        for (size_t i = 0; i < bytes / sizeof *a; i++) {                                                               \
            sum += a[i];                                                                                               \
        }                                                                                                              \
        return sum;                                                                                                    \
    }                                                                                                                  \
    void increment##bits(uint##bits##_t *a, size_t bytes)                                                              \
    {                                                                                                                  \
        for (size_t i = 0; i < bytes / sizeof *a; i++) {                                                               \
            a[i]++;                                                                                                    \
        }                                                                                                              \
    }

KERNELS(8)
KERNELS(16)
KERNELS(32)
KERNELS(64)

/* Objects are what native code allocates; written once, so that every page is there. */
void *take(size_t bytes)
{
    void *memory = malloc(bytes);
    fill64(memory, bytes, 0);
    return memory;
}

void drop(void *memory)
{
    free(memory);
}

/* Doubles that differ by one part in a billion from call to call. */
void fill_numbers(double *a, size_t bytes, double value)
{
    for (size_t i = 0; i < bytes / sizeof *a; i++) {
        a[i] = value;
    }
}

/* Its scratch memory is its own: nobody outside can spare what it stores there. */
void fill_scratch(size_t bytes, uint64_t value)
{
    void *memory = malloc(bytes);
    fill64(memory, bytes, value);
    free(memory);
}

/* Its stack reaches far below its caller's, most of it untouched. */
void fill_deep(uint64_t *a, size_t bytes, uint64_t value)
{
    volatile char depth[1 << 16];
    depth[0] = 0;
    fill64(a, bytes, value);
}

/* Between two stores it reckons with registers alone: how long a pass takes is not the memory's affair. */
uint64_t fill_thinking(uint64_t *a, size_t bytes, uint64_t value)
{
    uint64_t thought = value;
    for (size_t i = 0; i < bytes / 8; i++) {
        __asm__ volatile(".rept 24\n imul $3, %0, %0\n add $1, %0\n .endr" : "+r"(thought));
        a[i] = value + i;
    }
    return thought;
}

/* All but the last round is dead at once. */
void fill_rounds(uint64_t *a, size_t bytes, uint64_t value)
{
    for (uint64_t round = 0; round < 10; round++) {
        fill64(a, bytes, value + round);
        __asm__ volatile("" : : : "memory");
    }
}

void string_fill(void *a, size_t bytes, uint64_t value)
{
    size_t count = bytes / 8;
    __asm__ volatile("rep stosq" : "+D"(a), "+c"(count) : "a"(value) : "memory");
}

void string_rounds(void *a, size_t bytes, uint64_t value)
{
    for (uint64_t round = 0; round < 1000; round++) {
        string_fill(a, bytes, value + round);
    }
}

void string_copy(void *to, const void *from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

__attribute__((target("avx2"))) void fill_avx2(void *a, size_t bytes, uint64_t value)
{
    __m256i wide = _mm256_set1_epi64x((long long)value);
    for (size_t i = 0; i < bytes; i += sizeof wide) {
        _mm256_storeu_si256((void *)((char *)a + i), wide);
    }
}

__attribute__((target("avx512f"))) void fill_avx512(void *a, size_t bytes, uint64_t value)
{
    __m512i wide = _mm512_set1_epi64((long long)value);
    for (size_t i = 0; i < bytes; i += sizeof wide) {
        _mm512_storeu_si512((void *)((char *)a + i), wide);
    }
}

/* y += w in vectors: w is loaded and stays, y changes at each call. */
__attribute__((target("avx2"))) void add_avx2(float *y, const float *w, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *y; i += 8) {
        _mm256_storeu_ps(y + i, _mm256_add_ps(_mm256_loadu_ps(y + i), _mm256_loadu_ps(w + i)));
    }
}

/* `named` is only hinted at and computed with; `a` is stored to. */
void hint(void *named, uint64_t *a, size_t bytes, uint64_t value)
{
    for (size_t i = 0; i < bytes / sizeof *a; i++) {
        char *address = (char *)named + i * sizeof *a;
        __asm__ volatile("prefetcht0 (%0)\n\tprefetchw (%0)\n\tnopw 8(%0)\n\tlea 8(%0), %%rax"
                         :
                         : "r"(address)
                         : "rax");
        a[i] = value;
    }
}

static const uint64_t table[512] = {1, 2, 3};

uint64_t sum_table(void)
{
    return sum64(table, sizeof table);
}

/* Packs, reads what it packed several times, returns: the next call packs again. */
uint64_t pack(uint64_t *a, size_t bytes, uint64_t value)
{
    uint64_t sum = 0;
    fill64(a, bytes, value);
    for (int round = 0; round < 4; round++) {
        sum += sum64(a, bytes);
    }
    return sum;
}

/* A structure of a few dozen bytes, made, written and given back, as iterators and descriptors are. */
uint64_t small_structures(uint64_t value)
{
    uint64_t sum = 0;
    for (int i = 0; i < 200; i++) {
        volatile uint64_t *part = malloc(48);
        for (int k = 2; k < 6; k++) {
            part[k] = value;
        }
        sum += part[3];
        free((void *)part);
    }
    return sum;
}

/*
 * The allocator keeps its links in the first words of a freed chunk. `fence` keeps it from joining the top, where none are written: of
 * the same size, for where the chunk found no room but at the top, it finds none either.
 */
void chunk_heads(uint64_t value)
{
    void *volatile fence;
    for (int i = 0; i < 50; i++) {
        volatile uint64_t *chunk = malloc(4096);
        fence = malloc(4096);
        chunk[0] = value;
        chunk[1] = value;
        free((void *)chunk);
        free(fence);
    }
}

int64_t give(int file, const void *a, size_t bytes)
{
    return write(file, a, bytes);
}

/* One of two parts of the file, by turns. */
int64_t get(int file, void *a, size_t bytes, uint64_t turn)
{
    return pread(file, a, bytes, (off_t)(turn % 2 * bytes));
}
