#include "python/around.h"

#include <string.h>

#include "python/fresh.h"
#include "python/scope.h"
#include "python/suite.h"

#define CALLS_MAX 4u /* functions around each other */

static bool is_loop(const struct source *code, int32_t row)
{
    static const char *const words[] = {"for", "while"};
    struct word text;
    size_t indent = 0;
    return suite_row(code, row, &text, &indent) && (WORD_IS_ONE_OF(word_name_at(text.text, word_end(text)), words) ||
                                                    memmem(text.text, text.length_bytes, "async for", 9) != NULL);
}

/* The header of the outermost loop that the row stands in, within its function; 0: in none. */
static int32_t outermost_loop(const struct source *code, int32_t row)
{
    int32_t function = scope_function(code, row), loop = 0;
    for (row = scope_header(code, row); row > function; row = scope_header(code, row))
        loop = is_loop(code, row) ? row : loop;
    return loop;
}

/* The last row of the suite below a header. */
static int32_t suite_end(const struct source *code, int32_t header)
{
    struct word text;
    size_t indent = 0, own = 0;
    int32_t row = header;
    if (!suite_row(code, header, &text, &indent))
        return header;
    while (suite_row(code, row + 1, &text, &own) &&
           (text.length_bytes == 0 || own > indent || strchr(")]}", *text.text) != NULL))
        row++;
    return row;
}

/* "tqdm(loader)", "schedule.step()", "time()": do they leave gradients as they are, and all that has some? */
static bool is_quiet_call(const struct source *code, struct word name, struct word call, const struct clear *clear)
{
    static const char *const bars[] = {"tqdm", "trange"};
    struct word last = word_last_part(name), first;
    size_t tail = last.length_bytes + 1;
    if (word_is(last, "step"))
        return name.length_bytes > tail && clear_is_schedule(code, (struct word){name.text, name.length_bytes - tail});
    return WORD_IS_ONE_OF(last, bars) || fresh_is_number(name) || clear_other_calls(code, call, clear, &first) == 0;
}

/* How many calls of the row are others. */
static size_t others(const struct source *code, int32_t row, const struct clear *clear)
{
    struct word text;
    size_t indent = 0, count = 0;
    if (!suite_row(code, row, &text, &indent))
        return 0;
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        const char *behind = word_end(name);
        bool called = name.length_bytes > 0 && behind < word_end(text) && *behind == '(';
        size_t dot = called && name.text > text.text && name.text[-1] == '.';
        struct word call = {name.text - dot, dot + name.length_bytes + 1};
        count += called && !is_quiet_call(code, name, call, clear);
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return count;
}

static bool is_quiet(const struct source *code, int32_t first, int32_t last, const struct clear *clear, unsigned depth);

/* The same of each call of the function on whose header row `def` the name stands. */
static bool calls_are_quiet(const struct source *code, int32_t def, struct word name, int32_t first, int32_t last,
                            const struct clear *clear, unsigned depth)
{
    struct word text;
    size_t indent = 0, calls = 0;
    bool is_method = scope_header(code, def) > 0 && scope_outer(code, def) == 0;
    for (int32_t row = 1; suite_row(code, row, &text, &indent); row++) {
        if (row == def || (row >= first && row <= last))
            continue;
        for (const char *at = text.text, *end = word_end(text);
             (at = memmem(at, (size_t)(end - at), name.text, name.length_bytes)) != NULL; at += name.length_bytes) {
            const char *behind = at + name.length_bytes;
            bool dotted = at > text.text && at[-1] == '.';
            if ((at > text.text && word_char(at[-1]) && !dotted) || (behind < end && word_char(*behind)) ||
                dotted != is_method)
                continue;
            if (behind == end || *behind != '(' || others(code, row, clear) > 1 ||
                !is_quiet(code, row, row, clear, depth + 1))
                return false;
            calls++;
        }
    }
    return calls > 0;
}

static bool is_quiet(const struct source *code, int32_t first, int32_t last, const struct clear *clear, unsigned depth)
{
    int32_t loop = outermost_loop(code, first), def = scope_function(code, first);
    if (depth == CALLS_MAX)
        return false;
    for (int32_t row = loop, end = loop > 0 ? suite_end(code, loop) : 0; row > 0 && row <= end; row++)
        if ((row < first || row > last) && others(code, row, clear) > 0)
            return false;
    struct word text;
    size_t indent = 0;
    if (def == 0 || !suite_row(code, def, &text, &indent))
        return true;
    struct word keyword = word_name_at(text.text, word_end(text));
    struct word name = word_name_at(word_skip_blanks(word_end(keyword), word_end(text)), word_end(text));
    return name.length_bytes > 0 && calls_are_quiet(code, def, name, first, last, clear, depth);
}

bool around_is_quiet(const struct source *code, int32_t first, int32_t last, const struct clear *clear)
{
    return is_quiet(code, first, last, clear, 0);
}
