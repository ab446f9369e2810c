/*
 * The user's loops and comprehensions in which samples were taken, and where in them: what is in their own instructions, in calls of
 * NumPy's and PyTorch's from these, and which of these instructions work on a single element by their text.
 */
#ifndef PIEPROF_ANALYZER_WALKS_H
#define PIEPROF_ANALYZER_WALKS_H

#include "findings/frame_rows.h"
#include "findings/row_calls.h"
#include "findings/vectorized.h"
#include "model/model.h"
#include "python/loop_text.h"

#define WALK_ITEMS_MIN 2u /* samples at a header, that tell an array from a list */

/* A loop of the user's. Samples. */
struct walk {
    struct loop_text text;
    const char *file; /* of its header, and the row of that; NULL: a comprehension */
    int32_t header;
    /* A loop in it, whose rounds need what those before left: what is done in that is done in this one; NULL: there is none. Of its samples, those
     * at instructions that take an element by what both count. */
    const struct walk *within;
    uint64_t of_both;
    uint64_t all; /* below any of its lines */
    /* Of all: in its own instructions, in what they call without a Python frame between, and in formulas (formula.h) that they call. */
    uint64_t interpreter, native;
    uint64_t header_array;  /* of all: below its header, in an array's library */
    uint64_t element;       /* of native: at instructions that work on an element */
    uint64_t array, tensor; /* of element: in an array's library; of these in PyTorch's */
    uint64_t proved;        /* of array: where what is taken apart must be one */
    uint64_t ns;            /* of interpreter and native */
    struct line *line;      /* for who judges: where its finding stands */
    uint64_t objects;       /* made by the one of its lines that made most */
    bool claimed;
    struct process *process; /* of a node there */
    uint32_t node;
    /* A function of the user's that is no formula was seen below it; such a one elsewhere than in models that it calls, or in one of these
     * one that does more than to make its result. */
    bool remembers, remembers_beside;
    struct words models;   /* that it calls (row_calls.h), by name */
    struct words makers;   /* functions of the user's that it calls, which make what they return and nothing else */
    struct words formulas; /* those that were seen to be called */
    const char *called;    /* the one that took most; NULL: there is none */
    struct formula formula;
    uint64_t called_ns;
};

/* An instruction, by its place in the text; in a function that a loop calls for each element, by that loop, too. */
struct spot {
    struct walk *walk; /* NULL: in no loop */
    bool called;       /* it stands in such a function */
    struct line *line;
    bool loads;                 /* tells by its samples whether it subscripts an array */
    bool header, element, item; /* item: an element where what is iterated over is an array */
    uint64_t interpreter, native, array, tensor, ns;
    uint64_t called_ns;      /* beside these: in formulas that it calls */
    struct process *process; /* of the node that is heaviest there */
    uint32_t node;
    uint64_t node_ns;
    struct word text; /* of the whole line where no columns are known (before CPython 3.11) */
    /* In a data set's __getitem__(), and no loop of it: that function (single_row.h); NULL else. */
    struct loop_text *handed;
    struct row_call row_call;
    struct frame_rows rows;
    struct vectorized vectorized;
};

struct walks {
    struct walk **walks;
    size_t walk_count, walk_capacity;
    struct spot **spots;
    size_t spot_count, spot_capacity;
    struct known_formulas formulas; /* that the spots name */
};

void walks_find(struct walks *walks, struct model *model);
void walks_free(struct walks *walks);

/* Does it call a function that may remember what it was handed before? */
bool walk_may_remember(const struct walk *walk);

/* The same but for the models that it calls. */
bool walk_may_remember_beside(const struct walk *walk);

/* Does it work on an element? Of what is taken out of something iterated over: only if that was seen to be an array. */
bool spot_is_element(const struct spot *spot);

#endif
