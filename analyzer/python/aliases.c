#include "python/aliases.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/carried.h"
#include "python/code_facts.h"
#include "python/given.h"
#include "python/region.h"
#include "python/view_name.h"

#define DEPTH_MAX 8u
#define ROWS_BYTES_MAX 65536u
#define LOOKED_FOR_MAX 64u /* functions: each is looked for through the file */

/* Methods and functions of NumPy and PyTorch whose result is, or may be, a view of what they are given. */
static bool is_view(struct word name)
{
    static const char *const views[] = {"reshape",     "ravel",      "view",         "transpose",
                                        "swapaxes",    "squeeze",    "diagonal",     "asarray",
                                        "flip",        "asanyarray", "moveaxis",     "ascontiguousarray",
                                        "expand_dims", "atleast_1d", "atleast_2d",   "from_numpy",
                                        "frombuffer",  "as_strided", "broadcast_to", "sliding_window_view",
                                        "memoryview",  "as_tensor",  "numpy",        "detach",
                                        "unsqueeze",   "permute",    "narrow",       "flatten",
                                        "contiguous",  "select",     "unfold",       "t",
                                        "cpu",         "to",         "fliplr",       "flipud",
                                        "rot90",       "astype",     "list",         "tuple",
                                        "unbind",      "split",      "array_split",  "chunk"};
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        if (word_is(name, views[i]))
            return true;
    return false;
}

/* "np" of "np.ravel", empty of "ravel". */
static struct word prefix_of(struct word name)
{
    size_t last = word_last_part(name).length_bytes;
    return (struct word){name.text, name.length_bytes > last ? name.length_bytes - last - 1 : 0};
}

static bool is_module(struct word name)
{
    return name.length_bytes == 0 || word_is(name, "np") || word_is(name, "numpy") || word_is(name, "torch");
}

/* Does nothing follow but subscripts, attributes and methods that give views? */
static bool is_view_of(const char *at, const char *end)
{
    for (at = word_skip_blanks(at, end); at < end && *at != '#'; at = word_skip_blanks(at, end)) {
        struct word name = {at, 0};
        if (*at == '.')
            name = word_name_at(at + 1, end);
        else if (*at != '[')
            return false;
        at = *at == '.' ? name.text + name.length_bytes : at;
        if (at < end && *at == '(' && !is_view(word_last_part(name)))
            return false;
        if (at < end && (*at == '(' || *at == '[')) {
            struct word inner = word_in_bracket(at, end);
            at = inner.text + inner.length_bytes;
            at += at < end ? 1 : 0;
        } else if (name.length_bytes == 0) {
            return false;
        }
    }
    return true;
}

/* What an assigned value is a view of, or the same as; empty where it is neither. */
static struct word source_of(struct word value)
{
    const char *end = value.text + value.length_bytes, *at = word_skip_blanks(value.text, end);
    struct word name = word_name_at(at, end);
    if (name.length_bytes == 0 || isdigit((unsigned char)*at))
        return (struct word){at, 0};
    at = name.text + name.length_bytes;
    if (at < end && *at == '(') {
        if (!is_view(word_last_part(name)))
            return (struct word){at, 0};
        struct word arguments = word_in_bracket(at, end);
        const char *behind = arguments.text + arguments.length_bytes, *first = word_skip_blanks(arguments.text, behind);
        name = is_module(prefix_of(name)) ? word_name_at(first, behind) : prefix_of(name);
        at = behind < end ? behind + 1 : end;
    }
    return is_view_of(at, end) ? name : (struct word){at, 0};
}

/* Its index; count: it is not. */
static size_t known_at(const struct aliases *aliases, struct word name, struct word source)
{
    size_t at = 0;
    while (at < aliases->count && !(word_equal(aliases->names[at], name) && word_equal(aliases->sources[at], source)))
        at++;
    return at;
}

/* Names that a text has in common with others: all of them where there is none. */
struct sharing {
    struct word function; /* what it gives, or takes for a parameter, is its own; attributes are nobody's */
    struct word loop;     /* what it does not name, be it by another name, does not matter */
};

