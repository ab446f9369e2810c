/* The verb diff: two runs lined up. */
#include <stdlib.h>

#include "compare/difference.h"
#include "show/output.h"
#include "show/verdict.h"
#include "verb.h"

static bool diff_show(FILE *out, const struct profile *base, const struct profile *now, const struct options *options)
{
    struct match match;
    struct difference difference;
    bool good;
    match_make(&match, base, now);
    difference_make(&difference, base, now, &match);
    if (options->format == FORMAT_JSON)
        good = difference_show_json(out, &difference);
    else if (options->format == FORMAT_MARKDOWN)
        good = difference_show_markdown(out, &difference);
    else
        good = difference_show_text(out, &difference, options);
    difference_free(&difference);
    match_free(&match);
    return good;
}

/* Settings that differ are noted; of two phases no line is comparable. */
static bool are_comparable(const struct profile *base, const struct profile *now)
{
    char *refusal = judge_phases(base, base->name, now, now->name);
    if (refusal != NULL)
        fprintf(stderr, "pieprof-report: diff: %s\n", refusal);
    bool good = refusal == NULL;
    free(refusal);
    return good;
}

int verb_diff(const struct options *options)
{
    struct profile base, now = {0};
    bool good = profile_load(&base, options->file, options) && profile_load(&now, options->second, options) &&
                are_comparable(&base, &now);
    FILE *out = good ? output_open(options) : NULL;
    if (out != NULL) {
        good = diff_show(out, &base, &now, options);
        good = output_close(out, options) && good;
    }
    good = good && out != NULL;
    profile_free(&base);
    profile_free(&now);
    intern_free_all();
    return good ? STATUS_GOOD : STATUS_UNUSABLE;
}
