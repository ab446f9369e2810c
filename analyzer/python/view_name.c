#include "python/view_name.h"

#include <ctype.h>
#include <string.h>

#define ITEMS_MAX 16u

bool view_header(struct word statement, struct word *targets, struct word *iterable)
{
    struct word text = word_trimmed(statement.text, word_end(statement));
    const char *in = memmem(text.text, text.length_bytes, " in ", 4);
    if (text.length_bytes < 4 || memcmp(text.text, "for ", 4) != 0 || in == NULL)
        return false;
    *targets = word_trimmed(text.text + 4, in);
    *iterable = word_trimmed(in + 4, word_end(text));
    return true;
}

bool view_is_target(struct word rows, struct word name)
{
    for (const char *at = rows.text; at < word_end(rows);) {
        struct word rest = {at, (size_t)(word_end(rows) - at)}, targets, iterable;
        if (view_header(rest, &targets, &iterable) && word_mentions(targets, name) > 0)
            return true;
        const char *next = memmem(at + 1, rest.length_bytes - 1, "for ", 4);
        at = next != NULL ? next : word_end(rows);
    }
    return false;
}

/* The item of "a, b" that stands where the name does in "x, y". */
static struct word beside(struct word targets, struct word values, struct word name)
{
    struct word items[ITEMS_MAX], others[ITEMS_MAX], none = {name.text, 0};
    size_t count = word_split(values, ',', items, ITEMS_MAX);
    if (count == SIZE_MAX || word_split(targets, ',', others, ITEMS_MAX) != count)
        return none;
    for (size_t i = 0; i < count; i++)
        if (word_equal(items[i], name))
            return others[i];
    return none;
}

struct word view_rows(struct word statement, struct word name)
{
    struct word targets, iterable, function, arguments, items[2], none = {name.text, 0};
    if (!view_header(statement, &targets, &iterable))
        return none;
    if (word_equal(iterable, name))
        return targets;
    if (!word_call(iterable, &function, &arguments))
        return none;
    if (word_is(function, "enumerate") && word_equal(arguments, name) && word_split(targets, ',', items, 2) == 2)
        return items[1];
    return word_is(function, "zip") ? beside(targets, arguments, name) : none;
}

/* "1:, :, 3": slices and numbers. */
static bool slices(struct word subscript)
{
    struct word items[ITEMS_MAX];
    bool sliced = false;
    size_t count = word_split(subscript, ',', items, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        bool slice = memchr(items[i].text, ':', items[i].length_bytes) != NULL || word_is(items[i], "...");
        bool number = items[i].length_bytes > 0;
        for (size_t k = 0; k < items[i].length_bytes; k++)
            number = number && (isdigit((unsigned char)items[i].text[k]) || items[i].text[k] == '-');
        if (!slice && !number)
            return false;
        sliced |= slice;
    }
    return count != SIZE_MAX && sliced;
}

/* "", "[1:]", ".T", ".data[:, 3:].T" */
static bool is_view(struct word rest)
{
    static const char *const attributes[] = {"T", "mT", "data", "real", "flat"};
    while (rest.length_bytes > 0) {
        struct word inner = {rest.text, 0};
        if (*rest.text == '[') {
            inner = word_in_bracket(rest.text, word_end(rest));
            if (!slices(inner))
                return false;
            inner.length_bytes++;
        } else if (*rest.text == '.') {
            inner.text++;
            while (word_end(inner) < word_end(rest) && word_char(*word_end(inner)))
                inner.length_bytes++;
            if (!WORD_IS_ONE_OF(inner, attributes))
                return false;
        } else {
            return false;
        }
        rest = word_trimmed(word_end(inner), word_end(rest));
    }
    return true;
}

struct word view_name(struct word statement, struct word name)
{
    struct word target, value, none = {name.text, 0}, row = view_rows(statement, name);
    if (row.length_bytes > 0)
        return row;
    if (!word_assigned(statement, &target, &value) || value.length_bytes < name.length_bytes ||
        !word_equal((struct word){value.text, name.length_bytes}, name) ||
        !is_view((struct word){word_end((struct word){value.text, name.length_bytes}),
                               value.length_bytes - name.length_bytes}))
        return none;
    struct word given = word_name_at(target.text, word_end(target));
    return word_equal(given, target) && !word_equal(given, name) ? given : none;
}