static bool is_shared(const struct aliases *aliases, const struct sharing *sharing, struct word name)
{
    struct word rest = sharing->function, statement;
    bool matters = word_mentions(sharing->loop, name) > 0;
    for (size_t i = 0; i < aliases->count && !matters; i++)
        matters = word_equal(aliases->sources[i], name);
    if (!matters || word_last_part(name).text != name.text)
        return matters;
    while (word_next_statement(&rest, &statement)) {
        const char *end = word_end(statement), *at = word_skip_blanks(statement.text, end);
        bool defines = word_is(word_name_at(at, end), "def");
        if (word_gives(statement, name) || (defines && word_mentions(statement, name) > 0))
            return false;
    }
    return true;
}

/* `holds`: the target is a container of the value. */
static void add_alias(struct aliases *aliases, struct word target, struct word value, bool holds,
                      const struct sharing *sharing)
{
    const char *end = target.text + target.length_bytes, *at = word_skip_blanks(target.text, end);
    struct word name = word_name_at(at, end), source = source_of(value);
    bool alone = name.length_bytes > 0 && word_skip_blanks(name.text + name.length_bytes, end) == end;
    if (!alone || source.length_bytes == 0 || (sharing != NULL && !is_shared(aliases, sharing, name)))
        return;
    size_t known = known_at(aliases, name, source);
    if (known < aliases->count) {
        aliases->holds[known] &= holds;
        return;
    }
    aliases->full |= aliases->count == ALIASES_MAX;
    if (aliases->full)
        return;
    aliases->names[aliases->count] = name;
    aliases->holds[aliases->count] = holds;
    aliases->sources[aliases->count++] = source;
}

/* "a, b" of "a, b = b, a": the part up to the next comma outside of brackets; `text` keeps the rest. */
static struct word take_part(struct word *text)
{
    const char *end = text->text + text->length_bytes, *at = text->text;
    while (at < end && *at != ',') {
        if (*at == '(' || *at == '[' || *at == '{') {
            struct word inner = word_in_bracket(at, end);
            at = inner.text + inner.length_bytes;
        }
        at += at < end ? 1 : 0;
    }
    struct word part = {text->text, (size_t)(at - text->text)};
    *text = at < end ? (struct word){at + 1, (size_t)(end - at - 1)} : (struct word){end, 0};
    return part;
}

/* "pair = [y, y[1:]]": what is in a display, too. */
static void add_aliases(struct aliases *aliases, struct word target, struct word value, const struct sharing *sharing)
{
    struct word items[WORDS_MAX];
    value = word_trimmed(value.text, word_end(value));
    if (value.length_bytes == 0 || (*value.text != '[' && *value.text != '(' && *value.text != '{')) {
        add_alias(aliases, target, value, false, sharing);
        return;
    }
    size_t count = word_split(word_in_bracket(value.text, word_end(value)), ',', items, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        struct word pair[2]; /* "key: value" */
        bool is_pair = word_split(items[i], ':', pair, 2) == 2;
        add_alias(aliases, target, is_pair ? pair[1] : items[i], true, sharing);
    }
}

/* Do two names only change places? Then they are two arrays still. */
static bool is_exchange(struct word targets, struct word values)
{
    struct word first = word_name_at(word_skip_blanks(targets.text, targets.text + targets.length_bytes),
                                     targets.text + targets.length_bytes);
    take_part(&values);
    const char *end = values.text + values.length_bytes;
    return values.length_bytes > 0 && word_equal(first, word_name_at(word_skip_blanks(values.text, end), end));
}

/* Where the arguments of "append" and the like begin, of a statement that begins with a name; NULL where it is none. */
static const char *filling_at(struct word name, const char *end)
{
    static const char *const methods[] = {"append", "appendleft", "insert", "extend"};
    const char *open = word_end(name);
    struct word method = word_last_part(name);
    if (open < end && *open == '[') { /* "groups['a'].append(x)" */
        const char *closing = word_end(word_in_bracket(open, end));
        method = closing + 1 < end && closing[1] == '.' ? word_name_at(closing + 2, end) : (struct word){open, 0};
        open = word_end(method);
    }
    bool is_call = method.text > name.text && open < end && *open == '(';
    return is_call && WORD_IS_ONE_OF(method, methods) ? open : NULL;
}

