/* Loads, and what algorithms mix of both. */
#include "kernels.h"

#define SUM(bits)                                                                                                      \
    KERNEL(sum##bits)                                                                                                  \
    {                                                                                                                  \
        const uint##bits##_t *from = a;                                                                                \
        uint64_t sum = 0;                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                                           \
            sum += from[i];                                                                                            \
        }                                                                                                              \
        return sum;                                                                                                    \
    }

SUM(8)
SUM(16)
SUM(32)
SUM(64)

KERNEL(dot)
{
    const double *x = a, *y = b;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] * y[i];
    }
    return sum > 0;
}

/* Each addition waits for a division. */
KERNEL(sum_slowly)
{
    const double *x = a;
    double sum = 1;
    for (size_t i = 0; i < count; i++) {
        sum = x[i] + 1 / sum;
    }
    return sum > 0;
}

KERNEL(maximum)
{
    const uint64_t *from = a;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most = from[i] > most ? from[i] : most;
    }
    return most;
}

/* A second pass in the same call. */
KERNEL(sum_twice)
{
    return sum64(a, b, c, count, step, part) + (({ BARRIER(); }), sum64(a, b, c, count, step, part));
}

/* Two passes that load, then one that stores other values into all but `part` percent. */
KERNEL(sum_twice_then_change)
{
    const uint64_t *from = a;
    uint64_t *to = a, sum = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            sum += from[i];
        }
        BARRIER();
    }
    for (size_t i = 0; i < count; i++) {
        to[i] = equal_value(i, step, part);
    }
    return sum;
}

/* Loads, stores the opposite and loads that: the next call finds what was loaded last. */
KERNEL(invert_between)
{
    uint64_t *to = a, sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += to[i];
    }
    BARRIER();
    for (size_t i = 0; i < count; i++) {
        to[i] = step % 2 != 0 ? 5 : 6;
    }
    BARRIER();
    for (size_t i = 0; i < count; i++) {
        sum += to[i];
    }
    return sum;
}

KERNEL(gather)
{
    const uint64_t *from = a;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += from[scatter_bits(i + step * count) % (count / part)];
    }
    return sum;
}

KERNEL(strided_load)
{
    const uint32_t *from = a;
    uint64_t sum = 0;
    for (size_t first = 0; first < part; first++) {
        for (size_t i = first; i < count; i += part) {
            sum += from[i];
        }
    }
    return sum;
}

KERNEL(unaligned_load)
{
    const char *from = (const char *)a + 3;
    uint64_t sum = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t value;
        __builtin_memcpy(&value, from + i * sizeof value, sizeof value);
        sum += value;
    }
    return sum;
}

KERNEL(stencil)
{
    const uint64_t *from = a;
    uint64_t *to = b;
    for (size_t i = 1; i + 1 < count; i++) {
        to[i] = from[i - 1] + 2 * from[i] + from[i + 1];
        BARRIER();
    }
    return 0;
}

/* Five points, rows of 64. */
KERNEL(stencil_plane)
{
    const double *from = a;
    double *to = b;
    for (size_t i = 64; i + 64 < count; i++) {
        to[i] = 0.25 * (from[i - 1] + from[i + 1] + from[i - 64] + from[i + 64]) + from[i];
        BARRIER();
    }
    return 0;
}

KERNEL(relax_in_place)
{
    uint64_t *to = a;
    for (size_t i = 1; i + 1 < count; i++) {
        to[i] = (to[i - 1] + to[i + 1]) / 2 + step % 3;
        BARRIER();
    }
    return 0;
}

KERNEL(window)
{
    const float *from = a, *weight = c;
    float *to = b;
    for (size_t i = 0; i + 8 < count; i++) {
        float sum = 0;
        for (size_t k = 0; k < 5; k++) {
            sum += from[i + k] * weight[k];
            BARRIER();
        }
        to[i] = sum;
    }
    return 0;
}

KERNEL(prefix_sum)
{
    uint64_t *to = a;
    for (size_t i = 1; i < count; i++) {
        to[i] += to[i - 1];
        BARRIER();
    }
    return 0;
}

KERNEL(axpy)
{
    const uint64_t *from = b;
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] += 3 * from[i];
    }
    return 0;
}

KERNEL(rectify_in_place)
{
    int64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = to[i] > 0 ? to[i] : 0;
    }
    return 0;
}

/* Half of the elements turn negative. */
KERNEL(centre)
{
    int64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = scatter_bits(i + step * count);
        to[i] = (bits & 1) != 0 ? (int64_t)(bits >> 2) : -(int64_t)(bits >> 2) - 1;
    }
    return 0;
}

KERNEL(copy)
{
    const uint64_t *from = b;
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
    return 0;
}

KERNEL(reverse)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count / 2; i++) {
        uint64_t low = to[i];
        to[i] = to[count - 1 - i];
        to[count - 1 - i] = low;
    }
    return 0;
}

KERNEL(transpose)
{
    const uint32_t *from = b;
    uint32_t *to = a;
    for (size_t row = 0; row < part; row++) {
        for (size_t column = 0; column < part; column++) {
            to[column * part + row] = from[row * part + column];
        }
    }
    return 0;
}
