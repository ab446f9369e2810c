/* The functions, imports and statements of a file's code, found once where many sites ask for them. */
#ifndef PIEPROF_ANALYZER_CODE_INDEX_H
#define PIEPROF_ANALYZER_CODE_INDEX_H

#include "model/source.h"
#include "python/words.h"

struct code_function {
    struct word name;
    int32_t def, last; /* its rows */
    bool seen;         /* one of that name was seen to run */
};

struct code_index {
    const struct source *code; /* source_code() */
    struct code_function *functions;
    size_t function_count, function_capacity;
    const struct code_function **by_name;
    struct word *imports; /* statements */
    size_t import_count, import_capacity;
    bool chooses;        /* something in it does (choices.h) */
    int32_t *statements; /* by row, from 1 on: the row on which the statement there begins */
};

void code_index_read(struct code_index *index, const struct source *code);
void code_index_free(struct code_index *index);

/* Functions of that name were seen to run. */
void code_index_see(struct code_index *index, struct word name);

/* The functions of that name, of `*count`; in the order of their rows. */
const struct code_function *const *code_index_named(const struct code_index *index, struct word name, size_t *count);

/* The row on which the row's statement begins; 0: there is no such row. */
int32_t code_index_statement(const struct code_index *index, int32_t row);

/* Does an import statement name it? */
bool code_index_imports(const struct code_index *index, struct word name);

/* The last row of the function, or loop, whose header stands on the row; no more than 2,000 behind it. */
int32_t code_index_last(const struct source *code, int32_t def);

#endif
