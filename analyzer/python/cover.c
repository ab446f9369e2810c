#include "python/cover.h"

#include <ctype.h>
#include <string.h>

#include "python/code_facts.h"
#include "python/handed.h"
#include "python/scope.h"
#include "python/suite.h"

#define ROWS_MAX 100 /* of a loop */
#define ITEMS_MAX 8u

/* Blanks do not count. */
static bool same_text(struct word a, struct word b)
{
    const char *at = a.text, *other = b.text;
    while (true) {
        while (at < word_end(a) && isspace((unsigned char)*at))
            at++;
        while (other < word_end(b) && isspace((unsigned char)*other))
            other++;
        if (at == word_end(a) || other == word_end(b))
            return at == word_end(a) && other == word_end(b);
        if (*at++ != *other++)
            return false;
    }
}

static bool is_name(struct word text)
{
    return text.length_bytes > 0 && !isdigit((unsigned char)*text.text) &&
           word_name_at(text.text, word_end(text)).length_bytes == text.length_bytes;
}

/* The shape, where it is written down: "(n, 10)", "n"; of PyTorch "n, 10", too. */
static void read_shape(struct word function, struct word arguments, struct cover_fill *fill)
{
    static const char *const full[] = {"full"};
    struct word items[ITEMS_MAX];
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    if (count == 0 || count == SIZE_MAX)
        return;
    bool takes_all = function.length_bytes > 6 && memcmp(function.text, "torch.", 6) == 0 &&
                     !WORD_IS_ONE_OF(word_last_part(function), full);
    if (*items[0].text == '(' || *items[0].text == '[') {
        struct word inside = word_in_bracket(items[0].text, word_end(items[0]));
        count = word_split(inside, ',', items, ITEMS_MAX);
        takes_all = true;
    }
    for (size_t i = 0; i < count && count <= COVER_DIMENSIONS_MAX && (takes_all || i == 0); i++) {
        size_t length = 0;
        if (items[i].length_bytes > 0 && word_assignment(items[i], &length) == NULL)
            fill->dimensions[fill->dimension_count++] = items[i];
    }
}

static bool read_made(struct word value, struct cover_fill *fill)
{
    static const char *const shaped[] = {"zeros", "ones", "full"}, *const likened[] = {"zeros_like", "ones_like",
                                                                                       "full_like"};
    struct word function, arguments, items[ITEMS_MAX];
    if (!word_call(value, &function, &arguments) || word_mentions(value, fill->buffer) > 0)
        return false;
    if (WORD_IS_ONE_OF(word_last_part(function), likened)) {
        size_t count = word_split(arguments, ',', items, ITEMS_MAX);
        bool reshapes = memmem(arguments.text, arguments.length_bytes, "shape", 5) != NULL;
        if (count > 0 && count <= ITEMS_MAX && is_name(items[0]) && !reshapes)
            fill->like = items[0];
        return true;
    }
    if (!WORD_IS_ONE_OF(word_last_part(function), shaped))
        return false;
    read_shape(function, arguments, fill);
    return true;
}

/* "x[:]" and "x[...]" */
static bool is_all_of(struct word target, struct word *buffer)
{
    static const char *const all[] = {":", "..."};
    *buffer = word_name_at(target.text, word_end(target));
    if (buffer->length_bytes == 0 || word_end(*buffer) == word_end(target) || *word_end(*buffer) != '[')
        return false;
    struct word index = word_in_bracket(word_end(*buffer), word_end(target));
    return word_end(index) + 1 == word_end(target) && WORD_IS_ONE_OF(index, all);
}

/* "rng.normal()" draws, "next(it)" goes on: to leave the fill out would leave that out, too. */
static bool calls(struct word arguments)
{
    return memchr(arguments.text, '(', arguments.length_bytes) != NULL;
}

