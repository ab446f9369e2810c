/* The launcher's last line: the file of this run, which is another one when a live run held the name. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/launcher.h"

/* When the file was created if it is a profile of this run that a process has joined since the start, 0 when it is not. */
static uint64_t outcome_created_unix_ns(const struct launch *launch, const char *path)
{
    struct db_header header;
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return 0;
    bool whole = fstat(descriptor, &status) == 0 && read(descriptor, &header, sizeof header) == (ssize_t)sizeof header;
    close(descriptor);
    if (!whole || memcmp(header.magic, DB_MAGIC, DB_MAGIC_BYTES) != 0 || header.processes <= header.dropped_joins ||
        strncmp(header.run_name, launch->run_name, sizeof header.run_name) != 0)
        return 0;
    /* Another rank's process may have created it before; whoever joins writes to it. */
    uint64_t modified_unix_ns =
        (uint64_t)status.st_mtim.tv_sec * UINT64_C(1000000000) + (uint64_t)status.st_mtim.tv_nsec;
    bool fresh = header.created_unix_ns >= launch->start_unix_ns || modified_unix_ns >= launch->start_unix_ns;
    return fresh ? header.created_unix_ns : 0;
}

/* True for "out.WORD.db" beside "out.db", where a run goes that finds the name held: WORD is a pid or a host's name. */
static bool outcome_is_beside(const char *name, const char *entry)
{
    const char *dot = strrchr(name, '.');
    const char *end = dot && dot != name ? dot : name + strlen(name);
    size_t stem_bytes = (size_t)(end - name), entry_bytes = strlen(entry), end_bytes = strlen(end);
    return entry_bytes > stem_bytes + 1 + end_bytes && strncmp(entry, name, stem_bytes) == 0 &&
           entry[stem_bytes] == '.' && strcmp(entry + entry_bytes - end_bytes, end) == 0;
}

/* The youngest file of this run beside the one asked for; false when there is none. */
static bool outcome_find(const struct launch *launch, char *found, size_t size_bytes)
{
    char directory[PATH_MAX] = ".";
    const char *slash = strrchr(launch->out, '/');
    const char *name = slash ? slash + 1 : launch->out;
    int directory_bytes = (int)(name - launch->out);
    if (slash)
        snprintf(directory, sizeof directory, "%.*s", directory_bytes, launch->out);
    DIR *entries = opendir(directory);
    uint64_t youngest = 0;
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        char candidate[2 * PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s%s", directory_bytes, launch->out, entry->d_name);
        uint64_t created = outcome_is_beside(name, entry->d_name) ? outcome_created_unix_ns(launch, candidate) : 0;
        if (created > youngest) {
            youngest = created;
            snprintf(found, size_bytes, "%s", candidate);
        }
    }
    if (entries)
        closedir(entries);
    return youngest > 0;
}

/* As a shell takes it; PATH_MAX bytes at most become four times as many. */
static const char *quoted(const char *file, char *to)
{
    char *end = to;
    if (file[strspn(file, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+=,")] == '\0')
        return file;
    *end++ = '\'';
    for (; *file != '\0'; file++)
        end = *file == '\'' ? stpcpy(end, "'\\''") : (*end = *file, end + 1);
    strcpy(end, "'");
    return to;
}

void outcome_say(const struct launch *launch)
{
    char other[2 * PATH_MAX], as_word[4 * 2 * PATH_MAX + 3];
    const char *file = launch->out;
    if (!outcome_created_unix_ns(launch, file)) {
        file = other;
        if (!outcome_find(launch, other, sizeof other)) {
            fputs("pieprof: nothing was recorded: a line above says why, or no Python started under the profiler\n",
                  stderr);
            return;
        }
    }
    fprintf(stderr, "pieprof: profile in %s; read it with: pieprof-report %s%s\n", file,
            *file == '-' ? "./" : "" /* no option */, quoted(file, as_word));
}
