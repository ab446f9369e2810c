#include "python/constructor.h"

#include <string.h>

#include "python/class_attribute.h"
#include "python/given.h"
#include "python/inputs.h"
#include "python/region.h"

int32_t constructor_of(const struct code_index *index, struct word class_name)
{
    static const struct word constructor = {"__init__", 8};
    size_t count = 0;
    int32_t found = 0;
    const struct code_function *const *functions = code_index_named(index, constructor, &count);
    for (size_t i = 0; i < count; i++) {
        if (!word_equal(class_around(index->code, functions[i]->def), class_name))
            continue;
        if (found > 0)
            return 0;
        found = functions[i]->def;
    }
    return found;
}

static bool takes(struct word text, struct word name)
{
    struct input input;
    bool found = false;
    for (const char *at = text.text; !found && inputs_next(text, &at, &input);)
        found = word_equal(word_first_part(input.name), name);
    return found;
}

/* "self.x = x", "self.x, self.k = x, 3": may add to what is kept; false where it does anything else with it. */
static bool keeps(struct word statement, struct word parameter, struct word *attribute)
{
    struct word target, value, targets[GIVEN_MAX], values[GIVEN_MAX];
    if (!word_assigned(statement, &target, &value))
        return !takes(statement, parameter);
    size_t count = word_split(target, ',', targets, GIVEN_MAX), given = word_split(value, ',', values, GIVEN_MAX);
    if (count == SIZE_MAX || count != given)
        return !takes(statement, parameter);
    for (size_t i = 0; i < count; i++) {
        struct word last = word_last_part(targets[i]);
        bool is_kept = word_equal(values[i], parameter) && last.text > targets[i].text && attribute->length_bytes == 0;
        if (is_kept)
            *attribute = last;
        else if (takes(targets[i], parameter) || takes(values[i], parameter))
            return false;
    }
    return true;
}

bool constructor_keeps(const struct source *code, int32_t def, struct word parameter, struct word *attribute)
{
    struct region_span span = region_function(code, def);
    struct word rest = region_rows(&span), statement;
    *attribute = (struct word){parameter.text, 0};
    bool only_keeps = word_next_statement(&rest, &statement); /* the "def" itself */
    while (only_keeps && word_next_statement(&rest, &statement))
        only_keeps = keeps(statement, parameter, attribute);
    return only_keeps;
}
