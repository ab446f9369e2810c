#include "findings/blank.h"

#include "findings/expression.h"

static const char *const names[] = {"zeros",     "zeros_like", "empty",     "empty_like", "ones",
                                    "ones_like", "full",       "full_like", "new",        "new_zeros",
                                    "new_empty", "new_full",   "zero_",     "fill_",      "new_ones"};

enum blank site_is_blank(struct model *model, const struct site *site)
{
    uint32_t frame = callers_frame(model, site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    if (operation.kind == OPERATION_UNKNOWN)
        return BLANK_UNKNOWN;
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(names) / sizeof(names[0]); i++)
        if (operation_is_named(&operation, names[i]))
            return BLANK_YES;
    return BLANK_NO;
}