/* "hist.append(x)", "groups['a'].insert(0, x)", "parts.extend([x, y])": the list holds it from then on. */
static void read_filling(struct aliases *aliases, struct word statement, const struct sharing *sharing)
{
    const char *end = word_end(statement), *first = word_skip_blanks(statement.text, end);
    struct word name = word_name_at(first, end), items[2];
    const char *open = name.length_bytes > 0 ? filling_at(name, end) : NULL;
    if (open == NULL)
        return;
    struct word arguments = word_in_bracket(open, end);
    size_t count = word_split(arguments, ',', items, 2);
    if (open == word_end(name)) /* without the method */
        name.length_bytes -= word_last_part(name).length_bytes + 1;
    if (*word_skip_blanks(arguments.text, end) == '[')
        add_aliases(aliases, name, arguments, sharing);
    else if (count == 1 || count == 2)
        add_alias(aliases, name, items[count - 1], true, sharing);
}

static void read_assignments(struct aliases *aliases, struct word text, const struct sharing *sharing)
{
    struct word statement;
    size_t length = 0;
    while (word_next_statement(&text, &statement)) {
        read_filling(aliases, statement, sharing);
        const char *sign = word_assignment(statement, &length), *end = statement.text + statement.length_bytes;
        if (sign == NULL || length != 1)
            continue;
        struct word targets = {statement.text, (size_t)(sign - statement.text)},
                    values = {sign + 1, (size_t)(end - sign - 1)};
        if (is_exchange(targets, values))
            continue;
        while ((sign = word_assignment(values, &length)) != NULL && length == 1) { /* "h = state.h = np.zeros(n)" */
            add_alias(aliases, targets, word_trimmed(values.text, sign), false, sharing);
            values = (struct word){sign + 1, (size_t)(end - sign - 1)};
        }
        for (struct word value = values; targets.length_bytes > 0;) { /* "a, b = pair": each may be either */
            struct word target = take_part(&targets);
            value = values.length_bytes > 0 ? take_part(&values) : value;
            add_aliases(aliases, target, value, sharing);
        }
    }
}

void aliases_read(struct aliases *aliases, struct word text)
{
    *aliases = (struct aliases){.count = 0};
    read_assignments(aliases, text, NULL);
}

void aliases_add_shared(struct aliases *aliases, struct word file, struct word function, struct word loop)
{
    const struct sharing sharing = {.function = function, .loop = loop};
    for (unsigned i = 0; i < 2; i++) /* what a name stands for may be said above where it is used */
        read_assignments(aliases, file, &sharing);
}

/* What a call hands in for what the function returns: adds it as a source of all targets. */
static void add_returned(struct aliases *aliases, struct word targets, const struct source *source, int32_t def,
                         struct word arguments, struct word returned)
{
    struct parameter parameter;
    struct word name = word_first_part(source_of(returned));
    if (name.length_bytes == 0 || !given_parameter(source, def, name, &parameter))
        return;
    struct word handed = given_argument(arguments, &parameter, name);
    while (handed.length_bytes != 0 && handed.length_bytes != SIZE_MAX && targets.length_bytes > 0)
        add_alias(aliases, take_part(&targets), handed, false, NULL);
}

static void add_returns(struct aliases *aliases, struct word targets, const struct source *source, int32_t def,
                        struct word arguments)
{
    struct region_span span = region_function(source, def);
    struct word rest = region_rows(&span), statement, items[WORDS_MAX];
    while (word_next_statement(&rest, &statement)) {
        struct word text = word_trimmed(statement.text, word_end(statement));
        struct word first = word_name_at(text.text, word_end(text));
        if (!word_is(first, "return"))
            continue;
        struct word value = word_trimmed(word_end(first), word_end(text));
        size_t count = word_split(value, ',', items, WORDS_MAX);
        for (size_t i = 0; count != SIZE_MAX && i < count; i++)
            add_returned(aliases, targets, source, def, arguments, items[i]);
    }
}