/* "x.fill(0)", "np.copyto(x, 0)": what it fills; empty: nothing. */
static struct word filled_by_call(struct word call)
{
    static const char *const methods[] = {"fill", "fill_", "zero_"}, *const copies[] = {"copyto"};
    struct word function, arguments, items[ITEMS_MAX], none = {call.text, 0};
    if (!word_call(call, &function, &arguments) || calls(arguments))
        return none;
    if (WORD_IS_ONE_OF(word_last_part(function), copies)) {
        bool fills = word_split(arguments, ',', items, ITEMS_MAX) == 2 && word_is_number(items[1]);
        return fills ? items[0] : none;
    }
    if (!WORD_IS_ONE_OF(word_last_part(function), methods))
        return none;
    size_t dot = function.length_bytes - word_last_part(function).length_bytes;
    return (struct word){function.text, dot > 0 ? dot - 1 : 0};
}

static bool is_zero(struct word text)
{
    static const char *const zeros[] = {"0", "0.0", "0.", "-0.0", "-0."};
    return WORD_IS_ONE_OF(text, zeros);
}

/* "x *= 0" */
static struct word zeroed(struct word statement)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    bool scales = sign != NULL && length == 2 && *sign == '*';
    struct word value = scales ? word_trimmed(sign + 2, word_end(statement)) : (struct word){statement.text, 0};
    bool zeroes = scales && is_zero(value);
    return zeroes ? word_trimmed(statement.text, sign) : (struct word){statement.text, 0};
}

bool cover_read_fill(const struct source *code, int32_t line, struct cover_fill *fill)
{
    struct word statement, target, value;
    size_t indent = 0;
    *fill = (struct cover_fill){.is_made = false};
    if (!suite_statement(code, line, &statement, &indent, &fill->last))
        return false;
    if (word_assigned(statement, &target, &value)) {
        fill->buffer = target;
        fill->is_made = is_name(target);
        return fill->is_made ? read_made(value, fill) : is_all_of(target, &fill->buffer) && word_is_number(value);
    }
    fill->buffer = filled_by_call(statement);
    if (fill->buffer.length_bytes == 0)
        fill->buffer = zeroed(statement);
    return fill->buffer.length_bytes > 0 &&
           word_name_at(fill->buffer.text, word_end(fill->buffer)).length_bytes == fill->buffer.length_bytes;
}

static bool is_method_of(struct word function, struct word buffer)
{
    size_t owner_bytes = function.length_bytes - word_last_part(function).length_bytes;
    return owner_bytes == buffer.length_bytes + 1 &&
           word_equal((struct word){function.text, buffer.length_bytes}, buffer);
}

/* "x.fill(a)", "x.normal_()": of all of it, by no other call. What clears is others' to tell of (cleared.h). */
static bool is_filled_anew(struct word statement, struct word buffer)
{
    static const char *const fills[] = {"fill", "fill_"}, *const draws[] = {"normal_", "uniform_"};
    struct word function, arguments, items[ITEMS_MAX];
    size_t length = 0;
    if (!word_call(statement, &function, &arguments) || !is_method_of(function, buffer) ||
        word_mentions(statement, buffer) != 1 || calls(arguments))
        return false;
    if (WORD_IS_ONE_OF(word_last_part(function), draws))
        return true;
    return WORD_IS_ONE_OF(word_last_part(function), fills) && word_split(arguments, ',', items, ITEMS_MAX) == 1 &&
           *items[0].text != '*' && word_assignment(items[0], &length) == NULL && !is_zero(items[0]);
}

/* "np.matmul(a, b, out=x)", "x[:] = a", "x.copy_(a)", "np.copyto(x, a)", or by its own method. */
static bool writes_all(struct word statement, struct word buffer)
{
    static const char *const copies[] = {"copy_", "copyto"};
    struct word target, value, function, arguments, items[ITEMS_MAX], stored;
    size_t mentions = word_mentions(statement, buffer);
    if (is_filled_anew(statement, buffer))
        return true;
    if (word_assigned(statement, &target, &value) && is_all_of(target, &stored))
        return mentions == 1 && word_equal(stored, buffer);
    struct word call = word_assigned(statement, &target, &value) ? value : statement;
    if (!word_call(call, &function, &arguments))
        return false;
    size_t count = word_split(arguments, ',', items, ITEMS_MAX), places = 0;
    bool is_out = false;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        bool named = word_assigned(items[i], &target, &value);
        if (*items[i].text == '*' || (named && word_is(target, "where")))
            return false;
        is_out |= named && word_is(target, "out") && word_equal(value, buffer);
        places += named ? 0 : 1;
        mentions -= named && word_equal(target, buffer) ? 1 : 0; /* "out=out" */
    }
    if (mentions != 1)
        return false;
    if (is_out)
        return handed_is_of_arrays(function);
    bool is_target = places == 2 && word_equal(items[0], buffer);
    return WORD_IS_ONE_OF(word_last_part(function), copies) && (is_method_of(function, buffer) || is_target);
}

