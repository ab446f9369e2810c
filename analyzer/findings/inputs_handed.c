#include "findings/inputs_handed.h"

#include <ctype.h>
#include <string.h>

#include "python/carried.h"
#include "python/code_facts.h"
#include "python/constructor.h"
#include "python/given.h"
#include "python/handed.h"
#include "python/scope.h"
#include "python/view_name.h"

#define DEPTH_MAX 3u
#define FUNCTIONS_MAX 8u /* of one name */
#define BESIDE_MAX 32u   /* names in a statement that may be functions; all these bound what a hostile text costs */
#define BEFORE_BYTES_MAX 65536u /* before a loop: what stands in more may do anything */
#define ARGUMENTS_MAX 16u       /* of a constructor */
#define PLACES_MAX 4u           /* of a function that is handed on, so many are looked at */

static bool changes(const struct inputs_walk *walk, struct word rows, struct word name, unsigned depth);
static bool is_kept_and_changed(const struct inputs_walk *walk, struct word statement, struct word name);

static bool is_imported(const struct inputs_walk *walk, struct word name)
{
    for (size_t i = 0; i < walk->region->code_count; i++)
        if (code_index_imports(walk->region->codes[i], name))
            return true;
    return false;
}

/* "net.step(x)", "Net().step(x)" call a method, "step(x)" and "ops.step(x)" a function; "Net.step(net, x)" and what has no name may be either. */
static bool may_be_it(const struct inputs_walk *walk, const struct handed *handed, bool is_method)
{
    const struct word function = handed->function;
    struct word last = word_last_part(function), first = word_first_part(function);
    bool is_plain = last.text == function.text;
    if (function.length_bytes == 0 || (!is_plain && (isupper((unsigned char)*first.text) || is_imported(walk, first))))
        return true;
    bool is_of_object = !is_plain || handed->is_behind_dot;
    return is_of_object == is_method;
}

/* Does the function whose "def" stands there change in place what it is handed? */
static bool changes_in(const struct inputs_walk *walk, const struct source *code, int32_t def,
                       const struct handed *handed, unsigned depth)
{
    struct parameter own = {0};
    struct region_span body = region_function(code, def);
    given_parameter(code, def, (struct word){"", 0}, &own);
    if (!may_be_it(walk, handed, own.of_object))
        return false;
    struct word parameter = kept_parameter(code, def, handed->place + own.of_object, handed->keyword);
    const struct carried *carried = inputs_memo_carried(walk->memo, region_rows(&body), parameter);
    bool augments = carried->augmented && !given_is_number(code, def, parameter);
    bool stores = !carried->given && (carried->stored || augments);
    return parameter.length_bytes > 0 && (stores || changes(walk, region_rows(&body), parameter, depth + 1));
}

/* Does one of the files' functions of that name? `*is_known`: there is one. */
static bool function_changes(const struct inputs_walk *walk, struct word function, const struct handed *handed,
                             unsigned depth, bool *is_known)
{
    bool found = false;
    for (size_t i = 0; i < walk->region->code_count; i++) {
        size_t count = 0;
        const struct code_function *const *functions =
            code_index_named(walk->region->codes[i], word_last_part(function), &count);
        *is_known |= count > 0;
        for (size_t k = 0; k < count && k < FUNCTIONS_MAX && !found; k++)
            found = changes_in(walk, walk->region->codes[i]->code, functions[k]->def, handed, depth);
    }
    return found;
}

/* "callback = None", "f = lambda p: p.sum()", "timer = Timer()": what is given so changes nothing that is seen. */
static bool is_given_harmless(const struct source *code, int32_t def, struct word name)
{
    struct given given = {.count = 0};
    if (def > 0)
        given_in_function(code, def, name, &given);
    if (given.count == 0 && !given.open)
        given_in_module(code, name, &given);
    bool harmless = given.count > 0 && !given.open;
    for (size_t i = 0; i < given.count && harmless; i++) {
        struct word function = word_name_at(given.values[i].text, word_end(given.values[i]));
        harmless = word_is(function, "None") || word_is(function, "lambda") ||
                   isupper((unsigned char)*word_last_part(function).text);
    }
    return harmless;
}

