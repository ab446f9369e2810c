/* The verb dump: a file's records, one by one. */
#include "show/dump.h"
#include "open.h"
#include "show/output.h"
#include "verb.h"

int verb_dump(const struct options *options)
{
    struct run run;
    if (!open_run(&run, options->file))
        return STATUS_UNUSABLE;
    FILE *out = output_open(options);
    if (out == NULL) {
        run_free(&run);
        return STATUS_UNUSABLE;
    }
    dump_show(out, &run);
    run_free(&run);
    return output_close(out, options) ? STATUS_GOOD : STATUS_UNUSABLE;
}
