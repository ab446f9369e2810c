/*
 * Kernels whose redundancy is known. All have one signature, so that the programs of cases.py read alike; `a`, `b` and `c`
 * are objects of ELEMENT_BYTES_MAX * count bytes and more. Compiled twice: as they are, and announcing each access to the counter.
 */
#ifndef PIEPROF_TRUTH_KERNELS_H
#define PIEPROF_TRUTH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define KERNEL(name)                                                                                                   \
    uint64_t name(void *a, void *b, void *c, size_t count, uint64_t step, uint64_t part);                              \
    uint64_t name(__attribute__((unused)) void *a, __attribute__((unused)) void *b, __attribute__((unused)) void *c,   \
                  __attribute__((unused)) size_t count, __attribute__((unused)) uint64_t step,                         \
                  __attribute__((unused)) uint64_t part)

/* Between two passes over the same data: the compiler must not make them one. */
#define BARRIER() __asm__ volatile("" : : : "memory")

#define PERCENT 100u
#define STRIDE 7919u /* coprime to PERCENT */

/*
 * The value of element `i` at `step`: that of the step before in `part` steps of any hundred, else one more. At each step
 * that is the same part of any hundred elements in a row.
 */
static inline uint64_t equal_value(uint64_t i, uint64_t step, uint64_t part)
{
    uint64_t x = i * STRIDE + step, rest = x % PERCENT;
    return x / PERCENT * (PERCENT - part) + (rest >= part ? rest - part + 1 : 0);
}

/* The finaliser of SplitMix64. */
static inline uint64_t scatter_bits(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

/* Stores equal_value everywhere. */
uint64_t equal64(void *a, void *b, void *c, size_t count, uint64_t step, uint64_t part);

/* An object; take() ends the program when there is no memory for it. */
void *take(size_t bytes);
void drop(void *object);

#endif
