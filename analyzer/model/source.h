/* Text of source files: as stored with the run, from the disk else. */
#ifndef PIEPROF_ANALYZER_SOURCE_H
#define PIEPROF_ANALYZER_SOURCE_H

#include "model/model.h"

enum source_state {
    SOURCE_SAME,    /* stored, and the file on disk is still that */
    SOURCE_CHANGED, /* stored, and the file on disk is another by now */
    SOURCE_GONE,    /* stored, and there is no such file here */
    SOURCE_DISK,    /* not stored: read from the disk, as it is now */
    SOURCE_NONE,    /* neither */
    SOURCE_EDITED,  /* stored, but the file was changed while the program ran: perhaps before its text was stored */
};

struct source {
    const char *path;
    enum source_state state;
    char *text; /* NUL-terminated; NULL for SOURCE_NONE */
    size_t length_bytes;
    uint32_t *line_starts; /* in bytes; its twins have the same */
    size_t line_count;
    struct source *code, *joined; /* source_code(), source_joined(), once asked for */
};

/* Never NULL; loaded at first need and kept until source_free_all(). */
const struct source *source_get(const struct model *model, const char *path);
void source_free_all(void);

/* The same lines and columns, the code alone (source_code.h): to look for statements in. Never NULL, kept likewise. */
const struct source *source_code(const struct model *model, const char *path);

/*
 * The same lines and columns without annotations, comments and strings as they are, and each element by one subscript ("x[i, j]" for
 * "x[i][j]"). Never NULL, kept likewise.
 */
const struct source *source_joined(const struct model *model, const char *path);

/* The text of line `number` (from 1) without its end; NULL when there is no such line. */
const char *source_line(const struct source *source, int32_t number, size_t *length_bytes);

/* The line before the one that begins at `line`, as source_line gives it; NULL before the first. */
const char *source_line_before(const struct source *source, const char *line, size_t *length_bytes);

/* `path` relative to the repository (a directory with .git) that holds it on this machine; NULL when none does. Interned. */
const char *source_repository_path(const char *path);

#endif
