#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/share.h"
#include "show/text_parts.h"

/* Behind site-packages the path is what an import would say; below the directory of the user's own files it is relative. */
static const char *path_shorten(const struct model *model, const char *path)
{
    static const char *const marks[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < 2; i++) {
        const char *found = strstr(path, marks[i]);
        if (found != NULL)
            return found + strlen(marks[i]);
    }
    size_t length = strlen(model->own_directory);
    if (length > 1 && strncmp(path, model->own_directory, length) == 0)
        return path + length;
    return path;
}

char *text_path(const struct model *model, const char *path)
{
    const char *shorter = path_shorten(model, path);
    return text_printable(shorter, strlen(shorter));
}

char *text_share(struct estimate estimate)
{
    if (!estimate.known)
        return NULL;
    return memory_print("%.0f %% (%.0f-%.0f %%)", 100 * estimate.fraction, 100 * estimate.low, 100 * estimate.high);
}
