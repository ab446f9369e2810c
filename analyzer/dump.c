/* The verb dump: a file's records, one by one. */
#include "show/dump.h"
#include "open.h"
#include "show/output.h"
#include "symbols/binary.h"
#include "verb.h"

int verb_dump(const struct options *options)
{
    struct run run;
    struct model model;
    if (!open_run(&run, options->file))
        return STATUS_UNUSABLE;
    FILE *out = output_open(options);
    if (out == NULL) {
        run_free(&run);
        return STATUS_UNUSABLE;
    }
    model_build_contexts(&model, &run, options->own, options->own_count);
    dump_show(out, &model, options->phase);
    binary_free_all();
    model_free(&model);
    run_free(&run);
    intern_free_all();
    return output_close(out, options) ? STATUS_GOOD : STATUS_UNUSABLE;
}
