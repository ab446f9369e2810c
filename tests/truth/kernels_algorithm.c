/* Small algorithms, whose accesses depend on data. */
#include "kernels.h"

/* The product kept in memory while it is summed up: `part` rows and columns. */
KERNEL(product_in_memory)
{
    const double *x = a, *y = b;
    double *product = c;
    for (size_t i = 0; i < part * part; i++) {
        product[i] = 0;
    }
    for (size_t i = 0; i < part; i++) {
        for (size_t k = 0; k < part; k++) {
            for (size_t j = 0; j < part; j++) {
                product[i * part + j] += x[i * part + k] * y[k * part + j];
                BARRIER();
            }
        }
    }
    return 0;
}

KERNEL(product)
{
    const double *x = a, *y = b;
    double *product = c;
    for (size_t i = 0; i < part; i++) {
        for (size_t j = 0; j < part; j++) {
            double sum = 0;
            for (size_t k = 0; k < part; k++) {
                sum += x[i * part + k] * y[k * part + j];
            }
            product[i * part + j] = sum;
        }
    }
    return 0;
}

/* Rows of eight entries in random columns; the value of an entry is its column's. */
KERNEL(sparse_product)
{
    const uint32_t *column = b;
    const uint64_t *vector = a;
    uint64_t *to = c;
    for (size_t row = 0; row < count / 8; row++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < 8; k++) {
            sum += vector[column[row * 8 + k]];
            BARRIER();
        }
        to[row] = sum;
    }
    return 0;
}

KERNEL(draw_columns)
{
    uint32_t *column = b;
    for (size_t i = 0; i < count; i++) {
        column[i] = (uint32_t)(scatter_bits(i) % count);
    }
    return 0;
}

/* Open addressing with linear probing; `a` holds keys, `b` their counts. Empty again after each call. */
KERNEL(hash_count)
{
    uint64_t *key = a, *times = b;
    size_t slots = count / 2;
    for (size_t i = 0; i < count / 4; i++) {
        uint64_t word = 1 + scatter_bits(i + step * count) % (count / 4);
        size_t slot = scatter_bits(word) % slots;
        while (key[slot] != 0 && key[slot] != word) {
            slot = (slot + 1) % slots;
        }
        key[slot] = word;
        times[slot]++;
    }
    BARRIER();
    for (size_t i = 0; i < slots; i++) {
        key[i] = 0;
    }
    return 0;
}

KERNEL(binary_search)
{
    const uint64_t *sorted = a;
    uint64_t found = 0;
    for (size_t i = 0; i < count / 8; i++) {
        uint64_t wanted = scatter_bits(i + step * count) % count;
        size_t low = 0, high = count;
        while (low + 1 < high) {
            size_t middle = (low + high) / 2;
            if (sorted[middle] <= wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        found += low;
    }
    return found;
}

KERNEL(number)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = i;
    }
    return 0;
}

/* A ring through all elements. */
KERNEL(chase)
{
    const uint64_t *next = a;
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        at = next[at];
    }
    return at;
}

KERNEL(link_ring)
{
    uint64_t *next = a;
    for (size_t i = 0; i < count; i++) {
        next[i] = (i + STRIDE) % count;
    }
    return 0;
}

/* One pass of a bubble sort; stores whether it swaps or not. */
KERNEL(bubble)
{
    uint64_t *to = a;
    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t left = to[i], right = to[i + 1];
        to[i] = left < right ? left : right;
        to[i + 1] = left < right ? right : left;
        BARRIER();
    }
    return 0;
}

KERNEL(shuffle)
{
    uint64_t *to = a;
    for (size_t i = 0; i < count; i++) {
        to[i] = scatter_bits(i + step * count) % 1000;
    }
    return 0;
}

/* Rows of a table by words that repeat, as an embedding's. */
KERNEL(look_up_rows)
{
    const float *table = a;
    float *to = b;
    for (size_t i = 0; i < 64; i++) {
        size_t row = scatter_bits(scatter_bits(i + step * 64) % 20) % (count / 64);
        for (size_t k = 0; k < 64; k++) {
            to[i * 64 + k] = table[row * 64 + k];
        }
    }
    return 0;
}

/* Three kinds in one call: a sum of what does not change, a half-equal fill, an update in place. */
KERNEL(mixed)
{
    const uint64_t *from = a;
    uint64_t *half = b, *counter = c, sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += from[i];
    }
    for (size_t i = 0; i < count; i++) {
        half[i] = equal_value(i, step, PERCENT / 2);
    }
    for (size_t i = 0; i < count; i++) {
        counter[i]++;
    }
    return sum;
}

/* A new object at the old one's place, and one that stays: `part` says whose values stay equal, 1 the new one's. */
KERNEL(fresh_and_kept)
{
    uint64_t *fresh = take(count * sizeof *fresh), *kept = a, sum = 0;
    for (size_t i = 8; i < count; i++) {
        fresh[i] = part != 0 ? 7 : step;
    }
    BARRIER();
    for (size_t i = 8; i < count; i++) {
        kept[i] = part != 0 ? step : 7;
    }
    BARRIER();
    for (size_t i = 8; i < count; i++) {
        sum += fresh[i] + kept[i];
    }
    drop(fresh);
    return sum;
}
