/* By the text: which lines store into a buffer behind the one that makes it. They have to go wherever its making goes. */
#ifndef PIEPROF_ANALYZER_CHANGED_H
#define PIEPROF_ANALYZER_CHANGED_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"
#include "python/words.h"

#define CHANGED_MAX 8u

struct changed {
    const char *file;
    int32_t lines[CHANGED_MAX]; /* the first of them, rising */
    size_t count;
    int32_t columns[CHANGED_MAX]; /* that set one in what holds the buffer, likewise */
    size_t column_count;
    bool read_before;   /* something reads it before the last of them, or in a loop with one */
    bool has_views;     /* it, or a part of it, has another name, by which it may be read */
    struct word handed; /* the first function that is handed it and may store into it; empty: none */
    int32_t handed_line;
};

/*
 * By the text: the Python frame `node_id` stands at "name = ..." (CPython 3.11 and later), and below it, in the same loop
 * or else function, lines store into what the name stands for, until it is given to something else; or hand it to a function that is
 * none of NumPy's or PyTorch's, and whose text, where it stands in the same file, stores into it or hands it on. Other names for it, and for
 * its views, are followed where they are surely such (view_name.h).
 */
void changed_find(struct changed *changed, struct model *model, struct process *process, uint32_t node_id);

void changed_free(struct model *model);

#endif
