#include "show/output.h"

#include <errno.h>
#include <string.h>

FILE *output_open(const struct options *options)
{
    if (options->output == NULL)
        return stdout;
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
