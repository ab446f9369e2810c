/*
 * How far zfp, an error-bounded lossy compressor (Lindstrom, IEEE TVCG 2014), would shrink a buffer of floating point: by
 * stored samples of it. The library is opened when the first sample is met (libzfp.so.1, Debian's libzfp1).
 */
#ifndef PIEPROF_ANALYZER_COMPRESSION_H
#define PIEPROF_ANALYZER_COMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPRESSION_TOLERANCE 1e-3 /* the error that is allowed, of the greatest size in the sample */

struct compression {
    uint64_t samples, raw_bits, coded_bits;
};

/* Is the library there? */
bool compression_can(void);

/*
 * Adds one sample of float32 (`width_bytes` 4) or float64 (8). It is coded in blocks of four, as zfp codes an array of one
 * dimension, each by itself: what it says of the sample it says, in the mean, of the whole. Which dimensions the array has is
 * not known; zfp wins more where it is told. Samples with NaN or infinity are left out: zfp does not take them.
 */
void compression_add(struct compression *compression, const unsigned char *bytes, size_t length_bytes,
                     size_t width_bytes);

#endif