/* "x[:, a:b] = value": of which dimension, from where to where. An index alone: a part from `index` on. */
struct part {
    struct word start, stop, index;
    size_t dimension;
    bool from_end; /* counted from the last dimension */
};

static bool read_part(struct word statement, struct word buffer, struct part *part)
{
    struct word target, value, items[ITEMS_MAX], ends[3];
    *part = (struct part){.dimension = SIZE_MAX};
    if (word_mentions(statement, buffer) != 1 || !word_assigned(statement, &target, &value) ||
        target.length_bytes <= buffer.length_bytes || memcmp(target.text, buffer.text, buffer.length_bytes) != 0 ||
        target.text[buffer.length_bytes] != '[')
        return false;
    struct word inside = word_in_bracket(target.text + buffer.length_bytes, word_end(target));
    size_t count = word_split(inside, ',', items, ITEMS_MAX);
    if (word_end(inside) + 1 != word_end(target) || count == 0 || count == SIZE_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (word_is(items[i], ":"))
            continue;
        if (word_is(items[i], "...") && i == 0 && count == 2) {
            part->from_end = true;
            continue;
        }
        size_t parts = word_split(items[i], ':', ends, 3);
        if (part->dimension != SIZE_MAX || parts == 0 || parts > 2)
            return false;
        part->dimension = part->from_end ? 0 : i;
        part->index = parts == 1 ? items[i] : part->index;
        part->start = parts == 2 ? ends[0] : part->start;
        part->stop = parts == 2 ? ends[1] : part->stop;
    }
    return part->dimension != SIZE_MAX;
}

/* "x[:n] = a", "x[n:m] = b", "x[m:] = c": each from where the one before ends. */
static bool is_chain(const struct source *code, struct word statement, int32_t last, size_t indent, struct word buffer)
{
    struct part part, before = {.dimension = SIZE_MAX};
    int32_t row = 0;
    for (unsigned i = 0; i < ITEMS_MAX; i++) {
        if (!read_part(statement, buffer, &part) || part.index.length_bytes > 0 ||
            (i > 0 && (part.dimension != before.dimension || part.from_end != before.from_end)) ||
            (i == 0 ? part.start.length_bytes > 0 : !same_text(part.start, before.stop)))
            return false;
        if (part.stop.length_bytes == 0)
            return i > 0;
        before = part;
        if (!suite_next(code, last, indent, &statement, &row, &last))
            return false;
    }
    return false;
}

/* "len(x)" for "x.shape[0]". */
static bool same_extent(struct word a, struct word b)
{
    for (unsigned i = 0; i < 2; i++) {
        struct word function, of, lengthy = i == 0 ? a : b, other = i == 0 ? b : a;
        if (word_call(lengthy, &function, &of) && word_is(function, "len") && is_name(of) &&
            other.length_bytes > of.length_bytes && memcmp(other.text, of.text, of.length_bytes) == 0 &&
            word_is((struct word){other.text + of.length_bytes, other.length_bytes - of.length_bytes}, ".shape[0]"))
            return true;
    }
    return same_text(a, b);
}

/* "x.shape[1]" of x, and "len(x)". */
static bool is_extent_of(struct word extent, struct word array, size_t dimension)
{
    struct word function, of;
    if (array.length_bytes == 0)
        return false;
    if (word_call(extent, &function, &of) && word_is(function, "len"))
        return dimension == 0 && word_equal(of, array);
    const char shape[] = {'.', 's', 'h', 'a', 'p', 'e', '[', (char)('0' + dimension), ']', '\0'};
    return extent.length_bytes > array.length_bytes && memcmp(extent.text, array.text, array.length_bytes) == 0 &&
           word_is((struct word){extent.text + array.length_bytes, extent.length_bytes - array.length_bytes}, shape);
}

