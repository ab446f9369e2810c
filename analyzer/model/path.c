/* Paths that mean the same on another machine. */
#include <string.h>

#include "compare/profile.h"
#include "model/source.h"

/* Behind the directory that packages are imported from; NULL elsewhere. */
static const char *package_path(const char *file)
{
    static const char *const directories[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < 2; i++) {
        const char *found = strstr(file, directories[i]);
        if (found != NULL)
            return found + strlen(directories[i]);
    }
    return NULL;
}

const char *profile_path(const struct model *model, const char *file)
{
    const char *package = package_path(file), *slash = strrchr(file, '/');
    if (file[0] != '/')
        return file;
    if (package != NULL)
        return intern_string(package);
    const char *relative = source_repository_path(file);
    if (relative != NULL)
        return relative;
    size_t length = strlen(model->own_directory);
    if (length > 0 && strncmp(file, model->own_directory, length) == 0)
        return intern_string(file + length);
    return intern_string(slash + 1);
}
