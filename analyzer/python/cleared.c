#include "python/cleared.h"

#include <string.h>

#include "python/around.h"
#include "python/clear.h"
#include "python/scope.h"
#include "python/suite.h"

#define ROWS_MAX 200 /* from one clear to the other */

/* The nearest other clear of the suite, up or down, of what stands for the same all the way. */
static bool find_nearest(const struct source *code, const struct clear *clear, int32_t step, struct clear *other)
{
    struct word text;
    size_t own = 0;
    int32_t from = step < 0 ? clear->row : clear->last;
    for (int32_t row = from + step; row > 0 && row - from < ROWS_MAX && from - row < ROWS_MAX; row += step) {
        if (!suite_row(code, row, &text, &own))
            return false;
        if (text.length_bytes > 0 && (own < clear->indent || clear_gives_anew(text, clear->owner)))
            return false;
        if (text.length_bytes > 0 && own == clear->indent && clear_read(code, row, other) &&
            clear_same(code, clear, other))
            return true;
    }
    return false;
}

bool cleared_find(const struct source *code, int32_t line, struct cleared *pair)
{
    struct clear clear, other;
    if (!clear_at(code, line, &clear))
        return false;
    bool above = find_nearest(code, &clear, -1, &other);
    if (!above && !find_nearest(code, &clear, 1, &other))
        return false;
    const struct clear *first = above ? &other : &clear, *second = above ? &clear : &other;
    *pair = (struct cleared){first->line, second->line, first->row, second->row};
    return !clear_stored_by_hand(code);
}

bool cleared_is_quiet(const struct source *code, const struct cleared *pair)
{
    struct word text, call;
    struct clear clear;
    size_t indent = 0;
    if (!clear_at(code, pair->first, &clear))
        return false;
    for (int32_t row = pair->first + 1; row < pair->second_row && suite_row(code, row, &text, &indent); row++)
        if (clear_other_calls(code, text, &clear, &call) > 0)
            return false;
    return true;
}

/* "opt.step()" */
static bool steps(const struct source *code, struct word text)
{
    for (const char *at = text.text; (at = memmem(at, (size_t)(word_end(text) - at), ".step(", 6)) != NULL; at += 6) {
        const char *from = at;
        while (from > text.text && (word_char(from[-1]) || from[-1] == '.'))
            from--;
        if (!clear_is_schedule(code, (struct word){from, (size_t)(at - from)}))
            return true;
    }
    return false;
}

bool cleared_is_closed(const struct source *code, const struct cleared *pair)
{
    static const char *const leaving[] = {"continue", "break", "return", "raise", "yield", "await", "try", "assert"};
    struct word text;
    struct clear clear;
    size_t indent = 0;
    int32_t function = scope_function(code, pair->first);
    if (!clear_at(code, pair->first, &clear) || !around_is_quiet(code, pair->first_row, pair->second, &clear))
        return false;
    for (int32_t row = 1; suite_row(code, row, &text, &indent); row++) {
        bool between = row > pair->first && row < pair->second_row;
        bool clears =
            (row >= pair->first_row && row <= pair->first) || (row >= pair->second_row && row <= pair->second);
        for (size_t i = 0; between && i < sizeof(leaving) / sizeof(leaving[0]); i++)
            if (word_mentions(text, (struct word){leaving[i], strlen(leaving[i])}) > 0)
                return false;
        if (!between && !clears &&
            (clear_behind_grad(text.text, word_end(text)) != NULL ||
             (steps(code, text) && scope_function(code, row) == function)))
            return false;
    }
    return true;
}

int32_t cleared_backward(const struct source *code, int32_t from)
{
    struct word text;
    size_t indent = 0;
    for (int32_t row = from; suite_row(code, row, &text, &indent); row++) {
        if (!scope_is_function(text) && memmem(text.text, text.length_bytes, "backward(", 9) != NULL)
            return row;
    }
    return 0;
}
