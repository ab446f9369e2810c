#include "python/same_value.h"

#include <ctype.h>
#include <string.h>

#include "python/carried.h"

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

static bool is_plain_name(struct word token)
{
    return word_char(*token.text) && !isdigit((unsigned char)*token.text) &&
           memchr(token.text, '.', token.length_bytes) == NULL && memchr(token.text, '[', token.length_bytes) == NULL;
}

/* The list of "acts[i]"; empty where it is no item. */
static struct word list_of(struct word item)
{
    const char *open = memchr(item.text, '[', item.length_bytes);
    return (struct word){item.text, open != NULL ? (size_t)(open - item.text) : 0};
}

static struct word index_of(struct word item)
{
    return word_in_bracket(word_end(list_of(item)), word_end(item));
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

/* Is the name one of the values, "a, name" or "(a, name)"? */
static bool is_among(struct word values, struct word name)
{
    struct word items[ITEMS_MAX];
    if (values.length_bytes > 0 && *values.text == '(')
        values = word_in_bracket(values.text, word_end(values));
    size_t count = word_split(values, ',', items, ITEMS_MAX);
    for (size_t i = 0; i < count && count != SIZE_MAX; i++)
        if (word_equal(word_trimmed(items[i].text, word_end(items[i])), name))
            return true;
    return false;
}

/* "acts" of "acts.append(h)", "acts[i] = h": the list that the statement puts the name's value into; empty: none. */
static struct word put_into(struct word statement, struct word name)
{
    static const char append[] = ".append";
    struct word target, value, callee, arguments, none = {statement.text, 0};
    if (word_assigned(statement, &target, &value))
        return word_equal(value, name) ? list_of(target) : none;
    if (!word_callee(statement, &callee, &arguments) || !word_is(word_last_part(callee), "append") ||
        callee.length_bytes < sizeof(append) || !is_among(arguments, name))
        return none;
    return (struct word){callee.text, callee.length_bytes - strlen(append)};
}

/* Of loops that give a name its values: is there one, and do all of them go through the list? */
struct gone_through {
    bool any, others;
};

/* "for a, w in zip(acts, W)" */
static void note_loop(struct gone_through *through, struct word statement, struct word name, struct word list)
{
    const char *in = word_find(statement, statement.text, (struct word){"in", strlen("in")});
    if (in == NULL || !word_is(word_name_at(statement.text, word_end(statement)), "for"))
        return;
    struct word targets = {statement.text, (size_t)(in - statement.text)};
    struct word values = {in, (size_t)(word_end(statement) - in)};
    bool gives = word_mentions(targets, name) > 0, is_list = word_mentions(values, list) > 0;
    through->any = through->any || (gives && is_list);
    through->others = through->others || (gives && !is_list);
}

static struct gone_through loops_of(struct word rows, struct word name, struct word list)
{
    struct gone_through through = {.any = false};
    struct word statement;
    while (word_next_statement(&rows, &statement))
        note_loop(&through, word_trimmed(statement.text, word_end(statement)), name, list);
    return through;
}

/* Is the one an item of the list, or does a loop take it from there, and none from elsewhere? */
static bool is_of_list(struct word rows, struct word one, struct word list)
{
    if (!is_plain_name(one))
        return word_equal(list_of(one), list);
    struct gone_through through = loops_of(rows, one, list);
    return through.any && !through.others;
}

/* "i" of "for i in range(n)", which goes through the items of a list by their number. */
static bool is_of_loop(struct word rows, struct word index)
{
    struct gone_through through =
        is_plain_name(index) ? loops_of(rows, index, index) : (struct gone_through){.any = false};
    return through.others;
}

/* Is the one from a list, by its number or by a loop, that the other is an item of, or that its value is put into? It may be that. */
static bool is_from_list_of(struct word rows, struct word one, struct word other)
{
    struct word rest = rows, statement, items = list_of(other);
    if (items.length_bytes > 0)
        return is_plain_name(one) && is_of_list(rows, one, items);
    while (is_plain_name(other) && word_next_statement(&rest, &statement)) {
        struct word list = put_into(word_trimmed(statement.text, word_end(statement)), other);
        if (list.length_bytes > 0 && is_of_list(rows, one, list))
            return true;
    }
    return false;
}

/* Items of one list, of the same index, or do loops go through the indices of both? */
static bool are_one_item(struct word rows, struct word one, struct word other, unsigned depth)
{
    struct word list = list_of(one);
    if (list.length_bytes == 0 || !word_equal(list, list_of(other)))
        return false;
    struct word index = index_of(one), of_other = index_of(other);
    return !differ(rows, index, of_other, depth + 1) || (is_of_loop(rows, index) && is_of_loop(rows, of_other));
}

/* Do the rows give two names the same: the one the other's, or each once? */
static bool are_one(struct word rows, struct word one, struct word other, unsigned depth)
{
    struct carried a, b;
    if (depth == DEPTH_MAX)
        return false;
    if (are_one_item(rows, one, other, depth) || is_from_list_of(rows, one, other) || is_from_list_of(rows, other, one))
        return true;
    if (!is_plain_name(one) || !is_plain_name(other))
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
