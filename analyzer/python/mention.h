/* What a statement does with an array that it names, by its text. What is not understood is said to be so. */
#ifndef PIEPROF_ANALYZER_MENTION_H
#define PIEPROF_ANALYZER_MENTION_H

#include <stdbool.h>
#include <stddef.h>

#include "model/source.h"
#include "python/words.h"

enum mention_kind {
    MENTION_UNKNOWN,
    MENTION_READ,     /* it is computed with; nothing of it is left in the result */
    MENTION_STORED,   /* stored into */
    MENTION_GIVEN,    /* the name is given another value: `value` */
    MENTION_SHARED,   /* `targets` stand for the array, or parts of it, from here on */
    MENTION_HANDED,   /* to `function`, which is none of NumPy's or PyTorch's... */
    MENTION_RETURNED, /* the function that it stands in returns it */
};

struct mention {
    enum mention_kind kind;
    struct word value;
    struct word targets;  /* "a", "a, b", "self.x" */
    struct word function; /* ".fit" where a method's object has no name; ... */
    struct word keyword;  /* ... by this keyword; empty: by its place: */
    size_t place;
    bool in_list;  /* SHARED, HANDED: of a list or tuple that holds it */
    bool computes; /* READ: by an operator, or a method of its own: of lists, these give such as hold the same */
};

/*
 * Of the name at [at, behind) in the statement; a name of something called ends behind the bracket. The statement is one of `code`, a file's without
 * strings and comments, as word_next_statement() gives it.
 */
void mention_read(struct mention *mention, struct word code, struct word statement, const char *at, const char *behind);

/*
 * Of the name, no attribute, that begins at `at` in a source's code (source_code()), with the statement that it stands in and the row of that
 * (suite_statement_at()). False: the statement does not end.
 */
bool mention_at(struct mention *mention, const struct source *code, const char *at, struct word *name,
                struct word *statement, int32_t *row);

#endif
