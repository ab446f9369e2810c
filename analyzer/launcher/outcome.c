/* The launcher's last line: the file of this run, which is another one when a live run held the name. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "launcher/launcher.h"

/* True when the file is a profile of the run; one that a job named is taken by its name alone. */
static bool outcome_is_ours(const struct launch *launch, const char *path)
{
    struct db_header header;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool whole = read(descriptor, &header, sizeof header) == (ssize_t)sizeof header;
    close(descriptor);
    if (!whole || memcmp(header.magic, DB_MAGIC, DB_MAGIC_BYTES) != 0)
        return false;
    return !launch->run_name[0] || strncmp(header.run_name, launch->run_name, sizeof header.run_name) == 0;
}

/* A new run takes out.PID.db when a live one holds out.db; the suffix goes before the last extension. */
static void outcome_other_name(const char *out, pid_t pid, char *other, size_t size_bytes)
{
    const char *slash = strrchr(out, '/');
    const char *dot = strrchr(slash ? slash : out, '.');
    int stem_bytes = dot ? (int)(dot - out) : (int)strlen(out);
    snprintf(other, size_bytes, "%.*s.%d%s", stem_bytes, out, (int)pid, dot ? dot : "");
}

void outcome_say(const struct launch *launch, pid_t pid)
{
    char other[PATH_MAX + 16];
    outcome_other_name(launch->out, pid, other, sizeof other);
    const char *file = outcome_is_ours(launch, launch->out) ? launch->out : other;
    if (file == other && !outcome_is_ours(launch, other)) {
        fprintf(stderr, "pieprof: nothing was recorded in %s: no Python ran under the profiler\n", launch->out);
        return;
    }
    fprintf(stderr, "pieprof: profile in %s; read it with: pieprof-report %s\n", file, file);
}
