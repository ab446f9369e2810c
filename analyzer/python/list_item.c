#include "python/list_item.h"

#include <ctype.h>
#include <string.h>

#define ITEMS_MAX 8u

bool item_is_plain(struct word token)
{
    return word_char(*token.text) && !isdigit((unsigned char)*token.text) &&
           memchr(token.text, '.', token.length_bytes) == NULL && memchr(token.text, '[', token.length_bytes) == NULL;
}

struct word item_list(struct word item)
{
    const char *open = memchr(item.text, '[', item.length_bytes);
    return (struct word){item.text, open != NULL ? (size_t)(open - item.text) : 0};
}

struct word item_index(struct word item)
{
    return word_in_bracket(word_end(item_list(item)), word_end(item));
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
        return word_equal(value, name) ? item_list(target) : none;
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
    if (!item_is_plain(one))
        return word_equal(item_list(one), list);
    struct gone_through through = loops_of(rows, one, list);
    return through.any && !through.others;
}

bool item_index_is_of_loop(struct word rows, struct word index)
{
    struct gone_through through =
        item_is_plain(index) ? loops_of(rows, index, index) : (struct gone_through){.any = false};
    return through.others;
}

bool item_may_be(struct word rows, struct word one, struct word other)
{
    struct word rest = rows, statement, items = item_list(other);
    if (items.length_bytes > 0)
        return item_is_plain(one) && is_of_list(rows, one, items);
    while (item_is_plain(other) && word_next_statement(&rest, &statement)) {
        struct word list = put_into(word_trimmed(statement.text, word_end(statement)), other);
        if (list.length_bytes > 0 && is_of_list(rows, one, list))
            return true;
    }
    return false;
}
