#include "findings/libraries.h"

#include <string.h>

#include "model/frames.h"

bool site_is_made_in(struct model *model, const struct site *site, const char *part)
{
    struct context context;
    bool found = false;
    context_expand(&context, model, site->process, site->record->node);
    for (size_t i = context.count; i-- > 0 && context.frames[i].kind == FRAME_NATIVE && !found;)
        found = context.frames[i].library != NULL && strstr(context.frames[i].library, part) != NULL;
    context_free(&context);
    return found;
}

bool site_is_part_filled(struct model *model, const struct site *site)
{
    return site_is_made_in(model, site, "hashtable.") || site_is_made_in(model, site, "array.cpython");
}
