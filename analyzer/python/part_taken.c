#include "python/part_taken.h"

#include <ctype.h>
#include <string.h>

/* A stretch of the text, without blanks at its ends. */
struct span {
    const char *from, *to;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct span trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return (struct span){from, to};
}

static bool is_text(struct span span, const char *text)
{
    size_t length = (size_t)(span.to - span.from);
    return length == strlen(text) && memcmp(span.from, text, length) == 0;
}

static bool is_empty(struct span span)
{
    return span.from == span.to;
}

static bool is_number(struct span span)
{
    for (const char *at = span.from; at < span.to; at++)
        if (!isdigit((unsigned char)*at))
            return false;
    return !is_empty(span);
}

/* Where `separator` stands outside of all brackets; the span's end where it does not. */
static const char *find(struct span span, char separator)
{
    int depth = 0;
    for (const char *at = span.from; at < span.to; at++) {
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        if (depth == 0 && *at == separator)
            return at;
    }
    return span.to;
}

/* A number or a dotted name, or one more: "5", "args.top", "k + 1", "(k + 1)". "n - 1" is nearly all more often than few. */
static bool is_count(struct span span)
{
    if (span.to - span.from > 2 && span.from[0] == '(' && span.to[-1] == ')')
        span = trimmed(span.from + 1, span.to - 1);
    const char *at = span.from;
    while (at < span.to && (word_char(*at) || *at == '.'))
        at++;
    if (at == span.from)
        return false;
    struct span more = trimmed(at, span.to);
    if (is_empty(more))
        return true;
    return *more.from == '+' && is_number(trimmed(more.from + 1, more.to));
}

static bool is_negative_count(struct span span)
{
    return !is_empty(span) && *span.from == '-' && is_count(trimmed(span.from + 1, span.to));
}

/* "start:stop:step" */
static bool is_few(struct span item)
{
    const char *colon = find(item, ':');
    if (colon == item.to)
        return false;
    struct span start = trimmed(item.from, colon), rest = {colon + 1, item.to};
    colon = find(rest, ':');
    struct span stop = trimmed(rest.from, colon), step = trimmed(colon < item.to ? colon + 1 : colon, item.to);
    if (is_text(step, "-1"))
        return is_empty(start) && is_negative_count(stop);
    if (!is_empty(step) && !is_text(step, "1"))
        return false;
    if (is_empty(stop))
        return is_negative_count(start);
    return (is_empty(start) || is_number(start)) && is_count(stop);
}

/* "0", "-1" */
static bool is_element(struct span item)
{
    bool is_negative = !is_empty(item) && *item.from == '-';
    struct span number = trimmed(item.from + is_negative, item.to);
    return is_number(number) && number.to - number.from <= 2;
}

/* "2000", "n // 2", "len(x) // 2", "int(0.99 * n)": a whole number, and no array of them. */
static bool is_somewhere(struct span item)
{
    const char *at = item.from;
    if (is_number(item))
        return !is_element(item);
    while (at < item.to && (word_char(*at) || *at == '.'))
        at++;
    if (at < item.to && *at == '(') {
        bool is_known = is_text((struct span){item.from, at}, "len") || is_text((struct span){item.from, at}, "int");
        struct word inside = word_in_bracket(at, item.to);
        if (!is_known || word_end(inside) == item.to)
            return false;
        if (word_end(inside) + 1 == item.to)
            return *item.from == 'i';
        at = word_end(inside) + 1;
    }
    struct span rest = trimmed(at, item.to);
    return at > item.from && rest.to - rest.from > 2 && rest.from[0] == '/' && rest.from[1] == '/' &&
           is_number(trimmed(rest.from + 2, rest.to));
}

static bool is_all(struct span item)
{
    return is_text(item, ":") || is_text(item, "...") || is_text(item, "::-1") || is_number(item);
}

/* "x[0]" may be the only row of many columns, and is where another subscript follows. */
static bool takes_element(struct span inside, struct span item, enum part_of of)
{
    bool is_alone = find(inside, ',') == inside.to, goes_on = inside.to[1] == '[';
    return is_element(item) && of != PART_OF_TUPLE && !goes_on &&
           (!is_alone || of == PART_OF_FLAT || !is_text(item, "0") || strncmp(inside.to + 1, ".item()", 7) == 0);
}

static bool takes_one(struct span inside, struct span item, enum part_of of)
{
    return of != PART_OF_TUPLE && inside.to[1] != '[' && is_somewhere(item);
}

/* What stands between a subscript's brackets. */
static enum part subscript(struct span inside, enum part_of of)
{
    const struct span all = inside;
    enum part part = PART_ALL;
    while (true) {
        const char *comma = find(inside, ',');
        struct span item = trimmed(inside.from, comma);
        if (is_few(item) || takes_element(all, item, of))
            part = PART_FEW;
        else if (part == PART_ALL && takes_one(all, item, of))
            part = PART_ONE;
        else if (!is_all(item))
            return PART_OTHER;
        if (comma == inside.to)
            return part;
        inside.from = comma + 1;
    }
}

/* Behind ".values" or ".indices"; NULL where something else stands. */
static const char *after_field(const char *at)
{
    static const char *const fields[] = {".values", ".indices"};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        size_t length = strlen(fields[i]);
        if (strncmp(at, fields[i], length) == 0 && !word_char(at[length]) && at[length] != '(')
            return at + length;
    }
    return NULL;
}

/* Behind the bracket that closes the one at `open`; NULL where none does. */
static const char *after_bracket(const char *open)
{
    int depth = 0;
    for (const char *at = open; *at != '\0'; at++) {
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

enum part part_taken(const char *text, enum part_of of, const char **slice, const char **end)
{
    for (const char *at = text; at != NULL; at = after_field(at)) {
        of = at > text && of == PART_OF_TUPLE ? PART_OF_ARRAY : of;
        for (*end = at; is_blank(*at); at++)
            ;
        while (*at == '[') {
            *slice = at;
            at = after_bracket(at);
            if (at == NULL)
                return PART_OTHER;
            *end = at;
            enum part part = subscript((struct span){*slice + 1, at - 1}, of);
            if (part != PART_ALL)
                return part;
            of = of == PART_OF_TUPLE ? PART_OF_ARRAY : of;
            for (; is_blank(*at); at++)
                ;
        }
        if (*at != '.')
            return PART_ALL;
    }
    return PART_OTHER;
}

/* "[2:k]", "[-k:]", "[:-k - 1:-1]": its stop, its start where it has none; with what sign is no matter. */
static struct word count_of(struct word item)
{
    struct word parts[3];
    size_t count = word_split(item, ':', parts, 3);
    struct word found = count > 1 && count != SIZE_MAX && parts[1].length_bytes > 0 ? parts[1] : parts[0];
    bool is_negative = found.length_bytes > 0 && *found.text == '-';
    return is_negative ? word_trimmed(found.text + 1, word_end(found)) : found;
}

bool part_slice_read(const char *slice, const char *end, struct part_slice *read)
{
    static const struct word one = {"1", 1};
    struct word items[WORDS_MAX];
    bool found = false, is_slice = false;
    read->items = word_split((struct word){slice + 1, (size_t)(end - slice) - 2}, ',', items, WORDS_MAX);
    for (size_t i = 0; read->items != SIZE_MAX && i < read->items && !is_slice; i++) {
        struct span item = {items[i].text, word_end(items[i])};
        is_slice = is_few(item);
        bool is_one = !is_slice && !is_element(item);
        if (is_one && !is_somewhere(item))
            continue;
        found = true;
        read->place = i;
        read->count = is_one ? one : count_of(items[i]);
    }
    return found;
}
