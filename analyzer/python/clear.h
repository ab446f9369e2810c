/*
 * Statements that clear gradients of PyTorch's: "opt.zero_grad()", and loops over all parameters of a model ("for p in
 * model.parameters(): p.grad.zero_()", "p.grad = None"). By the text; `code`: source_code().
 */
#ifndef PIEPROF_ANALYZER_CLEAR_H
#define PIEPROF_ANALYZER_CLEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/source.h"
#include "python/words.h"

#define CLEAR_ROWS_MAX 8 /* of a loop that clears */

struct clear {
    struct word owner, arguments; /* "opt" and "False" of "opt.zero_grad(set_to_none=False)" */
    int32_t row, last;            /* of the statement */
    int32_t line;                 /* that clears: of a loop its body */
    size_t indent;
};

/* The statement that begins on the row. False: it is no clear, or more than one. */
bool clear_read(const struct source *code, int32_t row, struct clear *clear);

/* ... whose `line` it is. */
bool clear_at(const struct source *code, int32_t line, struct clear *clear);

/*
 * Do they clear the same, where the first stands, to the same? Gradients that are None, or zeros, are not the same to an
 * optimizer.
 */
bool clear_same(const struct source *code, const struct clear *one, const struct clear *other);

/* Is the name, or what it is an attribute of, another from that statement on? */
bool clear_gives_anew(struct word text, struct word owner);

/* Behind the attribute itself in the row, from `at` on: not "zero_grad", "grad_fn", "autograd.grad(". NULL: it is not there. */
const char *clear_behind_grad(const char *at, const char *end);

/* Does the file store anything but nothing into gradients? */
bool clear_stored_by_hand(const struct source *code);

/* Is the name one of PyTorch's schedules of a learning rate, by the only statement that gives it a value? */
bool clear_is_schedule(const struct source *code, struct word name);

/*
 * How many calls of a text may be the program's own, and the first of them. Others leave gradients as they are: of the model whose
 * gradients are cleared, of PyTorch's losses, of arrays' methods. Not so what changes something in place ("add_").
 */
size_t clear_other_calls(const struct source *code, struct word text, const struct clear *clear, struct word *first);

#endif
