#include "stack/source.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "ledger/ledger.h"
#include "stack/python.h"
#include "stack/python_code.h"
#include "stack/source_files.h"
#include "stack/source_text.h"

#define FILE_BYTES_MAX (1u << 20)
#define PROCESS_BYTES_MAX (8u << 20)

static char directory[SOURCE_PATH_BYTES_MAX]; /* where relative names are from: the program may chdir later */
static size_t stored_bytes;

void source_start(void)
{
    if (getcwd(directory, sizeof directory) == NULL) {
        directory[0] = '\0';
    }
    source_text_start();
}

/* lib/python3.11/ in the path: the standard library of whatever installation. */
static bool in_standard_library(const char *path)
{
    static const char mark[] = "/python";
    for (const char *at = strstr(path, mark); at != NULL; at = strstr(at + 1, mark)) {
        const char *version = at + sizeof mark - 1;
        bool below_lib = at - path >= 4 && (strncmp(at - 4, "/lib", 4) == 0 || strncmp(at - 4, "ib64", 4) == 0);
        if (below_lib && isdigit((unsigned char)version[0]) && version[1] == '.') {
            return true;
        }
    }
    return false;
}

static bool is_user_file(const struct source_file *file)
{
    return file->path_bytes > 3 && strcmp(file->path + file->path_bytes - 3, ".py") == 0 &&
           strstr(file->path, "/site-packages/") == NULL && strstr(file->path, "/dist-packages/") == NULL &&
           !in_standard_library(file->path);
}

static bool resolve(const struct source_file *file, char *path, size_t room)
{
    size_t before = file->path[0] == '/' ? 0 : strlen(directory) + 1;
    if (before == 1 || before + file->path_bytes + 1 > room) {
        return false;
    }
    if (before > 0) {
        memcpy(path, directory, before - 1);
        path[before - 1] = '/';
    }
    memcpy(path + before, file->path, file->path_bytes + 1);
    return true;
}

static void store(struct source_file *file)
{
    char path[2 * SOURCE_PATH_BYTES_MAX];
    if (is_user_file(file) && stored_bytes < PROCESS_BYTES_MAX && resolve(file, path, sizeof path)) {
        uint32_t source = source_text_store(path, file->blob, FILE_BYTES_MAX, &stored_bytes);
        atomic_store(&file->source, source);
        python_code_visit(file, source_link);
    }
}

void source_store_pending(void)
{
    for (uint32_t number = source_files_take_wanted(); number != 0;) {
        struct source_file *file = source_files_at(number);
        if (file == NULL) {
            return;
        }
        number = file->next_wanted;
        store(file);
    }
}
