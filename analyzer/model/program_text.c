/* Programs without a file: `python -c TEXT`, `python -`, `python <FILE`. */
#include <string.h>

#include "model/model.h"

/* Interpreter options that take the rest of their word, or else the next word. */
static bool takes_value(const char *option)
{
    return *option == 'W' || *option == 'X';
}

/* One word of options ("-Ic"): the file that code objects name when it ends them, else NULL; `*skip`: the next is a value. */
static const char *options_word(const char *word, bool *skip, bool *ended)
{
    *skip = strcmp(word, "--check-hash-based-pycs") == 0;
    if (word[0] != '-' || word[1] == '-')
        return NULL;
    for (const char *option = word + 1; *option != '\0'; option++) {
        *ended = *option == 'c' || *option == 'm';
        if (*ended)
            return *option == 'c' ? "<string>" : NULL;
        if (takes_value(option)) {
            *skip = option[1] == '\0';
            return NULL;
        }
    }
    return NULL;
}

/* By the command line, as the interpreter reads it. */
static const char *by_arguments(const struct run_process *process)
{
    struct run_blob blob = run_blob(process, process->record->arguments_blob);
    bool skip = true, ended = false; /* the first is the interpreter itself */
    for (size_t at = 0; at < blob.length_bytes;) {
        const char *word = intern_bytes(blob.bytes + at, blob.length_bytes - at);
        at += strlen(word) + 1;
        if (skip) {
            skip = false;
            continue;
        }
        if (word[0] != '-')
            return NULL;
        if (strcmp(word, "-") == 0)
            return "<stdin>";
        const char *file = options_word(word, &skip, &ended);
        if (ended)
            return file;
    }
    return blob.length_bytes > 0 ? "<stdin>" : NULL;
}

/* A program that embeds the interpreter reads its own options: there the outermost frame of a whole stack tells. */
static const char *by_outermost_frame(struct model *model, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *node; (node = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        if (node->frame != DB_FRAME_PYTHON || node->parent == 0)
            continue;
        const struct db_node *parent = run_record(process->run, DB_KIND_NODE, node->parent);
        const struct code *code = model_code(model, process, (uint32_t)(node->value >> 32));
        bool outermost = parent != NULL && parent->frame != DB_FRAME_PYTHON && process->nodes;
        if (outermost && code != NULL && code->pseudo && strcmp(code->function, "<module>") == 0)
            return code->file;
    }
    return NULL;
}

const char *program_text_file(struct model *model, struct process *process)
{
    const char *file = by_outermost_frame(model, process);
    file = file != NULL ? file : by_arguments(process->run);
    return file != NULL ? intern_string(file) : NULL;
}
