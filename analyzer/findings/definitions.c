#include "findings/definitions.h"

#include <string.h>

#include "model/source.h"
#include "python/code_facts.h"
#include "python/scope.h"

#define DECORATORS_MAX 8

const char *definition_name(const struct code *code)
{
    const char *dot = strrchr(code->function, '.');
    return dot != NULL ? dot + 1 : code->function;
}

/* The row of a function's "def", of which `row` is one, or one of its decorators: a call begins there. 0: it is not known. */
static int32_t definition_at(const struct source *text, const struct code *code, int32_t row)
{
    const struct word name = {definition_name(code), strlen(definition_name(code))};
    int32_t def = scope_function(text, row);
    if (def > 0 && word_equal(code_name_of(text, def), name))
        return def;
    for (int32_t below = row; below < row + DECORATORS_MAX; below++)
        if (word_equal(code_name_of(text, below), name))
            return below;
    return 0;
}

int32_t definition_row(struct model *model, const struct code *code, int32_t row)
{
    return strcmp(definition_name(code), "<lambda>") == 0 ? 0
                                                          : definition_at(source_code(model, code->file), code, row);
}
