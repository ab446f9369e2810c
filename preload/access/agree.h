/* Do two values count as equal? Bitwise; floating-point numbers within PIEPROF_FP_TOLERANCE of each other, where that is set. */
#ifndef PIEPROF_PRELOAD_ACCESS_AGREE_H
#define PIEPROF_PRELOAD_ACCESS_AGREE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Two values of `bytes` (at most 8) in the low bytes of `a` and `b`. `float_bytes`: 4 or 8 where these are numbers of that many bytes each, 0
 * where they are none: then every bit counts. Numbers agree that differ by no more than the tolerance times the larger one's
 * magnitude; a NaN, or an infinity, agrees with nothing but itself, bit by bit. Signal-safe.
 */
bool values_agree(uint64_t a, uint64_t b, uint32_t bytes, uint32_t float_bytes);

#endif
