/*
 * Data frames of pandas that are gone through row by row, cell by cell, where each makes a Series, or looks the labels up anew; and those
 * that grow so.
 */
#ifndef PIEPROF_ANALYZER_FRAME_ROWS_H
#define PIEPROF_ANALYZER_FRAME_ROWS_H

#include "findings/below.h"
#include "model/model.h"
#include "python/loop_text.h"

/* What a function of pandas does. */
enum frame_act {
    FRAME_OTHER,
    FRAME_ITERATES, /* DataFrame.iterrows() */
    FRAME_TAKES,    /* df.loc[...], df.iloc[...], df.at[...], df.iat[...] */
    FRAME_STORES,   /* df.loc[...] = ... */
    FRAME_SERIES,   /* series[...], series.a */
    FRAME_APPLIES,  /* DataFrame.apply() */
    FRAME_JOINS,    /* pd.concat() */
};

/* Of an instruction of the user's. */
struct frame_rows {
    enum frame_act act; /* what it was seen to do */
    struct below below; /* what it calls for that, functions of the user's left out */
    uint64_t all;       /* samples below it, these included */
    bool is_told;
};

enum frame_act frame_act_of(const struct code *code);

/* Where it stands. */
enum frame_place {
    FRAME_IN_BODY,   /* of a loop, or in no loop */
    FRAME_IN_HEADER, /* of one */
    FRAME_IN_ITEM,   /* in a data set's __getitem__(), which is handed what a loop takes elsewhere */
};

/*
 * Is it done to a single row or cell, by the text of the instruction; or does it join a frame, by its name `target`, to more, as long as
 * the loop runs? `loop`: around it, or that function (single_row.h); NULL: there is none. `target`: what the instruction's value is given
 * to; empty: nothing.
 */
bool frame_act_is_of_row(enum frame_act act, struct word text, struct word target, const struct loop_text *loop,
                         enum frame_place place);

/* "for row in df.itertuples():", whose header takes columns apart: what the loop takes is no array. */
bool frame_gives_rows(const struct loop_text *loop);

struct walks;

/*
 * Claim: a data frame is gone through by rows or cells in Python, where columns could be taken whole; or grows by copies of all of it.
 * Evidence: pandas' functions that were seen to run, called by the user's line; the text, which says that a loop takes one row or cell at a time;
 * samples below them.
 * Traps: many rows at once (a mask, a slice, a list of labels); a row that no loop counts; what the user's own function does, that apply() calls.
 */
void frame_rows_claim(struct model *model, const struct walks *walks);

#endif
