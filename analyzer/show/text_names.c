#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/share.h"
#include "show/text_parts.h"

/* Behind site-packages the path is what an import would say; below the program's directory it is relative. */
static const char *path_shorten(const struct model *model, const char *path)
{
    static const char *const marks[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < 2; i++) {
        const char *found = strstr(path, marks[i]);
        if (found != NULL)
            return found + strlen(marks[i]);
    }
    if (model->process_count == 0)
        return path;
    const struct run_process *process = model->processes[0].run;
    const char *directory = run_text(process, process->record->directory_blob);
    size_t length = strlen(directory);
    if (length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/')
        return path + length + 1;
    return path;
}

char *text_path(const struct model *model, const char *path)
{
    const char *shorter = path_shorten(model, path);
    return text_printable(shorter, strlen(shorter));
}

char *text_share(uint64_t wasted, uint64_t pairs)
{
    struct estimate estimate = share_estimate(wasted, pairs);
    if (!estimate.known)
        return NULL;
    return memory_print("%.0f %% (%.0f-%.0f %%)", 100 * estimate.fraction, 100 * estimate.low, 100 * estimate.high);
}
