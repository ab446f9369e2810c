/*
 * Calls of models that a loop makes for one row at a time: "net(x[i:i + 1])" of PyTorch's modules, "clf.predict([row])" of a package's. Of these
 * is known that they take many rows at once, and that each row's result is its own.
 */
#ifndef PIEPROF_ANALYZER_ROW_CALLS_H
#define PIEPROF_ANALYZER_ROW_CALLS_H

#include "findings/below.h"
#include "model/model.h"
#include "model/source.h"
#include "python/loop_text.h"

/* What the function is that an instruction of the user's calls. */
enum row_callee { CALLEE_OTHER, CALLEE_MODULE, CALLEE_PACKAGE };

/* An instruction in a loop. */
struct row_call {
    struct word text;
    bool is_whole_row;     /* more than the instruction, of which the columns are not known (before CPython 3.11) */
    struct word function;  /* "net"; empty: it calls nothing by a name */
    struct single_row row; /* that it hands in */
    struct word model;     /* what takes it in the end: "net" as well, or what a function of the user's calls with it */
    bool of_module;
    struct below below; /* a model that it calls */
};

/* A function of the user's that hands a model what it was handed itself: "return net(x.unsqueeze(0)).argmax().item()". */
struct row_passed {
    const struct source *code; /* source_code(); NULL: it does not */
    int32_t def;
    struct word model;     /* "net" */
    struct single_row row; /* by its parameter */
};

enum row_callee row_callee_of(const struct code *code);

/* Is it of a transform of images, which may draw once for all that it is handed? */
bool row_draws_once(const struct code *code);

/* Is what is called so a model? `callee`: the outermost Python function below. */
bool row_is_model(struct word function, enum row_callee callee);

/* By the text of an instruction in a loop, or of its whole row. */
void row_call_read(struct row_call *call, const struct loop_text *loop, struct word text, bool is_whole_row);

/* Likewise, in the function whose "def" stands in row `def` of the file of `code`. */
void row_passed_read(struct row_passed *passed, const struct model *model, const struct code *code, int32_t def,
                     struct word text, bool is_whole_row);

/*
 * Is what runs below it a model, handed a single row or not? Notes what it is. `passed`: the user's function that it calls, which calls the
 * model; NULL: it calls that itself.
 */
bool row_call_is_of_model(struct row_call *call, const struct loop_text *loop, enum row_callee callee,
                          const struct row_passed *passed);

struct walks;

/*
 * Claim: a loop hands a model one row at a time, where one call takes them all.
 * Evidence: the text of the call, and that what runs below it is a model's; samples: a good part of the time below it is Python code's, which a
 * call has once for however many rows.
 * Traps: rows of what is no array, and may be unlike in shape; a round that needs what an earlier one made, or trains; a model that keeps
 * something from call to call; calls of big networks, whose arithmetic takes the time.
 */
void row_calls_claim(struct model *model, const struct walks *walks);

#endif
