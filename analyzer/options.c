#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "operands.h"
#include "pieprof/version.h"
#include "verb.h"

/* The kinds of findings (DESIGN, "Kinds"). */
#define KINDS(X)                                                                                                       \
    X("replica")                                                                                                       \
    X("redundant_store")                                                                                               \
    X("dead_store")                                                                                                    \
    X("redundant_load")                                                                                                \
    X("tiny_calls")                                                                                                    \
    X("idle")                                                                                                          \
    X("churn")                                                                                                         \
    X("constant")                                                                                                      \
    X("transfer")
#define KIND_ITEM(name) name,
#define KIND_WORD(name) " " name
static const char *const kinds[] = {KINDS(KIND_ITEM)};

#define ON_ALL ((1u << VERB_COUNT) - 1)
#define ON_COMPARED (VERB_BIT(DIFF) | VERB_BIT(GATE) | VERB_BIT(EXPORT))

struct option_row {
    unsigned verbs; /* which accept it */
    int letter;     /* short form, or a number above 255 */
    const char *name;
    const char *argument; /* NULL: takes none */
    const char *help;
    bool (*apply)(struct options *options, const char *text); /* NULL: --help and --version */
};

static bool read_number(const char *text, double lowest, double highest, double *number)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !isfinite(value) || value < lowest || value > highest)
        return false;
    *number = value;
    return true;
}

static bool read_count(const char *text, size_t lowest, size_t highest, size_t *count)
{
    double value;
    if (!read_number(text, (double)lowest, (double)highest, &value) || floor(value) != value)
        return false;
    *count = (size_t)value;
    return true;
}

/* One of the first `count` formats in `allowed`. */
static bool choose_format(struct options *options, const char *text, const enum report_format *allowed, size_t count)
{
    static const char *const names[FORMAT_COUNT] = {"text",  "json",  "md",          "github",
                                                    "sarif", "junit", "codeclimate", "baseline"};
    options->format_given = true;
    for (size_t i = 0; i < count; i++) {
        options->format = allowed[i];
        if (strcmp(text, names[allowed[i]]) == 0)
            return true;
    }
    return false;
}

static bool apply_format(struct options *options, const char *text)
{
    static const enum report_format allowed[] = {FORMAT_TEXT, FORMAT_JSON};
    return choose_format(options, text, allowed, 2);
}

static bool apply_diff_format(struct options *options, const char *text)
{
    static const enum report_format allowed[] = {FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN};
    return choose_format(options, text, allowed, 3);
}

static bool apply_gate_format(struct options *options, const char *text)
{
    static const enum report_format allowed[] = {FORMAT_TEXT,  FORMAT_JSON,  FORMAT_MARKDOWN,   FORMAT_GITHUB,
                                                 FORMAT_SARIF, FORMAT_JUNIT, FORMAT_CODECLIMATE};
    return choose_format(options, text, allowed, 7);
}

static bool apply_export_format(struct options *options, const char *text)
{
    static const enum report_format allowed[] = {FORMAT_BASELINE};
    return choose_format(options, text, allowed, 1);
}

static bool apply_color(struct options *options, const char *text)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            options->color = (enum color_mode)i;
            return true;
        }
    return false;
}

