#include "python/view_name.h"

#include <ctype.h>
#include <string.h>

#define ITEMS_MAX 16u
#define CLAUSES_MAX 8u /* of comprehensions in one statement */

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

/* "for p in ps" of "[f(p) for p in ps if p]", which begins at `at`. */
static struct word clause_at(const char *at, const char *end)
{
    int depth = 0;
    const char *to = at;
    for (; to < end; to++) {
        bool is_word = depth == 0 && to > at && *to == ' ';
        depth += strchr("([{", *to) != NULL ? 1 : strchr(")]}", *to) != NULL ? -1 : 0;
        if (depth < 0 || (depth == 0 && *to == ':') || (is_word && end - to > 4 && memcmp(to, " if ", 4) == 0) ||
            (is_word && end - to > 5 && memcmp(to, " for ", 5) == 0))
            break;
    }
    return word_trimmed(at, to);
}

/* "[0]", "['w']", "[1:, :]", all of the text: by a name it may be rows, which are copied. */
static bool is_item_or_slice(const char *at, const char *end)
{
    if (at >= end || *at != '[')
        return false;
    struct word inside = word_in_bracket(at, end), key = word_trimmed(inside.text, word_end(inside));
    bool literal =
        key.length_bytes == 0 || (strchr("0123456789-'\"", *key.text) != NULL && /* strings may be left out */
                                  memchr(key.text, ',', key.length_bytes) == NULL);
    return word_end(inside) + 1 == end && (literal || slices(inside));
}

/* "x.reshape(3, -1).T[0]", and no operator behind it: what that makes is new. */
static bool is_chain(struct word value)
{
    int depth = 0;
    for (const char *at = value.text; at < word_end(value); at++) {
        bool opens = *at == '(' || *at == '[' || *at == '{', closes = *at == ')' || *at == ']' || *at == '}';
        depth += opens - closes;
        if (depth == 0 && !closes && !word_char(*at) && *at != '.')
            return false;
    }
    return true;
}

/* "ps", "ps[0]", "ps.pop()", "x.reshape(3, -1)", "x.T[0]": made of the name by nothing that copies it for sure. */
static bool takes_part(struct word value, struct word name)
{
    static const char *const methods[] = {"pop",  "popleft", "get",       "reshape",   "ravel", "view",  "squeeze",
                                          "flat", "T",       "transpose", "unsqueeze", "data",  "detach"};
    struct word whole = word_name_at(value.text, word_end(value));
    if (word_equal(value, name) || whole.length_bytes < name.length_bytes ||
        !word_equal((struct word){whole.text, name.length_bytes}, name))
        return word_equal(value, name);
    if (whole.length_bytes == name.length_bytes)
        return is_item_or_slice(word_end(whole), word_end(value));
    const char *dot = whole.text + name.length_bytes;
    struct word first = word_first_part((struct word){dot + 1, (size_t)(word_end(whole) - dot) - 1});
    return *dot == '.' && WORD_IS_ONE_OF(first, methods) && is_chain(value);
}

/* "ps", "ps.values()", "list(ps)", "np.split(x, 4)" of an iterable: does it go through the parts of the name? */
static bool goes_through(struct word iterable, struct word name)
{
    static const char *const methods[] = {"values", "items", "copy", "split", "chunk", "unbind"};
    static const char *const functions[] = {"list",   "tuple", "reversed",    "iter",
                                            "sorted", "split", "array_split", "chunk"};
    struct word function, arguments, items[ITEMS_MAX];
    if (word_equal(iterable, name) || (strchr("[(", *iterable.text) != NULL && word_mentions(iterable, name) > 0))
        return true;
    if (!word_call(iterable, &function, &arguments))
        return false;
    struct word last = word_last_part(function);
    bool is_of_name = function.length_bytes > last.length_bytes &&
                      word_equal((struct word){function.text, (size_t)(last.text - function.text) - 1}, name);
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    return (is_of_name && WORD_IS_ONE_OF(last, methods)) ||
           (count != SIZE_MAX && count > 0 && takes_part(items[0], name) && WORD_IS_ONE_OF(last, functions));
}

static void add_names(struct words *parts, struct word targets, struct word name)
{
    for (const char *at = targets.text; at < word_end(targets);) {
        struct word target = word_char(*at) ? word_name_at(at, word_end(targets)) : (struct word){at, 0};
        if (target.length_bytes > 0 && !word_equal(target, name))
            words_add(parts, target);
        at = target.length_bytes > 0 ? word_end(target) : at + 1;
    }
}

void view_parts(struct word statement, struct word name, struct words *parts)
{
    struct word target, value, targets, iterable;
    parts->count = 0;
    unsigned clauses = 0;
    for (const char *at = statement.text, *end = word_end(statement); at != NULL && clauses < CLAUSES_MAX; clauses++) {
        bool begins = at == statement.text || !word_char(at[-1]);
        struct word clause = clause_at(at, end), row = begins ? view_rows(clause, name) : (struct word){at, 0};
        if (row.length_bytes > 0 ||
            (begins && view_header(clause, &targets, &iterable) && goes_through(iterable, name)))
            add_names(parts, row.length_bytes > 0 ? row : targets, name);
        at = end - at > 5 ? memmem(at + 1, (size_t)(end - at) - 1, "for ", 4) : NULL;
    }
    if (word_assigned(statement, &target, &value) && (takes_part(value, name) || goes_through(value, name)))
        add_names(parts, target, name);
}
