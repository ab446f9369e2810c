#include "python/carried.h"

#include <string.h>

#include "python/aliases.h"
#include "python/stores.h"
#include "python/view_name.h"

#define ITEMS_MAX 16u

static bool is_among(struct word targets, struct word name)
{
    struct word items[ITEMS_MAX];
    while (targets.length_bytes > 0 && (*targets.text == '(' || *targets.text == '['))
        targets = word_trimmed(targets.text + 1, word_end(targets));
    size_t count = word_split(targets, ',', items, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (word_equal(word_name_at(items[i].text, word_end(items[i])), name))
            return true;
    return false;
}

/* "x[:] = v", "x.copy_(v)", "np.copyto(x, v)", "f(v, out=x)": nothing is left of what was there. */
static bool overwrites(struct word statement, struct word name)
{
    static const char *const behind[] = {"[:] = ", "[...] = ", ".copy_(", ".fill(", ".fill_(", ".zero_("};
    static const char *const before[] = {"copyto(", "out="};
    if (word_mentions(statement, name) != 1 || memmem(statement.text, statement.length_bytes, "where=", 6) != NULL)
        return false;
    const char *at = memmem(statement.text, statement.length_bytes, name.text, name.length_bytes);
    struct word rest = {at + name.length_bytes, (size_t)(word_end(statement) - at) - name.length_bytes};
    for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++)
        if (rest.length_bytes > strlen(behind[i]) && memcmp(rest.text, behind[i], strlen(behind[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        size_t length = strlen(before[i]);
        if ((size_t)(at - statement.text) >= length && memcmp(at - length, before[i], length) == 0)
            return true;
    }
    return false;
}

/* "x += 1" */
static bool augments(struct word statement, struct word name)
{
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    return sign != NULL && length > 1 && word_equal(word_trimmed(statement.text, sign), name);
}

/* Behind "[0]['key']". */
static const char *behind_subscripts(const char *at, const char *end)
{
    while (at < end && *at == '[') {
        const char *closing = word_end(word_in_bracket(at, end));
        at = closing < end ? closing + 1 : end;
    }
    return at;
}

/* "x.append(v)", "x[0].popleft()": a list or a deque, of which a later pass takes other things. */
static bool fills(struct word statement, struct word name)
{
    static const char *const methods[] = {"append",  "appendleft", "extend", "insert",  "pop",
                                          "popleft", "remove",     "rotate", "reverse", "add"};
    for (const char *at = statement.text, *end = word_end(statement);
         (at = memmem(at, (size_t)(end - at), name.text, name.length_bytes)) != NULL; at += name.length_bytes) {
        const char *dot = behind_subscripts(at + name.length_bytes, end);
        bool begins = at == statement.text || (!word_char(at[-1]) && at[-1] != '.');
        struct word method = dot < end && *dot == '.' ? word_name_at(dot + 1, end) : (struct word){dot, 0};
        if (begins && method.length_bytes > 0 && WORD_IS_ONE_OF(method, methods) && word_end(method) < end &&
            *word_end(method) == '(')
            return true;
    }
    return false;
}

static void give(struct carried *carried, struct word value, bool reads)
{
    carried->given = true;
    carried->read_first |= reads;
    if (carried->value_count < CARRIED_VALUES_MAX)
        carried->values[carried->value_count++] = value;
}

/* "with m as x" */
static bool manages(struct word statement, struct word name)
{
    struct word text = word_trimmed(statement.text, word_end(statement));
    const char *as = word_is(word_name_at(text.text, word_end(text)), "with")
                         ? memmem(text.text, text.length_bytes, " as ", 4)
                         : NULL;
    return as != NULL && word_mentions((struct word){as + 4, (size_t)(word_end(text) - as) - 4}, name) > 0;
}

static void read_statement(struct carried *carried, struct word statement, struct word name, bool seen)
{
    struct word targets, value;
    size_t length = 0;
    const char *sign;
    enum store_effect effect = stores_effect(statement, name);
    if (view_header(statement, &targets, &value)) {
        if (is_among(targets, name))
            give(carried, value, !seen && word_mentions(value, name) > 0);
        else
            carried->read_first |= !seen;
    } else if (effect == STORE_CHANGES && overwrites(statement, name)) {
        give(carried, statement, false);
    } else if (effect == STORE_CHANGES) {
        if (carried->store_count < CARRIED_VALUES_MAX)
            carried->stores[carried->store_count++] = statement;
        *(augments(statement, name) ? &carried->augmented : &carried->stored) = true;
    } else if (effect == STORE_REBINDS) {
        sign = word_assignment(statement, &length);
        value = (struct word){sign + length, (size_t)(word_end(statement) - sign) - length};
        give(carried, value, !seen && word_mentions(value, name) > 0);
    } else if (manages(statement, name)) {
        carried->managed = true;
        give(carried, statement, false);
    } else {
        carried->filled |= fills(statement, name);
        carried->read_first |= !seen;
    }
}

static void read_name(struct carried *carried, struct word rows, struct word name)
{
    struct word statement;
    bool seen = false;
    while (word_next_statement(&rows, &statement))
        if (word_mentions(statement, name) > 0) {
            read_statement(carried, statement, name, seen);
            seen = true;
        }
}

bool carried_is_stored(struct word rows, struct word name)
{
    struct carried of_it = {.stored = false};
    read_name(&of_it, rows, name);
    return of_it.stored || of_it.filled || of_it.augmented;
}

bool carried_stores_into_items(struct word rows, struct word name)
{
    struct carried of_it = {.stored = false};
    read_name(&of_it, rows, name);
    return of_it.stored || of_it.augmented;
}

void carried_views(struct word around, struct word name, struct words *views)
{
    struct aliases aliases;
    views->count = 0;
    aliases_read(&aliases, around);
    for (size_t i = 0; i < aliases.count; i++) {
        if (word_equal(aliases.names[i], name))
            words_add(views, aliases.sources[i]);
        else if (word_is_part_of(aliases.sources[i], name))
            words_add(views, aliases.names[i]);
    }
}

/* By other names that the rows give it, or parts of it. */
static bool is_stored_otherwise(struct word rows, struct word name)
{
    struct word rest = rows, statement;
    struct aliases aliases;
    aliases_read(&aliases, rows);
    for (size_t i = 0; i < aliases.count; i++)
        if (word_is_part_of(aliases.sources[i], name) && !word_equal(aliases.names[i], name) &&
            alias_is_stored(&aliases, i, rows))
            return true;
    while (word_next_statement(&rest, &statement)) {
        struct word row = word_mentions(statement, name) > 0 ? view_rows(statement, name) : (struct word){name.text, 0};
        if (row.length_bytes > 0 && carried_is_stored(rows, row))
            return true;
    }
    return false;
}

/* "(x := x + 1)": within an expression, so that what it takes is not looked into. */
static bool is_given_within(struct word rows, struct word name)
{
    for (const char *at = rows.text; (at = word_find(rows, at, name)) != NULL; at++) {
        const char *behind = word_skip_blanks(at + name.length_bytes, word_end(rows));
        if (word_end(rows) - behind > 2 && behind[0] == ':' && behind[1] == '=')
            return true;
    }
    return false;
}

void carried_read(struct carried *carried, struct word rows, struct word name)
{
    *carried = (struct carried){.stored = false};
    if (name.length_bytes == 0)
        return;
    read_name(carried, rows, name);
    carried->stored = carried->stored || carried->filled || is_stored_otherwise(rows, name);
    if (is_given_within(rows, name))
        carried->given = carried->read_first = true;
}

bool carried_over(const struct carried *carried)
{
    return carried->given ? carried->read_first : carried->stored || carried->augmented;
}
