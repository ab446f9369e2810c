#include "findings/known_formulas.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/code_facts.h"
#include "python/scope.h"

#define DECORATORS_MAX 8

const char *known_formula_name(const struct code *code)
{
    const char *dot = strrchr(code->function, '.');
    return dot != NULL ? dot + 1 : code->function;
}

/* The row of a function's "def", of which `row` is one, or one of its decorators: a call begins there. 0: it is not known. */
static int32_t definition_at(const struct source *text, const struct code *code, int32_t row)
{
    const struct word name = {known_formula_name(code), strlen(known_formula_name(code))};
    int32_t def = scope_function(text, row);
    if (def > 0 && word_equal(code_name_of(text, def), name))
        return def;
    for (int32_t below = row; below < row + DECORATORS_MAX; below++)
        if (word_equal(code_name_of(text, below), name))
            return below;
    return 0;
}

const struct known_formula *known_formula_at(struct known_formulas *formulas, struct model *model,
                                             const struct code *code, int32_t row)
{
    const struct source *text = source_code(model, code->file);
    bool is_lambda = strcmp(known_formula_name(code), "<lambda>") == 0;
    int32_t def = is_lambda ? row : definition_at(text, code, row);
    struct map_key key = {(uintptr_t)code->file, (uint64_t)(uint32_t)def, is_lambda};
    struct known_formula *known = map_get(&formulas->map, key);
    if (known == NULL) {
        known = memory_zeroed(1, sizeof(*known));
        *known = (struct known_formula){is_lambda ? formula_read_lambda(text, def) : formula_read(text, def),
                                        known_formula_name(code), formulas->first};
        formulas->first = known;
        map_put(&formulas->map, key, known);
    }
    return known->formula.is_one ? known : NULL;
}

int32_t known_formula_definition(struct model *model, const struct code *code, int32_t row)
{
    return strcmp(known_formula_name(code), "<lambda>") == 0 ? 0
                                                             : definition_at(source_code(model, code->file), code, row);
}

void known_formulas_free(struct known_formulas *formulas)
{
    while (formulas->first != NULL) {
        struct known_formula *next = formulas->first->next;
        free(formulas->first);
        formulas->first = next;
    }
    map_free(&formulas->map);
}
