#include "findings/inputs_others.h"

#include <ctype.h>
#include <string.h>

#include "python/attribute.h"
#include "python/carried.h"
#include "python/code_facts.h"
#include "python/constructor.h"
#include "python/display.h"
#include "python/fresh.h"
#include "python/given.h"

static bool holds_text(struct word text, const char *wanted)
{
    return memmem(text.text, text.length_bytes, wanted, strlen(wanted)) != NULL;
}

/* "self.w = value", "self.w, self.b = value, 0": the value; all of it where it is not seen which is meant. */
static bool gives_attribute(struct word statement, struct word name, struct word *value)
{
    struct word target, targets[GIVEN_MAX], values[GIVEN_MAX];
    bool found = false;
    if (!word_assigned(statement, &target, value))
        return false;
    size_t count = word_split(target, ',', targets, GIVEN_MAX), given = word_split(*value, ',', values, GIVEN_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count && !found; i++) {
        found = word_equal(word_last_part(targets[i]), name);
        if (found && count == given)
            *value = values[i];
    }
    return found;
}

/* Does the statement take more of it than its sizes or its type, as "init(x.shape[1])" does? */
static bool takes_content(struct word statement, struct word name)
{
    for (const char *at = statement.text; (at = word_next_mention(statement, at, name)) != NULL; at++) {
        struct word whole = word_name_at(at, word_end(statement));
        size_t first = name.length_bytes + 1; /* behind the dot */
        bool is_fact = whole.length_bytes > first &&
                       fresh_is_fact(word_first_part((struct word){at + first, whole.length_bytes - first}));
        bool is_length = at - statement.text >= 4 && memcmp(at - 4, "len(", 4) == 0;
        if (!is_fact && !is_length)
            return true;
    }
    return false;
}

/* Do the files make a parameter of PyTorch's of the name, or nothing at all: the weight of a layer? Not where they freeze some. */
static bool is_parameter(const struct inputs_walk *walk, struct word name)
{
    static const char *const frozen[] = {"requires_grad_(False)", "requires_grad = False", "requires_grad=False"};
    static const char *const of_layers[] = {"weight", "bias"};
    bool made = false, given = false;
    for (size_t i = 0; i < walk->code_count; i++) {
        struct word rest = code_text(walk->codes[i]->code), statement, value;
        for (size_t k = 0; k < sizeof(frozen) / sizeof(frozen[0]); k++)
            if (holds_text(rest, frozen[k]))
                return false;
        while (word_next_statement(&rest, &statement)) {
            made |= holds_text(statement, "requires_grad_()") && takes_content(statement, name);
            if (gives_attribute(statement, name, &value)) {
                given = true;
                made |= holds_text(value, "Parameter(") || holds_text(value, "requires_grad=True");
            }
        }
    }
    return made || (!given && WORD_IS_ONE_OF(name, of_layers));
}

/* Is it given an object of a class, as a layer or a network is: "self.encoder = nn.Linear(3, 4)", "model = Net()"? */
static bool is_made_of_class(const struct inputs_walk *walk, struct word name)
{
    struct word function, arguments;
    bool is_made = false;
    for (size_t i = 0; i < walk->code_count; i++) {
        struct word rest = code_text(walk->codes[i]->code), statement, value;
        while (word_next_statement(&rest, &statement))
            if (memmem(statement.text, statement.length_bytes, name.text, name.length_bytes) != NULL &&
                gives_attribute(statement, name, &value))
                is_made |=
                    word_call(value, &function, &arguments) && isupper((unsigned char)*word_last_part(function).text);
    }
    return is_made;
}

/* "net" of "def decide(net, x): return net(x)": what is handed in and called. */
static bool is_handed(const struct inputs_walk *walk, struct word name)
{
    for (size_t i = 0; i < walk->top; i++) {
        const struct kept_level *level = &walk->ways.levels[i];
        if (level->code != NULL && level->def > 0 && kept_is_parameter(level->code, level->def, name))
            return true;
    }
    return false;
}

bool inputs_is_object(const struct inputs_walk *walk, struct word name)
{
    return is_handed(walk, name) || is_made_of_class(walk, name);
}

static bool knows_torch(const struct inputs_walk *walk)
{
    bool knows = false;
    for (size_t i = 0; i < walk->code_count && !knows; i++)
        knows = holds_text(code_text(walk->codes[i]->code), "torch");
    return knows;
}

