/*
 * What numbers objects held (PIEPROF_CONTENT; db.h: struct db_content), and of which type they were. NumPy and PyTorch do not
 * tell an allocator the type, so it is decided by what stands in the buffers, and unknown where that leaves a doubt.
 */
#ifndef PIEPROF_ANALYZER_CONTENT_H
#define PIEPROF_ANALYZER_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compression.h"
#include "pieprof/db.h"

/* id; its name; bytes of an element, 0 where it is not known. */
#define ELEMENTS(X)                                                                                                    \
    X(FLOAT32, "float32", 4)                                                                                           \
    X(FLOAT64, "float64", 8)                                                                                           \
    X(INT32, "int32", 4)                                                                                               \
    X(INT64, "int64", 8)                                                                                               \
    X(FLAGS, "bool", 1)                                                                                                \
    X(UNKNOWN, "unknown", 0)

enum element {
#define X(id, name, bytes) ELEMENT_##id,
    ELEMENTS(X)
#undef X
        ELEMENT_KINDS
};

extern const char *const element_names[ELEMENT_KINDS];

/*
 * Of some sites' objects, all of one type of elements: what was read of them, counted in elements. Of an unknown type and of
 * bool an element is a word of 8 bytes, zero where all of it is: of single flags that says nothing.
 */
struct content {
    uint64_t objects, elements, zeros;
    uint64_t repeated;      /* not 0, and the value that most of its object's elements that are not 0 have */
    uint64_t nan, infinite; /* of floating point; -0 counts among `zeros` there */
    double lowest, highest; /* finite |x| that are not 0; lowest > highest: none, or no floating point */
    struct compression compression;
};

/* Sums by type. NULL in a line without any. */
struct contents {
    struct content of[ELEMENT_KINDS];
};

struct model;

/*
 * The type of elements, by at least 64 words that are not zero; 99 of 100 must agree:
 *   int64    32 bits would hold it, and the lower half does not look like a float32 (a float32 beside a zero would);
 *   int32    each half is one that 16 bits would hold, halves of both places are set;
 *   bool     each byte is 0 or 1, and ones stand beyond the first byte of a half;
 *   float32  each half is a usual one (db.h), and the lower 16 bits are either 0 or look drawn at random:
 *            each of three of them is set in a quarter to three quarters (two numbers of 16 bits, and bytes, are not so);
 *   float64  each word is a usual one, and its lower half is no float32: set in less than an eighth,
 *            with the upper half's lower 16 bits 0 as well, or a usual float32 in a quarter to three quarters.
 */
enum element content_element(const struct db_content *record);

/* After objects_charge: fills model->contents and those of lines. */
void content_charge(struct model *model);
void content_free(struct model *model);

#endif