bool options_know_kind(const char *kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

static bool apply_kind(struct options *options, const char *text)
{
    options->kind = text;
    return options_know_kind(text);
}

static bool apply_top(struct options *options, const char *text)
{
    return read_count(text, 0, 1000000, &options->top);
}

static bool apply_width(struct options *options, const char *text)
{
    return read_count(text, OPTIONS_WIDTH_LEAST, OPTIONS_WIDTH_MOST, &options->width);
}

static bool apply_min_waste(struct options *options, const char *text)
{
    return read_number(text, 0, 100, &options->min_waste_percent);
}

static bool apply_file(struct options *options, const char *text)
{
    options->file_glob = text;
    return true;
}

static bool apply_phase(struct options *options, const char *text)
{
    options->phase = phase_find(text);
    return options->phase != PHASE_COUNT;
}

static bool apply_output(struct options *options, const char *text)
{
    options->output = strcmp(text, "-") != 0 ? text : NULL;
    return *text != '\0';
}

static bool apply_own(struct options *options, const char *text)
{
    if (options->own_count == OPTIONS_OWN_MAX)
        return false;
    options->own[options->own_count++] = text;
    return true;
}

static bool apply_baseline(struct options *options, const char *text)
{
    options->runs_first = options->run_count > 0;
    return gate_option_baseline(&options->gate, text);
}

static bool apply_max(struct options *options, const char *text)
{
    return gate_option_max(&options->gate, text);
}

static bool apply_max_new(struct options *options, const char *text)
{
    return read_count(text, 0, 1000000, &options->gate.new_max);
}

static bool apply_max_increase(struct options *options, const char *text)
{
    return gate_option_increase(&options->gate, text);
}

static bool apply_time(struct options *options, const char *text)
{
    return gate_option_time(&options->gate, text);
}

static bool apply_allow(struct options *options, const char *text)
{
    return gate_option_allow(&options->gate, text);
}

static bool apply_allow_file(struct options *options, const char *text)
{
    options->gate.allow_file = text;
    return *text != '\0';
}

static bool apply_require(struct options *options, const char *text)
{
    return gate_option_require(&options->gate, text);
}

static bool apply_partial(struct options *options, const char *text)
{
    (void)text;
    return options->gate.partial = true;
}

static bool apply_update_baseline(struct options *options, const char *text)
{
    (void)text;
    return options->gate.update_baseline = true;
}

static bool apply_show_suppressed(struct options *options, const char *text)
{
    (void)text;
    return options->gate.show_suppressed = true;
}

static const struct option_row rows[] = {
    {VERB_BIT(REPORT), 'f', "format", "text|json", "how to write the report (default: text)", apply_format},
    {VERB_BIT(DIFF), 'f', "format", "text|json|md", "how to write it (default: text; md: for a pull request's comment)",
     apply_diff_format},
    {VERB_BIT(GATE), 'f', "format", "text|json|md|github|sarif|junit|codeclimate",
     "how to write the verdict (default: text, and github's annotations when GITHUB_ACTIONS is set)",
     apply_gate_format},
    {VERB_BIT(EXPORT), 'f', "format", "baseline", "what to write (default: baseline, a small JSON for gate and diff)",
     apply_export_format},
    {VERB_BIT(GATE), 'b', "baseline", "FILE...",
     "the run or exported baseline to compare with; several (64 at most) may follow where runs stand before it",
     apply_baseline},
    {VERB_BIT(GATE), 261, "max", "METRIC=VALUE",
     "fail above VALUE: findings=N (of those counted exactly, not sampled), replica_objects=N, replicas=1MiB, "
     "transfers=1MiB, dead_stores=P%, "
     "redundant_stores=P%; may be repeated",
     apply_max},
    {VERB_BIT(GATE), 262, "max-new", "N", "how many new findings are let pass (default: 0)", apply_max_new},
    {VERB_BIT(GATE), 263, "max-increase", "[METRIC=]P%",
     "how much a finding of the baseline may grow, in bytes made again for each birth (default: 25%); with METRIC: how "
     "much the run's sum may grow",
     apply_max_increase},
    {VERB_BIT(GATE), 270, "time", "P%",
     "fail too where the CPU time of a line, or of the run, rose by more than P (above 0); needs 3 runs and more a "
     "side",
     apply_time},
    {VERB_BIT(GATE), 264, "allow", "ID", "let this finding pass; may be repeated", apply_allow},
    {VERB_BIT(GATE), 265, "allow-file", "FILE", "let the findings pass whose ids FILE lists, one a line",
     apply_allow_file},
    {VERB_BIT(GATE), 266, "require", "time|access|replica|transfer",
     "refuse a run in which this engine was off; may be repeated", apply_require},
    {VERB_BIT(GATE) | VERB_BIT(EXPORT), 267, "partial", NULL, "take a run too that did not come to its end",
     apply_partial},
    {VERB_BIT(GATE), 268, "update-baseline", NULL, "write the run into --baseline, and end with 0",
     apply_update_baseline},
    {VERB_BIT(GATE), 269, "show-suppressed", NULL, "list the findings that comments in the source ignore",
     apply_show_suppressed},
    {VERB_BIT(REPORT), 'n', "top", "N", "show the first N lines (default: 10 in text, all in JSON; 0: all)", apply_top},
    {VERB_BIT(REPORT), 'k', "kind", "KIND", "only lines with this kind of waste, one of:" KINDS(KIND_WORD), apply_kind},
    {VERB_BIT(REPORT), 256, "file", "GLOB", "only lines of files that match, by path or by name", apply_file},
    {VERB_BIT(REPORT) | VERB_BIT(DUMP) | ON_COMPARED, 260, "phase", "data_loading|forward|backward|optimizer|other",
     "only what ran in this phase of the training: all figures are of it alone", apply_phase},
    {VERB_BIT(REPORT), 257, "min-waste", "PERCENT",
     "the least waste, in percent of the time, of a finding (0 to 100; default: 0.5)", apply_min_waste},
    {VERB_BIT(REPORT) | VERB_BIT(DIFF) | VERB_BIT(GATE), 'w', "width", "N",
     "columns of the text page (default: the terminal's, else COLUMNS, else 100; 40 to 10000)", apply_width},
    {VERB_BIT(REPORT) | ON_COMPARED, 258, "own", "GLOB", "count packages that match as your own code; may be repeated",
     apply_own},
    {VERB_BIT(REPORT) | VERB_BIT(DIFF) | VERB_BIT(GATE), 259, "color", "auto|always|never",
     "colours (default: auto, on a terminal; NO_COLOR is honoured)", apply_color},
    {VERB_BIT(REPORT) | VERB_BIT(DUMP) | ON_COMPARED, 'o', "output", "FILE",
     "write to FILE instead of standard output (-: standard output)", apply_output},
    {ON_ALL, 'h', "help", NULL, "print this help and end", NULL},
    {ON_ALL, 'V', "version", NULL, "print the version and end", NULL},
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static const struct {
    const char *name, *what, *operand;
} verbs[VERB_COUNT] = {
#define X(name, id, what, operand) {#name, what, operand},
    VERBS(X)
#undef X
};

void options_version(void)
{
    puts("pieprof-report " PIEPROF_VERSION);
}

static void help_options(unsigned verb)
{
    puts("\noptions:");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if ((rows[i].verbs & (1u << verb)) == 0)
            continue;
        char left[64], letter[8] = "    ";
        if (rows[i].letter < 256)
            snprintf(letter, sizeof(letter), "-%c, ", rows[i].letter);
        snprintf(left, sizeof(left), "  %s--%s%s%s", letter, rows[i].name, rows[i].argument ? " " : "",
                 rows[i].argument ? rows[i].argument : "");
        printf("%-34s%s%*s %s\n", left, strlen(left) > 34 ? "\n" : "", strlen(left) > 34 ? 34 : 0, "", rows[i].help);
    }
}

static void help_verb(unsigned verb)
{
    const char *operand = verbs[verb].operand;
    printf("usage: pieprof-report %s [options]%s%s\n%s\n", verbs[verb].name, *operand ? " " : "", operand,
           verbs[verb].what);
    if (*operand)
        puts(verb == VERB_DIFF || verb == VERB_GATE
                 ? "Each is a run's file, or a baseline that `pieprof-report export --format baseline` wrote."
                 : "FILE is a run's file, out.db unless named.");
    help_options(verb);
}

void options_help_program(void)
{
    puts("usage: pieprof-report [VERB] [options] [FILE]\n"
         "Says which lines of a Python program make native code do what was already done,\n"
         "from the file (out.db) that a profiled run wrote.\n\nverbs:");
    for (size_t i = 0; i < VERB_COUNT; i++)
        printf("  %-10s %s\n", verbs[i].name, verbs[i].what);
    help_options(VERB_REPORT);
    puts("\n`pieprof-report VERB --help` tells a verb's own options.\n"
         "Exit status: 0 good, 1 the gate failed, 2 wrong usage or unreadable input.");
}

/* The table's rows for this verb, in getopt's two forms. */
static void options_compile(unsigned verb, struct option *longs, char *shorts)
{
    if (verb == VERB_GATE)
        *shorts++ = '-'; /* getopt then gives operands in their places: those behind --baseline are baselines */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if ((rows[i].verbs & (1u << verb)) == 0)
            continue;
        *longs++ =
            (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument, NULL, rows[i].letter};
        if (rows[i].letter < 256) {
            *shorts++ = (char)rows[i].letter;
            if (rows[i].argument)
                *shorts++ = ':';
        }
    }
    *longs = (struct option){0};
    *shorts = '\0';
}

