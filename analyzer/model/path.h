/* Files as they are told. Paths are absolute, or names of the interpreter's ("<string>"). */
#ifndef PIEPROF_ANALYZER_PATH_H
#define PIEPROF_ANALYZER_PATH_H

#include "model/model.h"

/* Behind the last "/". */
const char *path_base_name(const char *path);

/* Behind the directory that packages are imported from: what an import would say; NULL elsewhere. */
const char *path_in_package(const char *file);

/* Relative to the directory of the user's own files (after lines_directory); NULL elsewhere. */
const char *path_below_own(const struct model *model, const char *file);

/* As another machine would tell it: relative to the repository, or to the user's own files; valid UTF-8. Interned. */
const char *path_portable(const struct model *model, const char *file);

/* In sentences: relative to the user's own files, absolute elsewhere; with model->portable_paths as another machine would. */
const char *path_told(const struct model *model, const char *file);

#endif
