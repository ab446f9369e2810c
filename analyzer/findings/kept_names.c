#include "findings/kept_names.h"

#include <string.h>

#include "python/array_value.h"
#include "python/code_facts.h"
#include "python/scope.h"

struct kept_name *kept_add_name(struct kept_search *search, enum kept_name_kind kind, const struct source *code,
                                struct word word)
{
    for (size_t i = 0; i < search->count; i++) {
        struct kept_name *name = &search->names[i];
        if (name->kind == kind && name->code == code && !name->is_origin && word_equal(name->word, word))
            return name;
    }
    if (search->count == KEPT_NAMES_MAX || word.length_bytes == 0 || code_is_open(code)) {
        search->failed = true;
        return NULL;
    }
    search->names[search->count] = (struct kept_name){.kind = kind, .code = code, .word = word};
    return &search->names[search->count++];
}

/* The level whose function that is; SIZE_MAX: none. */
size_t kept_level_at(const struct kept_search *search, const struct source *code, int32_t def)
{
    for (size_t i = 0; i < search->ways->count; i++)
        if (search->ways->levels[i].code == code && search->ways->levels[i].def == def)
            return i;
    return SIZE_MAX;
}

/* An entry of its own: what it is given counts. False: it is there. */
static bool add_giver(struct kept_search *search, enum kept_name_kind kind, const struct source *code, int32_t def,
                      struct word word)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct kept_name *name = &search->names[i];
        if (name->is_origin && name->kind == kind && name->code == code && name->def == def &&
            word_equal(name->word, word))
            return false;
    }
    if (search->count == KEPT_NAMES_MAX || word.length_bytes == 0 || code_is_open(code)) {
        search->failed = true;
        return false;
    }
    search->names[search->count++] =
        (struct kept_name){.kind = kind, .code = code, .word = word, .def = def, .is_origin = true};
    return true;
}

/* Whatever the file's calls of a function that has ended hand in for a parameter. False where there are none. */
static bool find_handed(struct kept_search *search, const struct source *code, int32_t def, struct word parameter)
{
    struct word rest = code_text(code), statement, name = code_name_of(code, def);
    bool found = false;
    while (name.length_bytes > 0 && word_next_statement(&rest, &statement)) {
        const char *at = memmem(statement.text, statement.length_bytes, name.text, name.length_bytes);
        if (at == NULL || word_mentions(statement, name) == 0 ||
            word_is(word_name_at(word_skip_blanks(statement.text, word_end(statement)), word_end(statement)), "def"))
            continue;
        const char *open = word_skip_blanks(at + name.length_bytes, word_end(statement));
        if (word_mentions(statement, name) > 1 || open == word_end(statement) || *open != '(')
            return false;
        struct word argument = kept_handed(code, def, word_in_bracket(open, word_end(statement)), parameter);
        if (argument.length_bytes == 0 || !kept_find_origin(search, code, argument))
            return false;
        found = true;
    }
    return found;
}

/* Of a parameter: from the caller of a function that runs; of one that has ended from all that the file's calls say. */
static bool find_from_callers(struct kept_search *search, const struct source *code, int32_t def, struct word word)
{
    size_t level = kept_level_at(search, code, def);
    if (level == SIZE_MAX)
        return find_handed(search, code, def, word);
    struct word argument = kept_argument(search->ways, level, word);
    return argument.length_bytes > 0 && level + 1 < search->ways->count &&
           kept_find_origin(search, search->ways->levels[level + 1].code, argument);
}

/* What a name of the function stands for comes from there, or from who calls it. */
bool kept_add_origin(struct kept_search *search, const struct source *code, int32_t def, struct word word)
{
    if (word_last_part(word).text != word.text)
        return false;
    bool is_parameter = kept_is_parameter(code, def, word);
    if (!is_parameter && def > 0 && !code_gives(code, def, word))
        def = 0;
    if (!add_giver(search, KEPT_PLAIN, code, def, word))
        return !search->failed;
    search->names[search->count - 1].is_given = is_parameter;
    return !is_parameter || find_from_callers(search, code, def, word);
}

/* The result of a leaf is part of a graph, which the first backward() frees: it cannot be kept. */
bool kept_has_gradient(struct word text)
{
    static const char name[] = "requires_grad";
    return memmem(text.text, text.length_bytes, name, sizeof(name) - 1) != NULL;
}

/* Of an expression that stands in the code. */
bool kept_find_origin(struct kept_search *search, const struct source *code, struct word value)
{
    struct value found = value_of(value);
    if (kept_has_gradient(value))
        return false;
    switch (found.kind) {
    case VALUE_NEW:
        return true;
    case VALUE_SHARED:
        return kept_add_origin(search, code, scope_function(code, code_row(code, value.text)), found.name);
    case VALUE_CALLED:
        return add_giver(search, KEPT_CALLED, code, 0, word_last_part(found.name)) || !search->failed;
    default:
        return false;
    }
}
