#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/path.h"
#include "model/share.h"
#include "show/text_parts.h"

char *text_path(const struct model *model, const char *path)
{
    const char *shorter = path_told(model, path);
    return text_printable(shorter, strlen(shorter));
}

char *text_share(struct estimate estimate)
{
    if (!estimate.known)
        return NULL;
    return memory_print("%.0f %% (%.0f-%.0f %%)", 100 * estimate.fraction, 100 * estimate.low, 100 * estimate.high);
}
