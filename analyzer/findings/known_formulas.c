#include "findings/known_formulas.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/definitions.h"

/* By which a loop calls it. */
static const char *name_of(const struct source *text, const struct code *code, int32_t row, bool is_lambda)
{
    struct word name = is_lambda ? formula_lambda_name(text, row) : (struct word){"", 0};
    return name.length_bytes > 0 ? intern_bytes(name.text, name.length_bytes) : definition_name(code);
}

const struct known_formula *known_formula_at(struct known_formulas *formulas, struct model *model,
                                             const struct code *code, int32_t row)
{
    const struct source *text = source_code(model, code->file);
    bool is_lambda = strcmp(definition_name(code), "<lambda>") == 0;
    int32_t def = is_lambda ? row : definition_row(model, code, row);
    struct map_key key = {(uintptr_t)code->file, (uint64_t)(uint32_t)def, is_lambda};
    struct known_formula *known = map_get(&formulas->map, key);
    if (known == NULL) {
        known = memory_zeroed(1, sizeof(*known));
        *known = (struct known_formula){is_lambda ? formula_read_lambda(text, def) : formula_read(text, def),
                                        name_of(text, code, def, is_lambda), formulas->first};
        formulas->first = known;
        map_put(&formulas->map, key, known);
    }
    return known->formula.is_one ? known : NULL;
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
