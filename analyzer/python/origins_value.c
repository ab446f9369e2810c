/* What a value may be, or be a view of. */
#include <ctype.h>
#include <string.h>

#include "python/fresh.h"
#include "python/handed.h"
#include "python/origins_graph.h"

#define ITEMS_MAX 32u
#define DEPTH_MAX 12u

static void add_value(struct origins *origins, uint32_t to, struct word value, unsigned depth);

bool origins_next_name(struct word text, const char **behind, struct word *name, bool *is_called)
{
    const char *end = word_end(text);
    for (const char *at = *behind; at < end;) {
        const char *quiet = word_skip_quiet(at, end);
        if (quiet > at || !word_char(*at)) {
            at = quiet > at ? quiet : at + 1;
            continue;
        }
        *name = word_name_at(at, end);
        at = *behind = word_end(*name);
        const char *next = word_skip_blanks(at, end);
        bool is_keyword = next < end && *next == '=' && (next + 1 == end || next[1] != '=');
        if (isdigit((unsigned char)*name->text) || word_is_keyword(*name) || is_keyword)
            continue;
        if (name->text > text.text && name->text[-1] == '.')
            *name = (struct word){name->text - 1, name->length_bytes + 1};
        *is_called = next < end && *next == '(';
        return true;
    }
    return false;
}

struct word origins_base(struct word name)
{
    struct word none = {name.text, 0};
    if (fresh_is_module(name) || word_is_keyword(name) || name.length_bytes == 0 || isdigit((unsigned char)*name.text))
        return none;
    while (true) {
        struct word last = word_last_part(name);
        if (last.length_bytes == name.length_bytes)
            return name;
        if (fresh_is_fact(last))
            return none;
        if (!fresh_is_view(last))
            return (struct word){last.text - 1, last.length_bytes + 1};
        name.length_bytes -= last.length_bytes + 1;
        if (name.length_bytes == 0)
            return none;
    }
}

/* "x" of "x.reshape" */
struct word origins_owner(struct word function)
{
    struct word last = word_last_part(function);
    size_t rest = function.length_bytes - last.length_bytes;
    return (struct word){function.text, rest > 0 ? rest - 1 : 0};
}

/* "self" of "self.w.T" */
static struct word root_of(struct word name)
{
    const char *dot = memchr(name.text, '.', name.length_bytes);
    return (struct word){name.text, dot != NULL ? (size_t)(dot - name.text) : name.length_bytes};
}

void origins_add_name(struct origins *origins, uint32_t to, struct word name)
{
    struct word base = origins_base(name);
    size_t from = 0;
    if (base.length_bytes == 0)
        return;
    uint32_t source = origins_name(origins, base, ORIGIN_VALUE);
    origins_add(origins, to, source);
    if (*base.text != '.')
        return;
    if (origins_function(origins, base, &from) != NULL) /* a property */
        origins_add(origins, source, origins_name(origins, word_last_part(base), ORIGIN_RESULT));
    struct word root = root_of(name);
    if (origins->again && !origins->names[source].bound && root.length_bytes > 0)
        origins_add(origins, source, origins_name(origins, root, ORIGIN_VALUE));
}

/* May it be anybody's who keeps what he is handed? */
static bool is_foreign(struct word function)
{
    bool in_place = word_end(function)[-1] == '_';
    return !in_place && !fresh_is_module(function) &&
           handed_calls_others((struct word){function.text, function.length_bytes + 1});
}

/* Whatever it names. */
static void add_all(struct origins *origins, uint32_t to, struct word text)
{
    const char *behind = text.text;
    struct word name;
    for (bool is_called; origins_next_name(text, &behind, &name, &is_called);) {
        size_t from = 0;
        struct word last = word_last_part(name);
        if (is_called && origins_function(origins, last, &from) != NULL)
            origins_add(origins, to, origins_name(origins, last, ORIGIN_RESULT));
        else if (is_called && is_foreign(name))
            origins_add(origins, to, ORIGIN_FOREIGN);
        origins_add_name(origins, to, is_called ? origins_owner(name) : name);
    }
}

static bool is_list(const struct origins *origins, struct word name)
{
    struct word base = origins_base(name);
    for (size_t i = 0; base.length_bytes > 0 && i < origins->name_count; i++)
        if (origins->names[i].lists && word_equal(origins->names[i].name, base))
            return true;
    return false;
}

/* What stands in it outside of brackets: operators of arithmetic, a ",", keywords. */
struct look {
    bool computes, parts, words, shows; /* shows: "[a, b]", "{...}" and "(a, b)" */
};

