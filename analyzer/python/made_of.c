#include "python/made_of.h"

#include "python/carried.h"
#include "python/code_facts.h"
#include "python/given.h"
#include "python/inputs.h"
#include "python/region.h"
#include "python/scope.h"

struct walk {
    const struct source *code;
    int32_t def;
    struct word header, body; /* of the function */
    struct words names;       /* all that were met; the first `read` of them are followed */
    size_t read;
};

/* False: there is no room for another. */
static bool meet(struct walk *walk, struct word name)
{
    if (name.length_bytes == 0 || words_hold(&walk->names, name))
        return true;
    bool has_room = walk->names.count < WORDS_MAX;
    words_add(&walk->names, name);
    return has_room;
}

static bool meet_all(struct walk *walk, struct word expression)
{
    struct input input;
    for (const char *at = expression.text; inputs_next(expression, &at, &input);)
        if (!meet(walk, word_first_part(input.name.length_bytes > 0 ? input.name : input.called)))
            return false;
    return true;
}

/* Is it a variable of a function around, of which two executions may have two? */
static bool is_of_outer(const struct walk *walk, struct word name)
{
    struct parameter parameter;
    for (int32_t def = walk->def; (def = given_definition_around(walk->code, def)) > 0;)
        if (given_parameter(walk->code, def, name, &parameter) || region_is_local(walk->code, def, name))
            return true;
    return false;
}

/* How often a loop gives a value depends on what it goes through. False: whether another suite does is not followed. */
static bool meet_loops(struct walk *walk, struct word value)
{
    size_t indent = 0;
    for (int32_t row = code_row(walk->code, value.text); (row = scope_header(walk->code, row)) > walk->def;) {
        struct word header = code_row_text(walk->code, row, &indent),
                    keyword = word_name_at(header.text, word_end(header));
        if (!word_is(keyword, "with") && (!word_is(keyword, "for") || !meet_all(walk, header)))
            return false;
    }
    return true;
}

static bool follow(struct walk *walk, struct word name, struct words *parameters)
{
    struct carried carried;
    struct parameter parameter;
    carried_read(&carried, walk->body, name);
    if (carried.stored || carried.augmented || carried.managed)
        return false;
    if (given_parameter(walk->code, walk->def, name, &parameter)) {
        bool has_room = parameters->count < WORDS_MAX;
        words_add(parameters, name);
        return has_room && !carried.given;
    }
    if (!carried.given) /* "*name" may be anything, too */
        return word_mentions(walk->header, name) == 0 && !is_of_outer(walk, name);
    bool is_followed = carried.value_count < CARRIED_VALUES_MAX;
    for (size_t i = 0; i < carried.value_count && is_followed; i++)
        is_followed = meet_all(walk, carried.values[i]) && meet_loops(walk, carried.values[i]);
    return is_followed;
}

bool made_of_parameters(const struct source *code, int32_t def, struct word expression, struct words *parameters)
{
    struct region_span span = region_function(code, def);
    struct walk walk = {.code = code, .def = def, .body = region_rows(&span)};
    bool is_followed = word_next_statement(&walk.body, &walk.header) && meet_all(&walk, expression);
    while (is_followed && walk.read < walk.names.count)
        is_followed = follow(&walk, walk.names.words[walk.read++], parameters);
    return is_followed;
}

bool made_of_is_stored_into(const struct source *code, int32_t def, struct word expression)
{
    struct region_span span = region_function(code, def);
    struct word rest = region_rows(&span), statement = rest, target, value, targets[WORDS_MAX];
    while (word_next_statement(&rest, &statement) && word_end(statement) < word_end(expression))
        ;
    bool is_given = word_assigned(word_trimmed(statement.text, word_end(statement)), &target, &value);
    size_t count = is_given ? word_split(target, ',', targets, WORDS_MAX) : 0;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (carried_is_stored(region_rows(&span), targets[i]))
            return true;
    return count == SIZE_MAX;
}
