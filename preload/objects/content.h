/*
 * What a buffer holds, in a few numbers. Reads behind the fault guard, outside handlers; the buffer may be somebody's who
 * writes it at this moment, then the answer is that of no particular moment.
 */
#ifndef PIEPROF_PRELOAD_CONTENT_H
#define PIEPROF_PRELOAD_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENT_LINES 16u
#define CONTENT_LINE_BYTES 64u
#define CONTENT_ALL_LINES UINT32_C(0xffff)
#define CONTENT_WHOLE_BYTES 4096u /* buffers up to here are sampled whole */

struct content_sample {
    size_t bytes; /* of `data`: all of a small buffer, else its CONTENT_LINES lines, spread evenly over it */
    size_t size_bytes;
    uint8_t data[CONTENT_WHOLE_BYTES];
};

/* Before all others. */
void content_start(void);

/* False when the buffer could not be read. The places depend on the size alone, never on the address. */
bool content_sample_take(struct content_sample *sample, uintptr_t start, size_t size_bytes);
/*
 * The same of anonymous memory that its owner has not touched yet: pages that are not there are taken as the zeros they would
 * be, and not touched. A read would have the kernel map small pages, and then no huge page comes there for as long as it lives.
 * (At an object's end to ask takes as long as to touch: 16 questions, or 14 page faults.) `lacks_pages`: what pages_born() said
 * of it just now; where none is missing, only its borders are asked about.
 */
bool content_sample_take_newborn(struct content_sample *sample, uintptr_t start, size_t size_bytes, bool lacks_pages);

/* Digest of the sample and the size. Never 0. */
uint64_t content_sample_digest(const struct content_sample *sample);

/* One 8-byte word throughout the sample? Buffers of less than 8 bytes never are. */
bool content_sample_is_constant(const struct content_sample *sample, uint64_t *word);

/*
 * Are most of its words numbers that a calculation makes: floating point, with digits in the last bits, hardly any twice? What is
 * chosen or counted is not: labels, masks, orders, rows of a small table.
 */
bool content_sample_has_digits(const struct content_sample *sample);

/*
 * Is a quarter and more of the words in these lines, which were stored into (bit n: line n), that are not zero addresses, of the
 * heap, of mappings or of code? Then the buffer is a data structure: what it holds differs from run to run, and is nobody's result.
 * So it is where a few point into the buffer itself, which begins at `start`, as short strings in their owners do. Where the lines
 * are few (content_is_filled), the words may be leftovers beside one number, and tell nothing. But that the first word points at a
 * table of functions in a library, as that of each C++ object with virtual functions does, or the second, behind a small number, at a
 * type that a library defines, as that of a Python object does, is enough wherever it stands.
 */
bool content_sample_is_structure(const struct content_sample *sample, uint32_t lines, uintptr_t start);

/* Are so many lines, of those that changed since birth, more than a few elements stored into leftovers? */
static inline bool content_is_filled(uint32_t lines)
{
    return __builtin_popcount(lines) >= 4;
}

/* Four bits of a hash of each of the lines. */
uint64_t content_sample_marks(const struct content_sample *sample);
/* The lines in which two marks differ (bit n: line n): 15 of 16 changes of a line are seen. */
uint32_t content_marks_differ(uint64_t marks, uint64_t others);

/* A hash of eight words spread over it, none at its borders, which are often alike: the cheapest way to tell most contents
 * apart. Of buffers beyond CONTENT_WHOLE_BYTES; false when they could not be read. */
bool content_selector(uintptr_t start, size_t size_bytes, uint32_t *selector);

/* Is it so short that all of it is digested each time it is looked at? That takes some microseconds, and no sample can mislead. */
bool content_is_digested_whole(size_t size_bytes);

/* The size up to which that holds; 0: of all. */
uint32_t content_sampled_beyond_bytes(void);

/* Is it not too long to be digested whole, each time that may be of use? */
bool content_may_read_whole(size_t size_bytes);

/* Is it not too long for a digest of the whole now and then, where much speaks for what it would prove? */
bool content_may_prove(size_t size_bytes);

/* Digest of all of it. False when some of it could not be read. What has no memory is not touched, here and below: it has the
 * digest of the zeros that it would be, at no cost to speak of. */
bool content_digest(uintptr_t start, size_t size_bytes, uint64_t *digest);

/* Is `word` all there is? */
bool content_is_constant(uintptr_t start, size_t size_bytes, uint64_t word);

#endif
