#include "python/same_value.h"

#include <ctype.h>
#include <string.h>

#include "python/carried.h"
#include "python/list_item.h"

#define TOKENS_MAX 64u
#define DEPTH_MAX 3u
#define ITEMS_MAX 8u

struct tokens {
    struct word tokens[TOKENS_MAX];
    size_t count;
    bool open; /* there are more */
};

/* "axis" of "axis=0", which may be left out. */
static bool is_keyword_argument(struct word name, const char *end)
{
    const char *behind = word_skip_blanks(word_end(name), end);
    return behind < end && *behind == '=' && (behind + 1 == end || behind[1] != '=');
}

/* Behind "[:n]", which results of one size have as long as each other; `at` where none begins there. */
static const char *skip_beginning(const char *at, const char *end)
{
    if (*at != '[')
        return at;
    struct word inside = word_in_bracket(at, end);
    struct word slice = word_trimmed(inside.text, word_end(inside));
    bool is_beginning = slice.length_bytes > 0 && *slice.text == ':' && word_end(inside) < end &&
                        memchr(slice.text + 1, ':', slice.length_bytes - 1) == NULL &&
                        memchr(slice.text, ',', slice.length_bytes) == NULL;
    return is_beginning ? word_end(inside) + 1 : at;
}

/* "acts[i]" of "acts[i].T"; a name without a bracket as it is. A beginning of one is none: skip_beginning(). */
static struct word with_item(struct word name, const char *end)
{
    const char *open = word_end(name);
    if (open == end || *open != '[' || skip_beginning(open, end) > open)
        return name;
    struct word inside = word_in_bracket(open, end);
    return word_end(inside) < end ? (struct word){name.text, (size_t)(word_end(inside) + 1 - name.text)} : name;
}

/* The name, number, string or sign at `at`; empty where none begins. */
static struct word token_at(const char *at, const char *end)
{
    const char *quiet = word_skip_quiet(at, end);
    struct word none = {at, 0};
    if (quiet > at)
        return *at == '#' ? none : (struct word){at, (size_t)(quiet - at)};
    if (isdigit((unsigned char)*at)) {
        const char *behind = at;
        while (behind < end && (word_char(*behind) || *behind == '.'))
            behind++;
        return (struct word){at, (size_t)(behind - at)};
    }
    if (word_char(*at))
        return with_item(word_name_at(at, end), end);
    return strchr("<>+-*/@%&|^~!", *at) != NULL ? (struct word){at, 1} : none;
}

static void read_tokens(struct tokens *tokens, struct word text)
{
    const char *end = word_end(text);
    tokens->count = 0;
    tokens->open = false;
    for (const char *at = text.text; at < end;) {
        const char *behind = skip_beginning(at, end);
        if (behind > at) {
            at = behind;
            continue;
        }
        struct word token = token_at(at, end);
        at += token.length_bytes > 0 ? token.length_bytes : 1;
        if (token.length_bytes == 0 || (word_char(*token.text) && is_keyword_argument(token, end)))
            continue;
        if (tokens->count == TOKENS_MAX)
            tokens->open = true;
        else
            tokens->tokens[tokens->count++] = token;
    }
}

static bool differ(struct word rows, struct word one, struct word other, unsigned depth);

bool values_give(struct word statement, struct word name, struct word other)
{
    struct word target, value, targets[ITEMS_MAX], values[ITEMS_MAX];
    if (!word_assigned(statement, &target, &value))
        return false;
    size_t count = word_split(target, ',', targets, ITEMS_MAX);
    if (count == SIZE_MAX || word_split(value, ',', values, ITEMS_MAX) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (word_equal(word_trimmed(targets[i].text, word_end(targets[i])), name) &&
            word_equal(word_trimmed(values[i].text, word_end(values[i])), other))
            return true;
    return false;
}

/* Somewhere, if not always: a sampler's state is what it proposed, where that was accepted. */
static bool is_given(struct word rows, struct word name, struct word other)
{
    struct word statement;
    bool given = false;
    while (!given && word_next_statement(&rows, &statement))
        given = values_give(statement, name, other);
    return given;
}

/* Items of one list, of the same index, or do loops go through the indices of both? */
static bool are_one_item(struct word rows, struct word one, struct word other, unsigned depth)
{
    struct word list = item_list(one);
    if (list.length_bytes == 0 || !word_equal(list, item_list(other)))
        return false;
    struct word index = item_index(one), of_other = item_index(other);
    return !differ(rows, index, of_other, depth + 1) ||
           (item_index_is_of_loop(rows, index) && item_index_is_of_loop(rows, of_other));
}

/* Do the rows give two names the same: the one the other's, or each once? */
static bool are_one(struct word rows, struct word one, struct word other, unsigned depth)
{
    struct carried a, b;
    if (depth == DEPTH_MAX)
        return false;
    if (are_one_item(rows, one, other, depth) || item_may_be(rows, one, other) || item_may_be(rows, other, one))
        return true;
    if (!item_is_plain(one) || !item_is_plain(other))
        return false;
    if (is_given(rows, one, other) || is_given(rows, other, one))
        return true;
    carried_read(&a, rows, one);
    carried_read(&b, rows, other);
    return a.value_count == 1 && b.value_count == 1 && !a.stored && !b.stored && a.values[0].text != b.values[0].text &&
           !differ(rows, a.values[0], b.values[0], depth + 1);
}

static bool differ(struct word rows, struct word one, struct word other, unsigned depth)
{
    struct tokens a, b;
    read_tokens(&a, one);
    read_tokens(&b, other);
    if (a.open || b.open || a.count != b.count)
        return true;
    for (size_t i = 0; i < a.count; i++)
        if (!word_equal(a.tokens[i], b.tokens[i]) && !are_one(rows, a.tokens[i], b.tokens[i], depth))
            return true;
    return false;
}

bool values_differ(struct word rows, struct word one, struct word other)
{
    return differ(rows, one, other, 0);
}
