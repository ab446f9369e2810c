/* The verb export: a run in another form. */
#include <stdlib.h>

#include "base/text.h"
#include "compare/profile.h"
#include "show/output.h"
#include "verb.h"

int verb_export(const struct options *options)
{
    struct profile profile;
    bool good = profile_load(&profile, options->file, options);
    if (good && profile.why_partial != NULL && !options->gate.partial) {
        fprintf(stderr,
                "pieprof-report: %s is not whole: %s; let the program run to its end, or take what there is with "
                "--partial\n",
                profile.name, profile.why_partial);
        good = false;
    }
    FILE *out = good ? output_open(options) : NULL;
    if (out != NULL) {
        good = profile_write(out, &profile);
        good = output_close(out, options) && good;
    }
    good = good && out != NULL;
    profile_free(&profile);
    intern_free_all();
    return good ? STATUS_GOOD : STATUS_UNUSABLE;
}
