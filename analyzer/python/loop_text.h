/*
 * What the text of a loop says of how it walks through its data: which names count up, which stand for what is iterated
 * over, and whether a round needs what an earlier one made. Read word by word: there is no parser for every Python here, and
 * what is not understood is said to be carried on, so that no claim rests on it.
 */
#ifndef PIEPROF_ANALYZER_LOOP_TEXT_H
#define PIEPROF_ANALYZER_LOOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/source.h"
#include "python/loop_acts.h"
#include "python/words.h"

/* What a row is taken out of: */
enum row_source {
    ROW_NONE,
    ROW_OF_ITEM,      /* what the loop goes through, if that is an array */
    ROW_OF_SUBSCRIPT, /* something that is subscripted, if that is one */
    ROW_OF_ARRAY,     /* one, for sure */
};

/* One row of an array (single_row.h). */
struct single_row {
    enum row_source source;
    bool is_batch;           /* it has a dimension more, of one */
    struct word array, item; /* "x", and the item that it is; empty: it has no such name here */
};

struct loop_text {
    struct words indices; /* of range(), of enumerate(); what a while loop counts up */
    struct words items;   /* what `for` takes out of anything else */
    struct words
        elements; /* names that what is made of one subscript with such an index is given to, by no function of the program's own but a formula */
    struct words stored;                     /* last parts of the names that it stores into */
    struct words rows;                       /* names that are given a batch of one... */
    struct single_row row_values[WORDS_MAX]; /* ... and that */
    struct loop_calls calls;
    struct word iterable; /* of a `for` that takes things out of something; empty: it counts by range(), or is none */
    bool walks_whole;     /* ... which is enumerate() of a name, counted from 0 */
    bool carried;
    /* a round reads what one before it stored, by whatever name, other than a sum that is only added to; or ends the loop;
     * or does something that no array holds */
    bool scattered; /* data say which element a round changes, and two may change the same one */
    bool few;       /* the header itself says that there are only a few rounds */
};

/*
 * Bytes of a loop's header from the beginning of line `first` on, its ":" included: what follows there is of the body. All bytes up to the
 * end of line `last` where it does not end before that.
 */
size_t loop_text_header_bytes(const struct source *source, int32_t first, int32_t last);

/* Of the loop whose header is line `first` and whose body ends with line `last`. */
void loop_text_read(struct loop_text *loop, const struct source *source, int32_t first, int32_t last);

/* Of a comprehension: "x[i] * 2", and "for i in range(n)". */
void loop_text_read_comprehension(struct loop_text *loop, struct word element, struct word clauses);

/*
 * Does an expression's text work on one element: does it subscript with an index, without a slice, or name an element?
 * `items`: what is iterated over is an array, so that the items are elements.
 */
bool loop_text_has_element(const struct loop_text *loop, struct word expression, bool items);

/* "x[t, n]": does it subscript with what this loop counts and what the other does, without a slice? */
bool loop_text_has_element_of_both(const struct loop_text *loop, const struct loop_text *other, struct word expression);

/* "np.log2(i + 2)": does a function of NumPy's or PyTorch's work on nothing but what the loop counts, and elements? */
bool loop_text_is_of_scalars(const struct loop_text *loop, struct word expression);

/* "x - x[i]": is an array that it takes an element of there as a whole, too? */
bool loop_text_has_whole(const struct loop_text *loop, struct word expression);

/* "x[i]" and nothing else: one element, if the subscript is one. */
bool loop_text_is_subscript(struct word text);

#endif
