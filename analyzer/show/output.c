#include "show/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pieprof/db.h"

static bool output_is_profile(const char *path)
{
    char magic[DB_MAGIC_BYTES];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return false;
    bool profile =
        read(descriptor, magic, sizeof(magic)) == (ssize_t)sizeof(magic) && memcmp(magic, DB_MAGIC, sizeof(magic)) == 0;
    close(descriptor);
    return profile;
}

static bool is_file(const char *path, const struct stat *other)
{
    struct stat own;
    return path != NULL && stat(path, &own) == 0 && own.st_dev == other->st_dev && own.st_ino == other->st_ino;
}

/* Why the output must not be written, NULL when it may: opening empties it, and a measured run has no copy. */
static const char *output_forbidden(const struct options *options)
{
    struct stat output;
    if (stat(options->output, &output) != 0 || !S_ISREG(output.st_mode))
        return NULL;
    if (is_file(options->file, &output))
        return "is the run that is read";
    for (size_t i = 0; i < options->run_count; i++)
        if (is_file(options->runs[i], &output))
            return "is a run that is read";
    if (is_file(options->gate.allow_file, &output))
        return "is the list that is read";
    for (size_t i = 0; i < options->gate.baseline_count; i++)
        if (is_file(options->gate.baselines[i], &output))
            return "is a baseline that is read";
    return output_is_profile(options->output) ? "is a PieProf run, which would be lost" : NULL;
}

FILE *output_open(const struct options *options)
{
    if (options->output == NULL)
        return stdout;
    const char *forbidden = output_forbidden(options);
    if (forbidden != NULL) {
        fprintf(stderr, "pieprof-report: -o %s: %s; nothing was written\n", options->output, forbidden);
        return NULL;
    }
    FILE *file = fopen(options->output, "we");
    if (file == NULL)
        fprintf(stderr, "pieprof-report: %s: %s\n", options->output, strerror(errno));
    return file;
}

int output_close(FILE *file, const struct options *options)
{
    int failed = ferror(file);
    if (options->output != NULL)
        failed |= fclose(file) != 0;
    else
        failed |= fflush(file) != 0;
    if (failed)
        fprintf(stderr, "pieprof-report: %s: could not be written whole\n",
                options->output ? options->output : "standard output");
    return !failed;
}
