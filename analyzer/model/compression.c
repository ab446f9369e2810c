#include "model/compression.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include <zfp.h>

#define BLOCK 4u            /* elements */
#define BLOCK_BITS_MAX 512u /* no block of four takes more: 64 bits and a header for each bit plane's tests */
#define SAMPLE_ELEMENTS_MAX 1024u

/* What is used of the library, by its own names. */
static struct {
    bool tried;
    void *library;
    bitstream *(*stream_open)(void *buffer, size_t bytes);
    void (*stream_close)(bitstream *stream);
    zfp_stream *(*zfp_stream_open)(bitstream *stream);
    void (*zfp_stream_close)(zfp_stream *stream);
    void (*zfp_stream_rewind)(zfp_stream *stream);
    double (*zfp_stream_set_accuracy)(zfp_stream *stream, double tolerance);
    size_t (*zfp_encode_block_float_1)(zfp_stream *stream, const float *block);
    size_t (*zfp_encode_block_double_1)(zfp_stream *stream, const double *block);
} zfp;

static bool find(const char *name, void *function)
{
    void *symbol = dlsym(zfp.library, name);
    memcpy(function, &symbol, sizeof(symbol)); /* C has no cast from an object's pointer to a function's */
    return symbol != NULL;
}

bool compression_can(void)
{
    static bool found;
    if (zfp.tried)
        return found;
    zfp.tried = true;
    zfp.library = dlopen("libzfp.so.1", RTLD_NOW | RTLD_LOCAL);
    found = zfp.library != NULL && find("stream_open", &zfp.stream_open) && find("stream_close", &zfp.stream_close) &&
            find("zfp_stream_open", &zfp.zfp_stream_open) && find("zfp_stream_close", &zfp.zfp_stream_close) &&
            find("zfp_stream_rewind", &zfp.zfp_stream_rewind) &&
            find("zfp_stream_set_accuracy", &zfp.zfp_stream_set_accuracy) &&
            find("zfp_encode_block_float_1", &zfp.zfp_encode_block_float_1) &&
            find("zfp_encode_block_double_1", &zfp.zfp_encode_block_double_1);
    return found;
}

struct sample {
    float floats[SAMPLE_ELEMENTS_MAX];
    double doubles[SAMPLE_ELEMENTS_MAX];
    size_t count, width_bytes;
    double greatest; /* size */
};

/* Whole blocks of it. False where zfp would not take it. */
static bool read_sample(struct sample *sample, const unsigned char *bytes, size_t length_bytes, size_t width_bytes)
{
    size_t count = length_bytes / width_bytes / BLOCK * BLOCK;
    sample->count = count < SAMPLE_ELEMENTS_MAX ? count : SAMPLE_ELEMENTS_MAX;
    sample->width_bytes = width_bytes;
    sample->greatest = 0;
    memcpy(width_bytes == sizeof(float) ? (void *)sample->floats : sample->doubles, bytes, sample->count * width_bytes);
    for (size_t i = 0; i < sample->count; i++) {
        double size = fabs(width_bytes == sizeof(float) ? (double)sample->floats[i] : sample->doubles[i]);
        if (!isfinite(size))
            return false;
        sample->greatest = fmax(sample->greatest, size);
    }
    return sample->count > 0;
}

static uint64_t code(zfp_stream *stream, const struct sample *sample)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < sample->count; i += BLOCK) {
        zfp.zfp_stream_rewind(stream);
        bits += sample->width_bytes == sizeof(float) ? zfp.zfp_encode_block_float_1(stream, sample->floats + i)
                                                     : zfp.zfp_encode_block_double_1(stream, sample->doubles + i);
    }
    return bits;
}

void compression_add(struct compression *compression, const unsigned char *bytes, size_t length_bytes,
                     size_t width_bytes)
{
    uint64_t buffer[2 * BLOCK_BITS_MAX / 64];
    struct sample sample;
    if (!compression_can() || !read_sample(&sample, bytes, length_bytes, width_bytes))
        return;
    bitstream *bits = zfp.stream_open(buffer, sizeof(buffer));
    zfp_stream *stream = bits != NULL ? zfp.zfp_stream_open(bits) : NULL;
    if (stream != NULL) {
        zfp.zfp_stream_set_accuracy(stream, sample.greatest > 0 ? sample.greatest * COMPRESSION_TOLERANCE : 1);
        compression->coded_bits += code(stream, &sample);
        compression->raw_bits += sample.count * sample.width_bytes * 8;
        compression->samples++;
        zfp.zfp_stream_close(stream);
    }
    if (bits != NULL)
        zfp.stream_close(bits);
}