/* What an optimizer steps in the loop changes with each pass, unless some of it is frozen. */
static bool calls_stepped(const struct inputs_walk *walk, struct word name, bool is_plain)
{
    for (size_t i = 0; i < walk->code_count; i++)
        if (holds_text(code_text(walk->codes[i]->code), "requires_grad"))
            return false;
    return region_steps(walk->region) && knows_torch(walk) &&
           (is_made_of_class(walk, name) || (is_plain && is_handed(walk, name)));
}

/* ... which steps of an optimizer in the loop change. */
bool inputs_is_stepped(const struct inputs_walk *walk, struct word name)
{
    return region_steps(walk->region) && (word_is(name, "grad") || is_parameter(walk, name));
}

/* Is nothing known to change an attribute of that name, or to take anything out of it? */
static bool is_left_alone(const struct inputs_walk *walk, struct word attribute)
{
    bool is_alone = !region_of_attribute(walk->region, attribute).changes;
    for (size_t i = 0; i < walk->code_count && is_alone; i++) {
        const struct source *code = walk->codes[i]->code;
        is_alone = attribute_is_operand(code, attribute) && !display_holds(code_text(code), attribute);
    }
    return is_alone;
}

/* "self.x = x" is all that the constructor of a class does with it, and nobody changes that attribute. */
static bool is_only_kept(const struct inputs_walk *walk, const struct handed *handed)
{
    int32_t def = 0;
    struct word attribute = {0};
    const struct source *code = NULL;
    for (size_t i = 0; i < walk->code_count && def == 0; i++) {
        def = constructor_of(walk->codes[i], word_last_part(handed->function));
        code = walk->codes[i]->code;
    }
    if (def == 0)
        return false;
    struct word parameter = kept_parameter(code, def, handed->place + 1, handed->keyword);
    return parameter.length_bytes > 0 && constructor_keeps(code, def, parameter, &attribute) &&
           (attribute.length_bytes == 0 || is_left_alone(walk, attribute));
}

static bool puts_away(const struct inputs_walk *walk, struct word text, struct word name)
{
    struct handed handed;
    if (display_holds(text, name))
        return true;
    while (display_next_class(&text, name, &handed))
        if (!is_only_kept(walk, &handed))
            return true;
    return false;
}

/* "[w, b]", "{'w': w}", "return w, b", "Sgd(w)": is it put into a container? An attribute by any file, another name where it is known. */
static bool is_put_away(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct word name = word_last_part(item->name);
    struct region_span own = item->def > 0 ? region_function(item->code, item->def) : (struct region_span){0};
    if (name.text == item->name.text)
        return puts_away(walk, item->def > 0 ? region_rows(&own) : code_text(item->code), name);
    for (size_t i = 0; i < walk->code_count; i++)
        if (puts_away(walk, code_text(walk->codes[i]->code), name))
            return true;
    return false;
}

/* "w" of "self.layer.w", or one of the others. */
static bool has_stepped_part(const struct inputs_walk *walk, struct word dotted)
{
    for (const char *at = dotted.text; at < word_end(dotted);) {
        struct word part = word_first_part((struct word){at, (size_t)(word_end(dotted) - at)});
        if (inputs_is_stepped(walk, part))
            return true;
        at = word_end(part) + 1;
    }
    return false;
}

/* What a function on the way, or one that it calls, makes itself is another in each pass; what it is handed is asked where it is from. */
static bool is_kept_over(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct word name = word_first_part(item->name);
    struct carried carried;
    if (name.length_bytes < item->name.length_bytes)
        return true;
    if (item->level != walk->top || !walk->is_looped)
        return code_gives(item->code, 0, name) && (item->def == 0 || !region_is_local(item->code, item->def, name));
    carried_read(&carried, inputs_rows(walk, item), name);
    return !carried.given;
}

/* By ways that go round its name. */
static bool is_changed_by_others(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct word name = word_last_part(item->name);
    bool is_attribute = name.text != item->name.text;
    if (item->code == NULL)
        return calls_stepped(walk, item->name, item->is_plain);
    return !inputs_is_imported(walk, item) &&
           (has_stepped_part(walk, item->name) ||
            (region_stores_items(walk->region) && is_kept_over(walk, item) && is_put_away(walk, item)) ||
            (is_attribute && region_gives_by_name(walk->region, name)));
}

/* All of the program is looked through for it: to be asked last. */
bool inputs_change_by_others(const struct inputs_walk *walk)
{
    bool changed = false;
    for (size_t i = 0; i < walk->count && !changed; i++)
        changed = is_changed_by_others(walk, &walk->items[i]);
    return changed;
}
