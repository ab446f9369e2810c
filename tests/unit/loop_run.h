/* A loop as the analyzer reads it: all of a text. */
#ifndef PIEPROF_TESTS_LOOP_RUN_H
#define PIEPROF_TESTS_LOOP_RUN_H

#include "source_run.h"

#include "python/loop_text.h"

static inline struct loop_text loop_run_read(const char *text)
{
    static struct source_run run; /* what is told points into its text */
    struct loop_text loop;
    source_run_begin(&run, text);
    loop_text_read(&loop, &run.source, 1, (int32_t)run.source.line_count);
    return loop;
}

#endif
