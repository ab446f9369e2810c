/* Files of the program's own that another one imports, by its text. */
#ifndef PIEPROF_ANALYZER_IMPORTED_FILES_H
#define PIEPROF_ANALYZER_IMPORTED_FILES_H

#include "model/model.h"
#include "python/code_index.h"

/*
 * Puts at `files` the sources (source_code()) that the file's import statements name, as far as they lie beside it, in a package beside it, or
 * beside the package that it is in itself, and their text is known or lies on the disk. Returns how many, `most` at most. In the order of the
 * statements.
 */
size_t imported_files(const struct model *model, const struct code_index *of, const struct source **files, size_t most);

#endif