static enum options_outcome option_apply(struct options *options, unsigned verb, int letter)
{
    if (letter == 'h') {
        help_verb(verb);
        return OPTIONS_SAID_ALL;
    }
    if (letter == 'V') {
        options_version();
        return OPTIONS_SAID_ALL;
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].letter != letter || (rows[i].verbs & (1u << verb)) == 0 || rows[i].apply(options, optarg))
            continue;
        char *given = text_printable(optarg, strlen(optarg));
        fprintf(stderr, "pieprof-report: --%s %s: expected %s, %s\n", rows[i].name, given, rows[i].argument,
                rows[i].help);
        free(given);
        return OPTIONS_WRONG;
    }
    return OPTIONS_RUN;
}

enum options_outcome options_read(struct options *options, unsigned verb, int argc, char **argv)
{
    struct option longs[ROW_COUNT + 1];
    char shorts[2 * ROW_COUNT + 2];
    *options = (struct options){.file = "out.db", .top = (size_t)-1, .min_waste_percent = 0.5, .phase = PHASE_COUNT};
    gate_options_default(&options->gate);
    options_compile(verb, longs, shorts);
    for (int letter; (letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (letter == '?') { /* getopt has said what is wrong */
            fprintf(stderr, "`pieprof-report %s --help` lists the options.\n", verbs[verb].name);
            return OPTIONS_WRONG;
        }
        enum options_outcome outcome =
            letter == 1 ? operand_read(options, verbs[verb].name, optarg) : option_apply(options, verb, letter);
        if (outcome != OPTIONS_RUN)
            return outcome;
    }
    return verb == VERB_GATE ? operands_read_runs(options, verbs[verb].name, verbs[verb].operand, argc, argv)
                             : operands_read(options, verbs[verb].name, verbs[verb].operand, argc, argv);
}
