#include "findings/blank.h"

#include "findings/expression.h"

static const char *const names[] = {"zeros",     "zeros_like", "empty",     "empty_like", "ones",
                                    "ones_like", "full",       "full_like", "new",        "new_zeros",
                                    "new_empty", "new_full",   "zero_",     "fill_",      "new_ones"};

static enum blank is_made_by(struct model *model, const struct site *site, const char *const *functions, size_t count)
{
    uint32_t frame = callers_frame(site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    if (operation.kind == OPERATION_UNKNOWN)
        return BLANK_UNKNOWN;
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < count; i++)
        if (operation_is_named(&operation, functions[i]))
            return BLANK_YES;
    return BLANK_NO;
}

enum blank site_is_blank(struct model *model, const struct site *site)
{
    return is_made_by(model, site, names, sizeof(names) / sizeof(names[0]));
}

bool site_is_made_unfilled(struct model *model, const struct site *site)
{
    static const char *const unfilled[] = {"empty", "empty_like", "new_empty"};
    return is_made_by(model, site, unfilled, sizeof(unfilled) / sizeof(unfilled[0])) == BLANK_YES;
}
