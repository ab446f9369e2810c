#include "findings/inputs_object.h"

#include <ctype.h>

#include "python/code_facts.h"
#include "python/given.h"
#include "python/inputs.h"

#define TARGETS_MAX 16u
#define CONSTRUCTORS_MAX 64u /* of a file: bounds what a hostile text costs */

/* What a call hands to a constructor, as the item's function knows it. */
struct made {
    const struct source *code; /* the constructor's */
    int32_t def;
    struct word arguments;
    const struct inputs_item *of;
};

/* What is handed in for the parameters that `value` is made of. */
static void add_arguments(struct inputs_walk *walk, const struct made *made, struct word value)
{
    struct input input;
    for (const char *at = value.text; inputs_next(value, &at, &input);) {
        struct parameter parameter;
        if (!given_parameter(made->code, made->def, input.name, &parameter))
            continue;
        struct word argument = given_argument(made->arguments, &parameter, input.name);
        inputs_add_text(walk, argument.length_bytes != SIZE_MAX ? argument : made->arguments, made->of);
    }
}

/* "self.w, self.b = w, b" gives the one what is made of w. */
static void add_given(struct inputs_walk *walk, const struct made *made, struct word attribute)
{
    struct region_span body = region_function(made->code, made->def);
    struct word rows = region_rows(&body), statement, target, value, targets[TARGETS_MAX], values[TARGETS_MAX];
    if (word_find(rows, rows.text, attribute) == NULL)
        return;
    while (word_next_statement(&rows, &statement)) {
        if (word_mentions(statement, attribute) == 0 || !word_assigned(statement, &target, &value))
            continue;
        size_t count = word_split(target, ',', targets, TARGETS_MAX);
        size_t given = word_split(value, ',', values, TARGETS_MAX);
        for (size_t i = 0; count != SIZE_MAX && i < count; i++)
            if (word_equal(targets[i], attribute))
                add_arguments(walk, made, given == count ? values[i] : value);
    }
}

void inputs_add_made_of(struct inputs_walk *walk, struct word made, const struct inputs_item *of, struct word attribute)
{
    static const struct word constructor = {"__init__", 8};
    struct word function, arguments;
    made = word_trimmed(made.text, word_end(made));
    while (word_last_call(made, &function, &arguments) && function.text > made.text) /* "Tree(w).fit(x)" is that tree */
        made.length_bytes = (size_t)(function.text - made.text) - 1;
    if (!word_last_call(made, &function, &arguments)) {
        struct inputs_item holder = *of;
        holder.name = word_name_at(made.text, word_end(made));
        bool is_plain = word_last_part(holder.name).text == holder.name.text;
        if (is_plain && word_end(holder.name) < word_end(made) && *word_end(holder.name) == '[')
            inputs_add(walk, holder);
        return;
    }
    if (!isupper((unsigned char)*word_last_part(function).text)) /* no class */
        return;
    for (size_t i = 0; i < walk->code_count; i++) {
        size_t count = 0;
        const struct code_function *const *constructors = code_index_named(walk->codes[i], constructor, &count);
        for (size_t k = 0; k < count && k < CONSTRUCTORS_MAX; k++) {
            const struct made by = {walk->codes[i]->code, constructors[k]->def, arguments, of};
            add_given(walk, &by, attribute);
        }
    }
}

void inputs_add_unnamed(struct inputs_walk *walk, const struct inputs_item *item, struct word attribute)
{
    struct word function, arguments;
    struct inputs_item of = inputs_owner(walk, item);
    if (of.code == NULL || of.name.length_bytes > 0)
        return;
    const struct word call = walk->ways.levels[of.level].call;
    if (word_last_call(call, &function, &arguments) && function.text > call.text &&
        word_equal(word_last_part(function), code_name_of(item->code, item->def)))
        inputs_add_made_of(walk, (struct word){call.text, (size_t)(function.text - call.text) - 1}, &of, attribute);
}