static bool is_extent(const struct cover_fill *fill, const struct part *part, struct word extent)
{
    if (part->from_end)
        return fill->dimension_count > 0 && same_extent(fill->dimensions[fill->dimension_count - 1], extent);
    if (part->dimension < fill->dimension_count && same_extent(fill->dimensions[part->dimension], extent))
        return true;
    return part->dimension < 9 &&
           (is_extent_of(extent, fill->buffer, part->dimension) || is_extent_of(extent, fill->like, part->dimension));
}

/* What a loop counts through: "for i in range(n):", "for i, x in enumerate(xs):", "for i in range(0, n, step):". */
struct count {
    struct word counter, extent, step; /* step: empty for 1; extent: of enumerate what is counted */
    bool enumerates;
};

static bool read_count(struct word header, struct count *count)
{
    struct word items[ITEMS_MAX], function, arguments;
    *count = (struct count){.enumerates = false};
    if (header.length_bytes < 5 || memcmp(header.text, "for ", 4) != 0 || word_end(header)[-1] != ':')
        return false;
    const char *in = memmem(header.text, header.length_bytes, " in ", 4);
    if (in == NULL || !word_call(word_trimmed(in + 4, word_end(header) - 1), &function, &arguments))
        return false;
    struct word targets = word_trimmed(header.text + 4, in);
    size_t given = word_split(arguments, ',', items, ITEMS_MAX);
    if (word_is(function, "range") && is_name(targets) && given >= 1 && given <= 3) {
        count->counter = targets;
        count->extent = given == 1 ? items[0] : items[1];
        count->step = given == 3 ? items[2] : count->step;
        return given == 1 || word_is(items[0], "0");
    }
    if (!word_is(function, "enumerate") || given != 1 || !is_name(items[0]) ||
        word_split(targets, ',', items, ITEMS_MAX) < 2)
        return false;
    count->counter = items[0];
    count->extent = word_trimmed(arguments.text, word_end(arguments));
    count->enumerates = true;
    return true;
}

/* "i + step" */
static bool is_next(struct word stop, const struct count *count)
{
    struct word items[ITEMS_MAX];
    return word_split(stop, '+', items, ITEMS_MAX) == 2 && word_equal(items[0], count->counter) &&
           same_text(items[1], count->step);
}

static bool is_counted(const struct cover_fill *fill, const struct part *part, const struct count *count)
{
    if (count->step.length_bytes > 0)
        return word_equal(part->start, count->counter) && is_next(part->stop, count) &&
               is_extent(fill, part, count->extent);
    if (!word_equal(part->index, count->counter))
        return false;
    if (!count->enumerates)
        return is_extent(fill, part, count->extent);
    char text[128];
    if (count->extent.text == NULL || count->extent.length_bytes + sizeof("len()") > sizeof(text))
        return false;
    memcpy(text, "len(", 4);
    memcpy(text + 4, count->extent.text, count->extent.length_bytes);
    text[4 + count->extent.length_bytes] = ')';
    return is_extent(fill, part, (struct word){text, count->extent.length_bytes + 5});
}