static struct look look_at(const struct origins *origins, struct word text)
{
    struct look look = {.computes = false};
    const char *end = word_end(text);
    for (const char *at = text.text; at < end;) {
        const char *quiet = word_skip_quiet(at, end);
        bool is_operand = at == text.text || strchr("+-*/%@&|^<>=,(~ ", at[-1]) != NULL;
        if (quiet > at) {
            at = quiet;
        } else if (origins_opens(*at)) {
            struct word inner = word_in_bracket(at, end), parts[2];
            look.shows |= is_operand && (*at != '(' || word_split(inner, ',', parts, 1) == SIZE_MAX);
            at = word_end(inner) < end ? word_end(inner) + 1 : end;
        } else if (word_char(*at)) {
            struct word name = word_name_at(at, end);
            look.words |=
                word_is_keyword(name) && !word_is(name, "None") && !word_is(name, "True") && !word_is(name, "False");
            look.shows |= is_list(origins, name);
            at = word_end(name);
        } else {
            look.parts |= *at == ',';
            look.words |= *at == ':';
            look.computes |= strchr("+-*/%@&|^<>~", *at) != NULL && !(at == text.text && *at == '*');
            at++;
        }
    }
    return look;
}

static void add_items(struct origins *origins, uint32_t to, struct word arguments, unsigned depth)
{
    struct word items[ITEMS_MAX], target, value;
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    if (count == SIZE_MAX) {
        add_all(origins, to, arguments);
        return;
    }
    for (size_t i = 0; i < count; i++)
        add_value(origins, to, word_assigned(items[i], &target, &value) ? value : items[i], depth + 1);
}

/* "a.b", "(x)" or "[0]" of a chain of them. */
struct link {
    struct word name, inner; /* inner: what stands in the bracket */
    bool called, indexed;
};

/* False at the end, and where something else follows. */
static bool next_link(const char **at, const char *end, struct link *link)
{
    const char *from = *at;
    *link = (struct link){.name = {from, 0}};
    if (from < end && (*from == '.' || word_char(*from))) {
        struct word name = word_name_at(from + (*from == '.'), end);
        link->name = (struct word){from, (size_t)(word_end(name) - from)};
        if (name.length_bytes == 0)
            return false;
        from = word_end(name);
    }
    link->called = from < end && *from == '(' && link->name.length_bytes > 0;
    link->indexed = from < end && *from == '[' && link->name.length_bytes == 0;
    if (link->called || link->indexed) {
        link->inner = word_in_bracket(from, end);
        from = word_end(link->inner) < end ? word_end(link->inner) + 1 : end;
    }
    bool moved = from > *at;
    *at = from;
    return moved;
}

/* Is it new memory, or no array, whatever it was had from? */
static bool is_new(struct origins *origins, const struct link *link)
{
    size_t from = 0;
    if (!link->called)
        return link->name.length_bytes > 0 && fresh_is_fact(word_last_part(link->name));
    bool own = !fresh_is_module(link->name) && origins_function(origins, link->name, &from) != NULL;
    return !own && fresh_is_call(link->name, link->inner) && !is_list(origins, origins_owner(link->name));
}

static void add_call(struct origins *origins, uint32_t to, const struct link *link, unsigned depth)
{
    struct word function = link->name, last = word_last_part(function), owner = origins_owner(function);
    size_t from = 0;
    bool of_module = fresh_is_module(function);
    const struct origin_function *own = of_module ? NULL : origins_function(origins, last, &from);
    if (own != NULL && !own->is_class) {
        origins_add(origins, to, origins_name(origins, last, ORIGIN_RESULT));
        if (owner.length_bytes == 0 || word_is(owner, "self"))
            return;
    }
    if (own == NULL && is_foreign(function))
        origins_add(origins, to, ORIGIN_FOREIGN);
    if (owner.length_bytes > 0 && !of_module)
        origins_add_name(origins, to, owner);
    if (owner.length_bytes == 0 && own == NULL && origins->names[origins_name(origins, last, ORIGIN_VALUE)].bound)
        origins_add_name(origins, to, last);
    add_items(origins, to, link->inner, depth);
}

/* "name", and the calls, subscripts and attributes behind it; what stands before new memory is no matter. False: something else follows. */
static bool add_chain(struct origins *origins, uint32_t to, struct word value, unsigned depth)
{
    struct link link;
    size_t count = 0, old = 0;
    const char *end = word_end(value), *at = value.text;
    for (; next_link(&at, end, &link); count++)
        old = is_new(origins, &link) ? count + 1 : old;
    if (at < end)
        return false;
    at = value.text;
    for (size_t i = 0; next_link(&at, end, &link); i++) {
        if (i < old)
            continue;
        if (link.called)
            add_call(origins, to, &link, depth);
        else if (link.name.length_bytes > 0)
            origins_add_name(origins, to, link.name);
    }
    return true;
}

