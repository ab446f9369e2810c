/*
 * What rules read in the text of a program, on any text: source files are stored with the run, so they are as hostile as the rest of it. Each row is
 * taken for the one that a rule asks about.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "findings/expression.h"
#include "findings/kept.h"
#include "findings/kept_setting.h"
#include "findings/operand.h"
#include "model/source_code.h"
#include "python/aliases.h"
#include "python/array_value.h"
#include "python/clear_call.h"
#include "python/cleared.h"
#include "python/cover.h"
#include "python/handed.h"
#include "python/loop_text.h"
#include "python/name_uses.h"
#include "python/origins.h"
#include "python/reduction.h"
#include "python/scope.h"

#define SIZE_MOST 20000u
#define NAMES_MAX 8u
#define KEPT_OF_ROWS 16 /* of so many rows one is taken for a reduction: each reads the whole text several times */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_on(const char *at, void *state)
{
    *(size_t *)state += *at != '\0';
    return true;
}

static void try_pairs(const struct source *code, int32_t row)
{
    struct cleared pair;
    struct clear_call call;
    if (cleared_find(code, row, &pair))
        cleared_is_closed(code, &pair);
    clear_call_find(code, row, &call);
    scope_function(code, row);
    cleared_backward(code, row);
}

static void try_names(const struct source *code, int32_t row, struct word line)
{
    struct handed handed;
    size_t seen = 0;
    const char *end = word_end(line);
    for (const char *at = line.text; at < end && seen < NAMES_MAX; at++) {
        struct word name = word_name_at(at, end);
        if (name.length_bytes == 0)
            continue;
        name_uses_visit(code, row, row, name, read_on, &seen);
        handed_find(line, name, &handed);
        text_takes(line.text, line.length_bytes, name.text, name.length_bytes);
        at = word_end(name);
        seen++;
    }
}

/* The row's first name, in a loop around the row or around another that calls its function. */
static void try_kept(const struct source *code, int32_t row, struct word line)
{
    struct kept_level level = {.code = code, .row = row, .def = scope_function(code, row), .call = line};
    struct kept_ways ways = {.levels = {level, level}, .count = 2, .from_module = true};
    struct loop loop = {.line = row};
    struct word operand = {line.text, 0};
    const char *at = line.text;
    while (at < word_end(line) && word_name_at(at, word_end(line)).length_bytes == 0)
        at++;
    value_of(line);
    struct reduction reduction;
    operand = reduction_read(line, &reduction) ? reduction.operand : word_name_at(at, word_end(line));
    ways.levels[1].row = row / 2 + 1;
    ways.levels[1].def = scope_function(code, row / 2 + 1);
    if (operand.length_bytes == 0)
        return;
    kept_in_loop(&ways, operand, &loop);
    kept_setting(&ways, operand, loop);
}

static void try_row(const struct source *code, int32_t row)
{
    struct cover_fill fill;
    struct loop_text loop;
    struct word line;
    line.text = source_line(code, row, &line.length_bytes);
    if (cover_read_fill(code, row, &fill)) {
        cover_find(code, row, &fill);
        origins_may_read(code, row, row + 1, fill.buffer);
    }
    try_pairs(code, row);
    try_names(code, row, line);
    loop_text_header_bytes(code, row, row + 3);
    loop_text_read(&loop, code, row, row + 3);
    loop_text_read_comprehension(&loop, line, line);
    loop_text_has_element(&loop, line, true);
    operation_of(line.text, line.length_bytes);
    if (row % KEPT_OF_ROWS == 1)
        try_kept(code, row, line);
}

/* The text in memory of just its size: what is read beyond it is seen. */
static void try_text(struct source *code)
{
    struct aliases aliases = {.count = 0};
    for (size_t at = 0; at < code->length_bytes; at++)
        if (at == 0 || code->text[at - 1] == '\n')
            code->line_starts[code->line_count++] = (uint32_t)at;
    aliases_read(&aliases, (struct word){code->text, code->length_bytes});
    for (int32_t row = 1; row <= (int32_t)code->line_count; row++)
        try_row(code, row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size = size < SIZE_MOST ? size : SIZE_MOST;
    struct source code = {.text = malloc(size + 1), .length_bytes = size};
    code.line_starts = malloc((size + 1) * sizeof(*code.line_starts));
    if (code.text != NULL && code.line_starts != NULL) {
        memcpy(code.text, data, size);
        code.text[size] = '\0';
        source_code_only(code.text, size);
        try_text(&code);
    }
    free(code.text);
    free(code.line_starts);
    return 0;
}
