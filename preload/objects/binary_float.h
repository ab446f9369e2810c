/*
 * Which patterns of bits are likely numbers: IEEE 754's binary32 and binary64 of usual size. Arguments are the bits without the sign. Half of
 * all patterns are such, so that of words of any other kind few are in a row.
 */
#ifndef PIEPROF_PRELOAD_BINARY_FLOAT_H
#define PIEPROF_PRELOAD_BINARY_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

#define BINARY32_SIZE UINT32_C(0x7fffffff)
#define BINARY64_SIZE UINT64_C(0x7fffffffffffffff)

/* From 2^-64 to 2^64? */
static inline bool binary32_is_usual(uint32_t size)
{
    enum { BIAS = 127, REACH = 64 };
    uint32_t exponent = size >> 23;
    return exponent >= BIAS - REACH && exponent < BIAS + REACH;
}

/* From 2^-128 to 2^128? */
static inline bool binary64_is_usual(uint64_t size)
{
    enum { BIAS = 1023, REACH = 128 };
    uint64_t exponent = size >> 52;
    return exponent >= BIAS - REACH && exponent < BIAS + REACH;
}

#endif