/* A parameter is what callers hand in: a callback as a rule. */
static bool is_variable(const struct inputs_walk *walk, struct word name)
{
    for (size_t i = 0; i < walk->region->code_count; i++) {
        const struct source *code = walk->region->codes[i]->code;
        if (name.text < code->text || name.text >= code->text + code->length_bytes)
            continue;
        int32_t def = scope_function(code, code_row(code, name.text));
        return (def == 0 || !kept_is_parameter(code, def, name)) && !is_given_harmless(code, def, name);
    }
    return false;
}

/* "f(p)", all of the statement, where no text says what f is: some variable's function, called for what it does. */
static bool is_for_its_effect(const struct inputs_walk *walk, struct word statement, const struct handed *handed)
{
    const char *end = word_end(statement);
    bool is_all = handed->arguments.text != NULL && word_end(handed->arguments) + 1 == end;
    if (!is_all || (handed->function.length_bytes > 0 && handed->function.text != statement.text))
        return false;
    struct word first = word_name_at(statement.text, end);
    return (handed->function.length_bytes == 0 && !handed_is_of_arrays(first)) ||
           (handed->function.length_bytes > 0 && word_last_part(handed->function).text == handed->function.text &&
            !isupper((unsigned char)*handed->function.text) && !is_imported(walk, handed->function) &&
            is_variable(walk, handed->function));
}

/* "step" of "map(step, ps)", "Thread(target=step, args=(p,))": functions that stand beside the name, not called there. */
static bool changes_beside(const struct inputs_walk *walk, struct word statement, struct word name, unsigned depth)
{
    const char *end = word_end(statement);
    unsigned looked_at = 0;
    for (const char *at = statement.text; at < end && looked_at < BESIDE_MAX;) {
        struct word other = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = word_skip_blanks(word_end(other), end);
        bool stands =
            other.length_bytes > 0 && !word_equal(other, name) && behind < end && (*behind == ',' || *behind == ')');
        bool is_known = false;
        looked_at += stands ? 1 : 0;
        for (size_t place = 0; stands && place < PLACES_MAX; place++) {
            struct handed handed = {.function = other, .keyword = {other.text, 0}, .place = place};
            if (function_changes(walk, other, &handed, depth, &is_known))
                return true;
            stands = is_known;
        }
        at = other.length_bytes > 0 ? word_end(other) : at + 1;
    }
    return false;
}

static bool statement_changes(const struct inputs_walk *walk, struct word statement, struct word name, unsigned depth)
{
    struct handed handed;
    bool is_known = false;
    statement = word_trimmed(statement.text, word_end(statement));
    if (!handed_find_item(statement, name, &handed))
        return changes_beside(walk, statement, name, depth);
    return (handed.function.length_bytes > 0 && function_changes(walk, handed.function, &handed, depth, &is_known)) ||
           (!is_known && is_for_its_effect(walk, statement, &handed)) || changes_beside(walk, statement, name, depth);
}

/* Where `before` the loop a name is given to a part, its rows may give that another value first. */
static bool part_changes(const struct inputs_walk *walk, struct word rows, struct word part, unsigned depth,
                         bool before)
{
    if (!before)
        return changes(walk, rows, part, depth + 1);
    return !inputs_memo_carried(walk->memo, rows, part)->given &&
           (carried_is_stored(rows, part) || changes(walk, rows, part, depth + 1));
}

/* Of the statements in `text`, which are the rows themselves, or stand before them. */
static bool text_changes(const struct inputs_walk *walk, struct word text, struct word rows, struct word name,
                         unsigned depth)
{
    const bool before = text.text != rows.text;
    struct word statement;
    struct words parts;
    bool found = false;
    while (!found && word_next_statement(&text, &statement)) {
        if (word_mentions(statement, name) == 0)
            continue;
        view_parts(statement, name, &parts);
        for (size_t i = 0; i < parts.count && !found; i++)
            found = part_changes(walk, rows, parts.words[i], depth, before);
        found = found ||
                (before ? is_kept_and_changed(walk, statement, name) : statement_changes(walk, statement, name, depth));
    }
    return found;
}