static bool leaves_early(struct word statement)
{
    static const char *const words[] = {"break", "continue", "return", "yield", "raise", "await"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (word_mentions(statement, (struct word){words[i], strlen(words[i])}) > 0)
            return true;
    return false;
}

/* Each round stores into its own part, whatever else it does, and nothing else of the buffer is named. The row; 0: it does not. */
static int32_t row_in_loop(const struct source *code, int32_t header_row, size_t indent, const struct cover_fill *fill,
                           const struct count *count)
{
    int32_t found = 0, last = header_row;
    size_t body = 0, length = 0;
    const char *text;
    for (int32_t row = header_row + 1; row - header_row < ROWS_MAX && (text = source_line(code, row, &length)) != NULL;
         row = last + 1) {
        struct word statement;
        struct part part;
        size_t own = 0;
        last = row;
        if (word_trimmed(text, text + length).length_bytes == 0)
            continue;
        bool is_one = suite_statement(code, row, &statement, &own, &last);
        if (own <= indent)
            return found;
        if (!is_one || leaves_early(statement))
            return 0;
        body = body == 0 ? own : body;
        if (word_gives(statement, count->counter))
            return 0;
        if (word_mentions(statement, fill->buffer) == 0)
            continue;
        if (found != 0 || own != body || !read_part(statement, fill->buffer, &part) || !is_counted(fill, &part, count))
            return 0;
        found = row;
    }
    return found;
}

/* Does it stand in a try statement of its function? */
static bool is_tried(const struct source *code, int32_t line, size_t indent)
{
    size_t length = 0;
    const char *text;
    for (int32_t row = line - 1; row > 0 && indent > 0 && (text = source_line(code, row, &length)) != NULL; row--) {
        struct word own = word_trimmed(text, text + length);
        if (own.length_bytes == 0 || (size_t)(own.text - text) >= indent)
            continue;
        indent = (size_t)(own.text - text);
        struct word first = word_name_at(own.text, word_end(own));
        if (word_is(first, "def"))
            return false;
        if (word_is(first, "try"))
            return true;
    }
    return false;
}

/* Does the statement that begins on the row, or what is indented more behind it, call anything of the program's own? */
static bool calls_others(const struct source *code, int32_t row, size_t indent)
{
    struct word statement, text;
    size_t own = 0;
    int32_t last = row;
    suite_statement(code, row, &statement, &own, &last);
    for (; suite_row(code, row, &text, &own) && (row <= last || text.length_bytes == 0 || own > indent); row++)
        if (handed_calls_others(text))
            return true;
    return false;
}

static bool has_parameter(const struct source *code, int32_t def, struct word name)
{
    struct word header;
    size_t indent = 0;
    int32_t last = 0;
    return suite_statement(code, def, &header, &indent, &last) && word_mentions(header, name) > 0;
}

/* Does a function that the statement may call read the buffer, which is the module's, or the one's around it? "lambda i: x[i - 1]" may, too. */
static bool is_known_elsewhere(const struct source *code, int32_t line, struct word buffer)
{
    struct word text, lambda = {"lambda", 6};
    size_t indent = 0;
    int32_t own = scope_function(code, line);
    for (int32_t row = own + 1; suite_row(code, row, &text, &indent); row++) {
        if (word_mentions(text, buffer) == 0)
            continue;
        int32_t def = scope_function(code, row), around = def;
        while (around > own)
            around = scope_outer(code, around);
        bool is_within = def != own && around == own;
        if ((is_within && !code_gives(code, def, buffer) && !has_parameter(code, def, buffer)) ||
            (def == own && word_mentions(text, lambda) > 0))
            return true;
    }
    return false;
}

int32_t cover_find(const struct source *code, int32_t line, const struct cover_fill *fill)
{
    struct word own, statement;
    struct count count;
    size_t indent = 0;
    int32_t last = 0, row = 0;
    if (!suite_statement(code, line, &own, &indent, &last) || !suite_next(code, last, indent, &statement, &row, &last))
        return 0;
    /* What others know may be read by what is called meanwhile, or is used where an exception leads. */
    bool is_known = !fill->is_made || memchr(fill->buffer.text, '.', fill->buffer.length_bytes) != NULL;
    bool calls_another = handed_calls_others(statement) && !is_filled_anew(statement, fill->buffer);
    if ((is_known && calls_another) || is_tried(code, line, indent))
        return 0;
    int32_t covering = 0;
    if (writes_all(statement, fill->buffer) || (!is_known && is_chain(code, statement, last, indent, fill->buffer)))
        covering = row;
    else if (!is_known && read_count(statement, &count))
        covering = row_in_loop(code, row, indent, fill, &count);
    bool is_read = covering > 0 && calls_others(code, row, indent) && is_known_elsewhere(code, line, fill->buffer);
    return is_read ? 0 : covering;
}
