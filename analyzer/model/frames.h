/* A calling context, readable: Python frames with their lines, native frames with their functions. */
#ifndef PIEPROF_ANALYZER_FRAMES_H
#define PIEPROF_ANALYZER_FRAMES_H

#include "model/model.h"

enum frame_kind { FRAME_PYTHON, FRAME_NATIVE, FRAME_GAP };

struct frame {
    enum frame_kind kind;
    const char *file;     /* NULL: unknown */
    int32_t line;         /* 0: unknown */
    const char *function; /* NULL: unknown; demangled as written */
    const char *library;  /* of native frames: the ELF object's file name; NULL: none */
    const char *trouble;  /* why the library's symbols could not be used; NULL: they could */
    uint64_t address;     /* of native frames: as in the library's file */
    enum owner owner;     /* of Python frames */
    bool inlined, interpreter;
};

/* "main thread", "thread" or "native thread"; and the frames, outermost first. */
struct context {
    const char *thread;
    struct frame *frames;
    size_t count, capacity;
};

/* The path to `node_id`, at most the 200 innermost nodes of it. Free with context_free. */
void context_expand(struct context *context, struct model *model, struct process *process, uint32_t node_id);
/* Its Python frames alone, for which no library is looked into. Free with context_free. */
void context_expand_python(struct context *context, struct model *model, struct process *process, uint32_t node_id);
void context_free(struct context *context);

#endif
