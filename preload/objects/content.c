#include "objects/content.h"

#include <string.h>

#include "stack/guard.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define WORD_BYTES 8u
#define CHUNK_BYTES 4096u
#define MARK_BITS 4u
#define MARK_MASK ((UINT64_C(1) << MARK_BITS) - 1)

/* Of line `i` of `bytes` bytes: the first begins at the start, the last ends at the end. */
static size_t line_offset(size_t bytes, unsigned i)
{
    size_t room = bytes - CONTENT_LINE_BYTES;
    return i + 1 == CONTENT_LINES ? room : room / (CONTENT_LINES - 1) / WORD_BYTES * WORD_BYTES * i;
}

bool content_sample_take(struct content_sample *sample, uintptr_t start, size_t size_bytes)
{
    sample->size_bytes = size_bytes;
    if (size_bytes <= CONTENT_WHOLE_BYTES) {
        sample->bytes = size_bytes;
        return guard_copy(sample->data, (const void *)start, size_bytes);
    }
    sample->bytes = CONTENT_LINES * CONTENT_LINE_BYTES;
    for (unsigned i = 0; i < CONTENT_LINES; i++) {
        const void *line = (const void *)(start + line_offset(size_bytes, i));
        if (!guard_copy(sample->data + (size_t)i * CONTENT_LINE_BYTES, line, CONTENT_LINE_BYTES)) {
            return false;
        }
    }
    return true;
}

uint64_t content_sample_digest(const struct content_sample *sample)
{
    uint64_t digest = XXH3_64bits_withSeed(sample->data, sample->bytes, sample->size_bytes);
    return digest != 0 ? digest : 1;
}

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Elements are at most a word, so a buffer of one value repeats each word; a tail that is none repeats the word's start. */
static bool repeats(const uint8_t *data, size_t bytes, uint64_t word)
{
    size_t at = 0;
    for (; at + WORD_BYTES <= bytes; at += WORD_BYTES) {
        if (word_at(data + at) != word) {
            return false;
        }
    }
    return memcmp(data + at, &word, bytes - at) == 0;
}

bool content_sample_is_constant(const struct content_sample *sample, uint64_t *word)
{
    if (sample->bytes < WORD_BYTES) {
        return false;
    }
    *word = word_at(sample->data);
    if (sample->size_bytes <= CONTENT_WHOLE_BYTES) {
        return repeats(sample->data, sample->bytes, *word);
    }
    /* Lines begin at words, but the last, which ends where the buffer does: the check of the whole looks at that. */
    return repeats(sample->data, sample->bytes - CONTENT_LINE_BYTES, *word);
}

uint64_t content_sample_marks(const struct content_sample *sample)
{
    uint64_t marks = 0;
    bool whole = sample->size_bytes <= CONTENT_WHOLE_BYTES;
    if (sample->bytes < CONTENT_LINE_BYTES) {
        return 0;
    }
    for (unsigned i = 0; i < CONTENT_LINES; i++) {
        size_t offset = whole ? line_offset(sample->bytes, i) : (size_t)i * CONTENT_LINE_BYTES;
        marks = marks << MARK_BITS | (XXH3_64bits(sample->data + offset, CONTENT_LINE_BYTES) & MARK_MASK);
    }
    return marks;
}

uint64_t content_zero_marks(void)
{
    static const uint8_t zeros[CONTENT_LINE_BYTES];
    uint64_t marks = 0;
    for (unsigned i = 0; i < CONTENT_LINES; i++) {
        marks = marks << MARK_BITS | (XXH3_64bits(zeros, sizeof zeros) & MARK_MASK);
    }
    return marks;
}

unsigned content_marks_differ(uint64_t marks, uint64_t others)
{
    unsigned count = 0;
    for (uint64_t difference = marks ^ others; difference != 0; difference >>= MARK_BITS) {
        count += (difference & MARK_MASK) != 0 ? 1 : 0;
    }
    return count;
}

bool content_digest(uintptr_t start, size_t size_bytes, uint64_t *digest)
{
    uint8_t chunk[CHUNK_BYTES];
    *digest = size_bytes;
    for (size_t at = 0; at < size_bytes; at += CHUNK_BYTES) {
        size_t bytes = size_bytes - at < CHUNK_BYTES ? size_bytes - at : CHUNK_BYTES;
        if (!guard_copy(chunk, (const void *)(start + at), bytes)) {
            return false;
        }
        *digest = XXH3_64bits_withSeed(chunk, bytes, *digest);
    }
    return true;
}

bool content_is_constant(uintptr_t start, size_t size_bytes, uint64_t word)
{
    uint8_t chunk[CHUNK_BYTES];
    for (size_t at = 0; at < size_bytes; at += CHUNK_BYTES) {
        size_t bytes = size_bytes - at < CHUNK_BYTES ? size_bytes - at : CHUNK_BYTES;
        if (!guard_copy(chunk, (const void *)(start + at), bytes) || !repeats(chunk, bytes, word)) {
            return false;
        }
    }
    return true;
}
