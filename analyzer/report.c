/* The verb report: a run's lines, ranked by what they waste. */
#include "base/intern.h"
#include "findings/finding.h"
#include "model/model.h"
#include "model/select.h"
#include "model/source.h"
#include "open.h"
#include "show/json.h"
#include "show/output.h"
#include "show/text.h"
#include "symbols/binary.h"
#include "verb.h"

/* A page for a person: what weighs something. JSON: all of it, and pairs enough to explain any line. */
static const struct selection_limits limits[] = {
    [FORMAT_TEXT] = {.lines = 10, .pairs = 5, .findings = 10, .line_percent = 0.5, .pair_count = 5},
    [FORMAT_JSON] = {.lines = (size_t)-1, .pairs = 50, .findings = (size_t)-1},
};

static bool report_show(FILE *out, struct model *model, const struct options *options)
{
    struct selection selection;
    bool good = true;
    selection_make(&selection, model, options, &limits[options->format]);
    if (options->format == FORMAT_JSON)
        good = json_show(out, model, &selection);
    else
        text_show(out, model, &selection, options);
    selection_free(&selection);
    return good;
}

int verb_report(const struct options *options)
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
    model_build(&model, &run, options->own, options->own_count);
    findings_say(&model);
    model_restrict(&model, options->phase);
    bool good = report_show(out, &model, options);
    source_free_all();
    binary_free_all();
    model_free(&model);
    run_free(&run);
    intern_free_all();
    return output_close(out, options) && good ? STATUS_GOOD : STATUS_UNUSABLE;
}