static uint64_t files_of(const struct inputs_walk *walk)
{
    uint64_t files = walk->region->code_count;
    for (size_t i = 0; i < walk->region->code_count; i++)
        files = hash_mix(files ^ (uintptr_t)walk->region->codes[i]);
    return files;
}

static bool changes(const struct inputs_walk *walk, struct word rows, struct word name, unsigned depth)
{
    bool is_new = false;
    if (depth >= DEPTH_MAX)
        return false;
    bool *found = inputs_memo_changed(walk->memo, rows, name, hash_mix(files_of(walk) + depth), &is_new);
    if (is_new)
        *found = text_changes(walk, rows, rows, name, depth);
    return *found;
}

bool handed_changes(const struct inputs_walk *walk, struct word rows, struct word name)
{
    return changes(walk, rows, name, 0);
}

bool handed_attribute_changes(const struct inputs_walk *walk, struct word name)
{
    struct words dotted;
    bool found = false;
    for (size_t i = 0; i < walk->region->count && !found; i++) {
        struct word rows = region_rows(&walk->region->spans[i]);
        region_find_dotted(rows, name, &dotted);
        for (size_t k = 0; k < dotted.count && !found; k++)
            found = changes(walk, rows, dotted.words[k], 0);
    }
    return found;
}

/* What an object keeps that was handed it: does a pass hand that attribute to what changes it? Stores are asked for by other ways. */
static bool keeper_changes(const struct inputs_walk *walk, struct word class_name, size_t place, struct word keyword)
{
    bool found = false;
    for (size_t i = 0; i < walk->region->code_count && !found; i++) {
        const struct source *code = walk->region->codes[i]->code;
        int32_t def = constructor_of(walk->region->codes[i], class_name);
        struct word attribute, parameter = def > 0 ? kept_parameter(code, def, place + 1, keyword) : (struct word){0};
        if (parameter.length_bytes > 0 && constructor_keeps(code, def, parameter, &attribute) &&
            attribute.length_bytes > 0)
            found = handed_attribute_changes(walk, attribute);
    }
    return found;
}

/* "optimizer = Sgd([w], 0.1)", "layer = Layer(w)" */
static bool is_kept_and_changed(const struct inputs_walk *walk, struct word statement, struct word name)
{
    struct word target, value, function, arguments, items[ARGUMENTS_MAX];
    if (!word_assigned(statement, &target, &value) || !word_call(value, &function, &arguments) ||
        !isupper((unsigned char)*word_last_part(function).text))
        return false;
    size_t count = word_split(arguments, ',', items, ARGUMENTS_MAX), length = 0;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        struct word item = items[i], keyword = {item.text, 0};
        const char *sign = word_assignment(item, &length);
        if (sign != NULL) {
            keyword = word_trimmed(item.text, sign);
            item = word_trimmed(sign + length, word_end(item));
        }
        bool is_it = word_equal(item, name) ||
                     (item.length_bytes > 0 && strchr("[(", *item.text) != NULL && word_mentions(item, name) > 0);
        if (is_it && keeper_changes(walk, word_last_part(function), i, keyword))
            return true;
    }
    return false;
}

bool handed_before_changes(const struct inputs_walk *walk, const struct inputs_item *item)
{
    struct region_span before = {item->code, item->def, item->def > 0 ? item->def : 1, walk->loop.first - 1, false};
    bool is_new = false;
    if (item->level != walk->top || !walk->is_looped || before.last < before.first)
        return false;
    struct word text = region_rows(&before), rows = inputs_rows(walk, item);
    if (text.length_bytes > BEFORE_BYTES_MAX)
        return true;
    uint64_t asked = hash_mix(files_of(walk) ^ hash_mix((uintptr_t)rows.text ^ hash_mix(rows.length_bytes)));
    bool *found = inputs_memo_changed(walk->memo, text, item->name, asked, &is_new);
    if (is_new)
        *found = text_changes(walk, text, rows, item->name, 0);
    return *found;
}