void aliases_add_returned(struct aliases *aliases, const struct source *source, struct word text)
{
    struct word statement, function, arguments;
    size_t length = 0;
    unsigned looked_for = 0;
    while (word_next_statement(&text, &statement) && !aliases->full) {
        const char *sign = word_assignment(statement, &length);
        if (sign == NULL || length != 1 ||
            !word_call(word_trimmed(sign + 1, word_end(statement)), &function, &arguments) ||
            word_last_part(function).text != function.text)
            continue;
        aliases->full = ++looked_for > LOOKED_FOR_MAX;
        int32_t def = aliases->full ? 0 : code_function_run(source, function);
        if (def > 0)
            add_returns(aliases, word_trimmed(statement.text, sign), source, def, arguments);
    }
}

/* The name, and all that it may be the same as or a view of. */
static void reach(const struct aliases *aliases, struct word name, struct words *words)
{
    *words = (struct words){.words = {name}, .count = 1};
    size_t before = 0;
    for (unsigned depth = 0; depth < DEPTH_MAX && before < words->count; depth++) {
        before = words->count;
        for (size_t i = 0; i < aliases->count; i++)
            if (words_hold(words, aliases->names[i]))
                words_add(words, aliases->sources[i]);
    }
}

bool aliases_share(const struct aliases *aliases, struct word a, struct word b)
{
    struct words of_a, of_b;
    reach(aliases, a, &of_a);
    reach(aliases, b, &of_b);
    for (size_t i = 0; i < of_b.count; i++)
        if (words_hold(&of_a, of_b.words[i]))
            return true;
    for (size_t i = 0; i < of_a.count; i++)
        if (words_hold(&of_b, of_a.words[i]))
            return true;
    return false;
}

bool alias_is_stored(const struct aliases *aliases, size_t index, struct word rows)
{
    return aliases->holds[index] ? carried_stores_into_items(rows, aliases->names[index])
                                 : carried_is_stored(rows, aliases->names[index]);
}

static bool stores_into_items(const struct aliases *aliases, struct word rows, struct word name)
{
    struct word rest = rows, statement, targets, iterable;
    while (word_next_statement(&rest, &statement)) {
        struct word text = word_trimmed(statement.text, word_end(statement));
        if (!view_header(text, &targets, &iterable))
            continue;
        bool is_of = word_mentions(iterable, name) > 0;
        for (size_t i = 0; i < aliases->count && !is_of; i++)
            is_of = word_mentions(iterable, aliases->names[i]) > 0 && aliases_share(aliases, aliases->names[i], name);
        for (const char *at = targets.text; is_of && at < word_end(targets);) {
            struct word item = word_name_at(at, word_end(targets));
            if (item.length_bytes > 0 && carried_is_stored(rows, item))
                return true;
            at = item.length_bytes > 0 ? word_end(item) : at + 1;
        }
    }
    return false;
}

/* "part = h[order]", a copy where `order` is an array. */
static bool may_copy(struct word statement)
{
    struct word target, value;
    if (!word_assigned(word_trimmed(statement.text, word_end(statement)), &target, &value))
        return false;
    const char *open = word_end(word_name_at(value.text, word_end(value)));
    if (open == word_end(value) || *open != '[')
        return false;
    struct word index = word_in_bracket(open, word_end(value));
    return memchr(index.text, ':', index.length_bytes) == NULL;
}

/* Of statements that give views for sure, or by a function that may. */
static void read_views(struct aliases *aliases, struct word rows)
{
    struct word rest = rows, statement;
    *aliases = (struct aliases){.count = 0};
    while (word_next_statement(&rest, &statement))
        if (!may_copy(statement))
            read_assignments(aliases, statement, NULL);
}

bool aliases_store(const struct source *source, int32_t def, struct word name)
{
    struct region_span span = region_function(source, def);
    struct word rows = def > 0 ? region_rows(&span) : code_text(source);
    unsigned asked = 0;
    if (rows.length_bytes > ROWS_BYTES_MAX)
        return false;
    struct aliases *aliases = memory_zeroed(1, sizeof(*aliases));
    read_views(aliases, rows);
    aliases_add_returned(aliases, source, rows);
    bool stores = stores_into_items(aliases, rows, name);
    for (size_t i = 0; i < aliases->count && asked < WORDS_MAX && !stores; i++)
        if (!word_equal(aliases->names[i], name) && aliases_share(aliases, aliases->names[i], name)) {
            stores = alias_is_stored(aliases, i, rows);
            asked++;
        }
    free(aliases);
    return stores;
}
