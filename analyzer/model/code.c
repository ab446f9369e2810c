/* Python code objects: absolute file, whose code it is, and where an instruction stands. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

/* Packages whose lines never lead (DESIGN, "user line"). */
static const char *const foundations[] = {"torch", "numpy", "scipy", "pandas", "jax", "jaxlib"};

const char *path_absolute(const char *directory, const char *file)
{
    if (file[0] == '<' || file[0] == '\0')
        return intern_string(file);
    char *joined = file[0] == '/' ? memory_print("%s", file) : memory_print("%s/%s", directory, file);
    char *path = memory_zeroed(strlen(joined) + 2, 1), *rest = joined;
    size_t used = 0;
    for (char *step; (step = strsep(&rest, "/")) != NULL;) {
        if (*step == '\0' || strcmp(step, ".") == 0)
            continue;
        if (strcmp(step, "..") == 0) {
            while (used > 0 && path[--used] != '/')
                ;
            path[used] = '\0';
            continue;
        }
        used += (size_t)sprintf(path + used, "/%s", step);
    }
    path[used] = '\0';
    const char *kept = intern_string(used > 0 ? path : "/");
    free(path);
    free(joined);
    return kept;
}

/* Behind ".../site-packages/" or ".../dist-packages/": the import name of the package; NULL elsewhere. */
static const char *path_package(const char *path)
{
    static const char *const directories[] = {"/site-packages/", "/dist-packages/"};
    if (strcmp(path, "<__array_function__ internals>") ==
        0) /* before 1.25 it generates what stands in front of its functions */
        return intern_string("numpy");
    for (size_t i = 0; i < 2; i++) {
        const char *found = strstr(path, directories[i]);
        if (found == NULL)
            continue;
        const char *name = found + strlen(directories[i]);
        size_t length = strcspn(name, "/");
        if (length > 3 && strncmp(name + length - 3, ".py", 3) == 0)
            length -= 3;
        return intern_bytes(name, length);
    }
    return NULL;
}

/* ".../lib/python3.11/..." and its kin. */
static bool path_stdlib(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/python")) != NULL; at += 7) {
        const char *version = at + 7;
        size_t digits = strspn(version, "0123456789.t");
        bool in_lib =
            at - path >= 4 && (strncmp(at - 4, "/lib", 4) == 0 || (at - path >= 6 && strncmp(at - 6, "/lib", 4) == 0));
        if (in_lib && digits > 0 && version[digits] == '/')
            return true;
        if (in_lib && digits > 2 && strncmp(version + digits, ".zip", 4) == 0)
            return true;
    }
    return false;
}

static bool is_foundation(const char *package)
{
    for (size_t i = 0; i < sizeof(foundations) / sizeof(foundations[0]); i++)
        if (strcmp(package, foundations[i]) == 0)
            return true;
    return false;
}

bool path_of_package_code(const char *path)
{
    const char *package = path_package(path);
    char *name = package != NULL ? memory_print("%.*s", (int)strcspn(package, "."), package) : NULL; /* "numpy.libs" */
    bool is = name != NULL && !is_foundation(name);
    free(name);
    return is;
}

static bool named_own(const struct model *model, const struct code *code)
{
    for (size_t i = 0; i < model->own_count; i++)
        if (fnmatch(model->own[i], code->file, 0) == 0 ||
            (code->package && fnmatch(model->own[i], code->package, 0) == 0))
            return true;
    return false;
}

static enum owner code_owner(const struct model *model, const struct code *code)
{
    if (named_own(model, code))
        return OWNER_USER;
    if (code->package != NULL)
        return is_foundation(code->package) ? OWNER_FOUNDATION : OWNER_PACKAGE;
    if (code->file[0] == '<') /* frozen modules, generated code; nodes.c knows when it is the program itself */
        return OWNER_STDLIB;
    return path_stdlib(code->file) ? OWNER_STDLIB : OWNER_USER;
}

struct code *model_code(struct model *model, struct process *process, uint32_t code_id)
{
    const struct db_code *record = run_record(process->run, DB_KIND_CODE, code_id);
    if (record == NULL)
        return NULL;
    struct code *code = &process->codes[run_index(&process->run->tables[DB_KIND_CODE], code_id)];
    if (code->known)
        return code;
    const char *file = run_text(process->run, record->file_blob);
    const char *name = run_text(process->run, record->name_blob);
    const char *directory = run_text(process->run, process->run->record->directory_blob);
    code->known = true;
    code->file = *file != '\0' ? path_absolute(directory, file) : intern_string("?");
    code->function = *name != '\0' ? name : intern_string("?");
    code->package = path_package(code->file);
    code->owner = code_owner(model, code);
    code->pseudo = strcmp(code->file, "<string>") == 0 || strcmp(code->file, "<stdin>") == 0;
    code->phase = phase_of_code(code);
    code->import_machinery = strncmp(code->file, "<frozen importlib._bootstrap", 28) == 0;
    return code;
}

/*
 * The table of lines, as fresh memory where it was stored in parts (`*joined`, NULL else). What a part that is not there would say is left
 * out, with all behind it.
 */
static struct run_blob lines_of(const struct model *model, const struct process *process, const struct db_code *record,
                                unsigned char **joined)
{
    struct run_blob blob = run_blob(process->run, record->lines_blob), whole = {0};
    *joined = NULL;
    if (record->lines_parts == 0)
        return blob;
    size_t parts = blob.length_bytes / sizeof(uint32_t);
    parts = parts < record->lines_parts ? parts : record->lines_parts;
    parts = parts < DB_LINES_PARTS_MAX ? parts : DB_LINES_PARTS_MAX;
    if (parts * DB_BLOB_MAX_BYTES > model->decode_budget)
        return whole;
    *joined = memory_zeroed(parts + 1, DB_BLOB_MAX_BYTES);
    for (size_t i = 0; i < parts; i++) {
        uint32_t reference;
        memcpy(&reference, blob.bytes + i * sizeof(reference), sizeof(reference));
        struct run_blob part = run_blob(process->run, reference);
        if (part.length_bytes == 0 || part.length_bytes > DB_BLOB_MAX_BYTES)
            break;
        memcpy(*joined + whole.length_bytes, part.bytes, part.length_bytes);
        whole.length_bytes += part.length_bytes;
    }
    whole.bytes = *joined;
    return whole;
}

static void code_decode(struct model *model, const struct process *process, const struct db_code *record,
                        struct code *code)
{
    unsigned char *joined;
    struct run_blob blob = lines_of(model, process, record, &joined);
    code->table_ready = true;
    if (blob.length_bytes > model->decode_budget)
        blob = (struct run_blob){0};
    model->decode_budget -= blob.length_bytes;
    line_table_decode(&code->table, process->run->record->python_version, blob.bytes, blob.length_bytes,
                      record->first_line);
    free(joined);
}

struct line_span model_position(struct model *model, struct process *process, const struct db_node *node,
                                struct code **code)
{
    uint32_t id = (uint32_t)(node->value >> 32);
    *code = model_code(model, process, id);
    if (*code == NULL)
        return (struct line_span){0};
    if (!(*code)->table_ready)
        code_decode(model, process, run_record(process->run, DB_KIND_CODE, id), *code);
    return line_table_find(&(*code)->table, (int32_t)(uint32_t)node->value);
}
