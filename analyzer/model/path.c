#include "model/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/source.h"

const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *path_in_package(const char *file)
{
    static const char *const directories[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < 2; i++) {
        const char *found = strstr(file, directories[i]);
        if (found != NULL)
            return found + strlen(directories[i]);
    }
    return NULL;
}

const char *path_below_own(const struct model *model, const char *file)
{
    size_t length = strlen(model->own_directory);
    return length > 1 && strncmp(file, model->own_directory, length) == 0 ? file + length : NULL;
}

/* As JSON can hold it, so that it stays the same in a baseline. */
static const char *intern_valid(const char *path)
{
    char *valid = text_valid(path, strlen(path));
    const char *kept = intern_string(valid);
    free(valid);
    return kept;
}

const char *path_portable(const struct model *model, const char *file)
{
    if (file[0] != '/')
        return intern_valid(file);
    const char *path = path_in_package(file);
    path = path != NULL ? path : source_repository_path(file);
    path = path != NULL ? path : path_below_own(model, file);
    return intern_valid(path != NULL ? path : strrchr(file, '/') + 1);
}

const char *path_told(const struct model *model, const char *file)
{
    if (model->portable_paths)
        return path_portable(model, file);
    const char *path = path_in_package(file);
    path = path != NULL ? path : path_below_own(model, file);
    return path != NULL ? path : file;
}
