#include "open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/processes.h"

/* A process that ends between the copy of the file and the look at /proc is gone, and the copy does not say that it ended. */
static bool read_whole(struct run *run, const char *path)
{
    bool good = run_read(run, path), gone = false;
    for (size_t i = 0; good && i < run->process_count && !gone; i++)
        gone = strcmp(process_state(run, run->processes[i].record), "killed") == 0;
    if (gone) {
        run_free(run);
        good = run_read(run, path);
    }
    return good;
}

bool open_run(struct run *run, const char *path)
{
    bool good = read_whole(run, path);
    char *name = text_printable(path, strlen(path));
    if (!good) {
        char *error = text_printable(run->error, strlen(run->error));
        fprintf(stderr, "pieprof-report: %s\n", error);
        free(error);
        run_free(run);
    } else if (run->cut_short) {
        fprintf(stderr,
                "pieprof-report: %s: offset 0x%" PRIx64
                ": the file ends before its contents do; read as far as it goes\n",
                name, run->file_bytes);
    } else if (run->damaged > 0) {
        fprintf(stderr,
                "pieprof-report: %s: offset 0x%" PRIx64 ": %" PRIu64 " unfinished or impossible entr%s left out%s\n",
                name, run->damaged_offset, run->damaged, run->damaged == 1 ? "y was" : "ies were",
                run->damaged == 1 ? "" : ", the first one here");
    }
    free(name);
    return good;
}
