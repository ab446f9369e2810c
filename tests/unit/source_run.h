/* A source text as the analyzer has it, put together by hand. */
#ifndef PIEPROF_TESTS_SOURCE_RUN_H
#define PIEPROF_TESTS_SOURCE_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/source.h"

#define SOURCE_LINES_MAX 64u

struct source_run {
    struct source source;
    char text[2000];
    uint32_t starts[SOURCE_LINES_MAX];
};

static void source_run_begin(struct source_run *run, const char *text)
{
    assert_true(strlen(text) < sizeof run->text);
    strcpy(run->text, text);
    run->source = (struct source){.text = run->text, .length_bytes = strlen(text), .line_starts = run->starts};
    for (size_t at = 0; at < strlen(text); at++)
        if (at == 0 || text[at - 1] == '\n') {
            assert_true(run->source.line_count < SOURCE_LINES_MAX);
            run->starts[run->source.line_count++] = (uint32_t)at;
        }
}

/* The first line that holds the words, from 1. */
static inline int32_t source_run_line(const struct source_run *run, const char *words)
{
    const char *found = strstr(run->text, words);
    int32_t line = 1;
    assert_non_null(found);
    for (const char *at = run->text; at < found; at++)
        line += *at == '\n';
    return line;
}

#endif