static void add_value(struct origins *origins, uint32_t to, struct word value, unsigned depth)
{
    value = word_trimmed(value.text, word_end(value));
    if (value.length_bytes == 0)
        return;
    struct word inner = word_in_bracket(value.text, word_end(value));
    if (*value.text == '(' && word_end(inner) + 1 == word_end(value) && depth < DEPTH_MAX) {
        add_value(origins, to, inner, depth + 1);
        return;
    }
    struct look look = look_at(origins, value);
    origins->names[to].lists |= look.shows || look.parts;
    if (depth < DEPTH_MAX && look.computes && !look.words && !look.parts && !look.shows) {
        origins->names[to].holds = true;
        return;
    }
    bool is_one = !look.computes && !look.words && !look.parts && !look.shows && depth < DEPTH_MAX;
    if (!is_one || !add_chain(origins, to, value, depth))
        add_all(origins, to, value);
    struct word name = word_name_at(value.text, word_end(value));
    bool is_number = name.length_bytes == value.length_bytes && isdigit((unsigned char)*value.text);
    bool called = word_end(name) < word_end(value) && *word_end(name) == '(', counts = called && fresh_is_number(name);
    static const char *const lists[] = {"list", "tuple", "sorted", "dict", "deque", "zip", "reversed"};
    origins->names[to].lists |= called && WORD_IS_ONE_OF(name, lists);
    origins->names[to].holds |= !is_number && !counts;
}

void origins_add_value(struct origins *origins, uint32_t to, struct word value)
{
    add_value(origins, to, value, 0);
}

static struct word parameter_of(struct word item)
{
    while (item.length_bytes > 0 && *item.text == '*')
        item = (struct word){item.text + 1, item.length_bytes - 1};
    return word_name_at(item.text, word_end(item));
}

/* Which parameter gets which argument: by place, or by name; whatever gets any where there are stars. */
static void hand_over(struct origins *origins, struct word parameters, struct word arguments, bool is_method)
{
    struct word names[ITEMS_MAX], values[ITEMS_MAX], keyword, value;
    size_t count = word_split(parameters, ',', names, ITEMS_MAX), given = word_split(arguments, ',', values, ITEMS_MAX);
    if (count == SIZE_MAX || given == SIZE_MAX) {
        origins->unclear = true;
        return;
    }
    size_t skipped = is_method && count > 0 ? 1 : 0;
    bool stars = memchr(arguments.text, '*', arguments.length_bytes) != NULL ||
                 memchr(parameters.text, '*', parameters.length_bytes) != NULL;
    for (size_t i = 0; i < given; i++) {
        bool named = word_assigned(values[i], &keyword, &value);
        for (size_t j = 0; j < count; j++) {
            struct word parameter = parameter_of(names[j]);
            bool meant = named ? word_equal(keyword, parameter) : j == i + skipped;
            if (!(meant || stars) || parameter.length_bytes == 0)
                continue;
            uint32_t to = origins_name(origins, parameter, ORIGIN_VALUE);
            origins->names[to].bound = true;
            origins_add_value(origins, to, named ? value : values[i]);
        }
    }
}

static bool takes_self(struct word parameters)
{
    struct word first = word_name_at(parameters.text, word_end(parameters));
    return word_is(first, "self") || word_is(first, "cls");
}

/* What others are handed they may keep: the object whose method it is, and they themselves. */
static void hand_to_others(struct origins *origins, struct word function, struct word arguments)
{
    struct word last = word_last_part(function), items[ITEMS_MAX], keyword, value;
    struct word owner = origins_owner(function), base = origins_base(owner);
    size_t count = word_split(arguments, ',', items, ITEMS_MAX);
    bool is_other = is_foreign(function);
    if (fresh_is_module(function) || fresh_is_call(function, arguments) || (!is_other && base.length_bytes == 0))
        return;
    for (size_t i = 0; i < count; i++) {
        struct word given = count == SIZE_MAX ? arguments : items[i];
        given = word_assigned(given, &keyword, &value) ? value : given;
        if (base.length_bytes > 0 && !word_equal(owner, origins->buffer)) {
            uint32_t to = origins_name(origins, base, ORIGIN_VALUE);
            origins->names[to].lists |= word_is(last, "append") || word_is(last, "extend");
            origins_add_value(origins, to, given);
        }
        if (is_other)
            origins_add_value(origins, ORIGIN_FOREIGN, given);
        if (count == SIZE_MAX)
            return;
    }
}

void origins_add_calls(struct origins *origins, struct word statement)
{
    const char *behind = statement.text;
    struct word name;
    for (bool is_called; origins_next_name(statement, &behind, &name, &is_called);) {
        size_t from = 0, constructors = 0;
        struct word last = word_last_part(name);
        struct origin_function *function = fresh_is_module(name) ? NULL : origins_function(origins, last, &from);
        if (!is_called) {
            for (; function != NULL; function = origins_function(origins, last, &from))
                function->known &= function->is_class;
            continue;
        }
        struct word arguments =
            word_in_bracket(word_skip_blanks(word_end(name), word_end(statement)), word_end(statement));
        if (function == NULL)
            hand_to_others(origins, name, arguments);
        for (; function != NULL; function = origins_function(origins, last, &from)) {
            struct origin_function *called = function;
            const char constructor[] = "__init__";
            while (!function->is_class ||
                   (called = origins_function(origins, (struct word){constructor, 8}, &constructors)) != NULL) {
                called->called = true;
                hand_over(origins, called->parameters, arguments, takes_self(called->parameters));
                if (!function->is_class)
                    break;
            }
        }
    }
}
