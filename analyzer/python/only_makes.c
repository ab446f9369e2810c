#include "python/only_makes.h"

#include <string.h>

#include "python/array_value.h"
#include "python/given.h"
#include "python/region.h"
#include "python/stores.h"

#define ITEMS_MAX 8u
#define SHARED_DEPTH_MAX 4u

/* The function's text, and where its "def" stands. */
struct body {
    const struct source *code;
    int32_t def;
    struct word rows;
    bool may_evaluate;
};

/* "name = ...", "a, name = ...", "for name in ...": not "name[0] = ...", nor "name += ...". */
static bool gives_anew(struct word text, struct word name)
{
    size_t length = 0;
    return word_assignment(text, &length) != NULL ? stores_effect(text, name) == STORE_REBINDS : word_gives(text, name);
}

/* "self.h" of "state = self.h": what that stands for has another name, or is a part of what has. */
static struct word shared_by(struct word text, struct word name)
{
    struct word target, given, none = {text.text, 0};
    if (!word_assigned(text, &target, &given) || !word_equal(target, name))
        return none;
    struct value value = value_of(given);
    return value.kind == VALUE_SHARED ? value.name : none;
}

static bool is_own_within(const struct body *body, struct word name, unsigned depth)
{
    struct parameter parameter;
    struct word rest = body->rows, statement;
    bool is_given = false;
    if (name.length_bytes == 0 || depth > SHARED_DEPTH_MAX || given_parameter(body->code, body->def, name, &parameter))
        return false;
    while (word_next_statement(&rest, &statement)) {
        struct word text = word_trimmed(statement.text, word_end(statement));
        if (!gives_anew(text, name))
            continue;
        is_given = true;
        struct word of = shared_by(text, name), root = word_first_part(of);
        if (of.length_bytes > 0 && (!word_equal(of, root) || !is_own_within(body, of, depth + 1)))
            return false;
    }
    return is_given;
}

/* A name that the function gives something itself, and that it was not handed: "seen[0] += 1" alone is of somebody else's. */
static bool is_own(const struct body *body, struct word name)
{
    return is_own_within(body, name, 0);
}

static struct word root_of(struct word text)
{
    return word_first_part(word_name_at(text.text, word_end(text)));
}

/* "a, b[0] = ...": names, and parts of what is its own. */
static bool stores_at_home(const struct body *body, struct word targets)
{
    struct word items[ITEMS_MAX];
    size_t count = word_split(targets, ',', items, ITEMS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        struct word item = word_trimmed(items[i].text, word_end(items[i]));
        struct word name = word_name_at(item.text, word_end(item));
        bool is_plain = word_equal(name, word_first_part(name));
        if (!is_plain || (!word_equal(name, item) && !is_own(body, name)))
            return false;
    }
    return count != SIZE_MAX;
}

/* "x += value": of a number, or what is its own. */
static bool augments_at_home(const struct body *body, struct word target)
{
    return is_own(body, root_of(target)) || given_is_number(body->code, body->def, target);
}

/* "a = self.b = value", "x[0] = value", "x += value", where x was handed in. */
static bool stores_elsewhere(const struct body *body, struct word text)
{
    size_t length = 0;
    const char *sign;
    while ((sign = word_assignment(text, &length)) != NULL) {
        struct word targets = word_trimmed(text.text, sign);
        bool augments = length > 1 && *sign != ':';
        if (!stores_at_home(body, targets) || (augments && !augments_at_home(body, targets)))
            return true;
        text = (struct word){sign + length, (size_t)(word_end(text) - sign) - length};
    }
    return false;
}

/* "mask.fill_(0)" and "np.fill_diagonal(mask, 0)" work in what is its own; "seen.append(x)" and "print(x)" do more. */
static bool acts_elsewhere(const struct body *body, struct word text)
{
    static const char *const modules[] = {"np", "numpy", "torch"};
    size_t length = 0;
    struct word name = word_name_at(text.text, word_end(text));
    const char *open = word_end(name);
    if (name.length_bytes == 0 || word_is_keyword(name) || word_assignment(text, &length) != NULL ||
        open == word_end(text))
        return false;
    if (*open == '[') /* "self.kept[0].copy_(x)" */
        return !is_own(body, word_first_part(name));
    if (*open != '(')
        return false;
    struct word arguments = word_in_bracket(open, word_end(text));
    if (body->may_evaluate && word_is(word_last_part(name), "eval") && arguments.length_bytes == 0)
        return false;
    struct word root = word_first_part(name), first = root_of(arguments);
    bool is_function = WORD_IS_ONE_OF(root, modules) && !word_equal(root, name);
    return !is_own(body, is_function ? first : root);
}

static bool is_more(const struct body *body, struct word text)
{
    static const char *const more[] = {"await", "global", "nonlocal", "del"};
    return WORD_IS_ONE_OF(word_name_at(text.text, word_end(text)), more) ||
           memmem(text.text, text.length_bytes, "yield", 5) != NULL || stores_elsewhere(body, text) ||
           acts_elsewhere(body, text);
}

/* `name`: all that it may return; empty: whatever it is. */
static bool only_makes(const struct source *code, int32_t def, struct word name, bool may_evaluate)
{
    struct region_span span = region_function(code, def);
    struct body body = {code, def, region_rows(&span), may_evaluate};
    struct word rest = body.rows, statement;
    bool returns = false, is_header = true;
    size_t given = 0;
    while (word_next_statement(&rest, &statement)) {
        struct word text = word_trimmed(statement.text, word_end(statement));
        struct word first = word_name_at(text.text, word_end(text));
        if (!is_header && is_more(&body, text))
            return false;
        given += name.length_bytes > 0 && gives_anew(text, name) ? 1 : 0;
        if (word_is(first, "return")) {
            struct word value = word_trimmed(word_end(first), word_end(text));
            returns = returns || value.length_bytes > 0;
            if (name.length_bytes > 0 && !word_equal(value, name))
                return false;
        }
        is_header = false;
    }
    return returns && given <= 1;
}

bool function_only_makes(const struct source *code, int32_t def)
{
    return only_makes(code, def, (struct word){0}, false);
}

bool function_only_evaluates(const struct source *code, int32_t def)
{
    return only_makes(code, def, (struct word){0}, true);
}

bool function_only_makes_one(const struct source *code, int32_t def, struct word name)
{
    return only_makes(code, def, name, false);
}
