/* Stores: the same again, other values, dead before any load. */
#include <emmintrin.h>

#include "kernels.h"

#define EQUAL(bits)                                                                                                    \
    KERNEL(equal##bits)                                                                                                \
    {                                                                                                                  \
        uint##bits##_t *to = a;                                                                                        \
        for (size_t i = 0; i < count; i++) {                                                                           \
            to[i] = (uint##bits##_t)equal_value(i, step, part);                                                        \
        }                                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    KERNEL(fill##bits)                                                                                                 \
    {                                                                                                                  \
        uint##bits##_t *to = a;                                                                                        \
        for (size_t i = 0; i < count; i++) {                                                                           \
            to[i] = (uint##bits##_t)part;                                                                              \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

EQUAL(8)
EQUAL(16)
EQUAL(32)
EQUAL(64)

KERNEL(equal_float)
{
    float *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)(equal_value(i, step, part) % 4096);
    }
    return 0;
}

KERNEL(equal_double)
{
    double *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)equal_value(i, step, part);
    }
    return 0;
}

static double square_root(double x)
{
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
}

/* Half of its stores store the same again, fast; the others something new, each behind a square root. */
KERNEL(equal_fast_changed_slowly)
{
    uint64_t *same = a, *changed = b;
    double root = (double)step;
    for (size_t i = 0; i < count; i++) {
        same[i] = part;
        BARRIER();
    }
    for (size_t i = 0; i < count; i++) {
        root = square_root(root / 1.0000001 + 3.0);
        changed[i] = step * STRIDE + (uint64_t)(int64_t)root;
        BARRIER();
    }
    return 0;
}

/* The first `part` percent of it. */
KERNEL(fill_part)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count * part / PERCENT; i++) {
        to[i] = step;
    }
    return 0;
}

/* The same value again in the first `part` percent, a new one behind: where in a call its stores are met shows. */
KERNEL(equal_front)
{
    uint64_t *to = a;
    size_t front = count * part / PERCENT;
    for (size_t i = 0; i < count; i++) {
        to[i] = step * (i >= front);
    }
    return 0;
}

KERNEL(flip)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = 7 + step % 2;
    }
    return 0;
}

/* Both values in each call: the last is there when the next call begins. */
KERNEL(flip_within)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = 7;
    }
    BARRIER();
    for (size_t i = 0; i < count; i++) {
        to[i] = 8;
    }
    return 0;
}

KERNEL(fill_rounds)
{
    uint64_t *to = a;
    for (uint64_t round = 0; round < part; round++) {
        for (size_t i = 0; i < count; i++) {
            to[i] = step + round;
        }
        BARRIER();
    }
    return 0;
}

/* Zero, then the sum of the rows of `b`, which keeps it in memory. */
KERNEL(sum_rows)
{
    uint64_t *to = a;
    const uint64_t *from = b;
    size_t columns = count / part;
    for (size_t i = 0; i < columns; i++) {
        to[i] = 0;
    }
    BARRIER();
    for (size_t row = 0; row < part; row++) {
        for (size_t i = 0; i < columns; i++) {
            to[i] += from[row * columns + i];
        }
        BARRIER();
    }
    return 0;
}

/* Places drawn anew for each step: some are stored to twice in a call, some in none. */
KERNEL(scatter)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[scatter_bits(i + step * count) % count] = part == 0 ? i : part;
    }
    return 0;
}

/* Few groups, so the same counter is loaded and stored again soon. */
KERNEL(histogram)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[scatter_bits(i + step) % (count / part)]++;
    }
    return 0;
}

KERNEL(strided_store)
{
    uint64_t *to = a;
    for (size_t first = 0; first < part; first++) {
        for (size_t i = first; i < count; i += part) {
            to[i] = equal_value(i, step, PERCENT / 2);
        }
    }
    return 0;
}

KERNEL(unaligned_store)
{
    char *to = (char *)a + 3;
    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t value = equal_value(i, step, part);
        __builtin_memcpy(to + i * sizeof value, &value, sizeof value);
    }
    return 0;
}

#define INCREMENT(bits)                                                                                                \
    KERNEL(increment##bits)                                                                                            \
    {                                                                                                                  \
        uint##bits##_t *to = a;                                                                                        \
        for (size_t i = 0; i < count; i++) {                                                                           \
            to[i]++;                                                                                                   \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

INCREMENT(8)
INCREMENT(16)
INCREMENT(32)
INCREMENT(64)

struct record {
    uint64_t id;
    uint32_t hits;
    uint16_t group;
    uint8_t seen, kind;
};

/* One field always, one that stays as it is, and one that is loaded. */
KERNEL(records_update)
{
    struct record *to = a;
    for (size_t i = 0; i < count / 2; i++) {
        to[i].hits = (uint32_t)step;
        to[i].seen = 1;
        to[i].group = (uint16_t)(to[i].id % 7);
    }
    return 0;
}

/* Every buffer is a new object at the old one's place; a part of what it gets was there. */
KERNEL(fresh_buffer)
{
    uint64_t *fresh = take(count * sizeof *fresh);
    for (size_t i = 8; i < count; i++) {
        fresh[i] = equal_value(i, step, part);
    }
    BARRIER();
    drop(fresh);
    return 0;
}
