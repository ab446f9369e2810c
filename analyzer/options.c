#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pieprof/version.h"
#include "verb.h"

/* The kinds of findings a --kind may name (DESIGN, "Kinds"). */
static const char *const kinds[] = {"replica", "redundant_store", "dead_store", "redundant_load", "tiny_calls",
                                    "idle",    "churn",           "constant",   "transfer"};

#define ON_ALL (VERB_BIT(REPORT) | VERB_BIT(DUMP) | VERB_BIT(DOCTOR))

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

static bool apply_format(struct options *options, const char *text)
{
    options->format = strcmp(text, "json") == 0 ? FORMAT_JSON : FORMAT_TEXT;
    return strcmp(text, "json") == 0 || strcmp(text, "text") == 0;
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

static bool apply_kind(struct options *options, const char *text)
{
    options->kind = text;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(text, kinds[i]) == 0)
            return true;
    return false;
}

static bool apply_top(struct options *options, const char *text)
{
    return read_count(text, 0, 1000000, &options->top);
}

static bool apply_width(struct options *options, const char *text)
{
    return read_count(text, 40, 10000, &options->width);
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
    options->output = text;
    return *text != '\0';
}

static bool apply_own(struct options *options, const char *text)
{
    if (options->own_count == OPTIONS_OWN_MAX)
        return false;
    options->own[options->own_count++] = text;
    return true;
}

static const struct option_row rows[] = {
    {VERB_BIT(REPORT), 'f', "format", "text|json", "how to write the report (default: text)", apply_format},
    {VERB_BIT(REPORT), 'n', "top", "N", "show the first N lines (default: 10 in text, all in JSON; 0: all)", apply_top},
    {VERB_BIT(REPORT), 'k', "kind", "KIND",
     "only lines with this kind of waste: redundant_load, redundant_store, dead_store, ...", apply_kind},
    {VERB_BIT(REPORT), 256, "file", "GLOB", "only lines of files that match, by path or by name", apply_file},
    {VERB_BIT(REPORT), 260, "phase", "data_loading|forward|backward|optimizer|other",
     "only what ran in this phase of the training", apply_phase},
    {VERB_BIT(REPORT), 257, "min-waste", "PERCENT",
     "the least waste, in percent of the time, of a finding (0 to 100; default: 0.5)", apply_min_waste},
    {VERB_BIT(REPORT), 'w', "width", "N", "columns of the text page (default: the terminal's; 40 or more)",
     apply_width},
    {VERB_BIT(REPORT), 258, "own", "GLOB", "count packages that match as your own code; may be repeated", apply_own},
    {VERB_BIT(REPORT), 259, "color", "auto|always|never",
     "colours (default: auto, on a terminal; NO_COLOR is honoured)", apply_color},
    {VERB_BIT(REPORT) | VERB_BIT(DUMP), 'o', "output", "FILE", "write to FILE instead of standard output",
     apply_output},
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
        puts("FILE is a run's file, out.db unless named.");
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
         "Exit status: 0 good, 2 wrong usage or unreadable input.");
}

/* The table's rows for this verb, in getopt's two forms. */
static void options_compile(unsigned verb, struct option *longs, char *shorts)
{
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
        if (rows[i].letter != letter || rows[i].apply(options, optarg))
            continue;
        fprintf(stderr, "pieprof-report: --%s %s: expected %s, %s\n", rows[i].name, optarg, rows[i].argument,
                rows[i].help);
        return OPTIONS_WRONG;
    }
    return OPTIONS_RUN;
}

static enum options_outcome read_operands(struct options *options, unsigned verb, int argc, char **argv)
{
    int allowed = *verbs[verb].operand ? 1 : 0;
    if (argc - optind > allowed) {
        fprintf(stderr, "pieprof-report: %s: one argument too many: %s\n", verbs[verb].name, argv[optind + allowed]);
        return OPTIONS_WRONG;
    }
    if (optind < argc)
        options->file = argv[optind];
    return OPTIONS_RUN;
}

enum options_outcome options_read(struct options *options, unsigned verb, int argc, char **argv)
{
    struct option longs[ROW_COUNT + 1];
    char shorts[2 * ROW_COUNT + 1];
    *options = (struct options){.file = "out.db", .top = (size_t)-1, .min_waste_percent = 0.5, .phase = PHASE_COUNT};
    options_compile(verb, longs, shorts);
    for (int letter; (letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (letter == '?') { /* getopt has said what is wrong */
            fprintf(stderr, "`pieprof-report %s --help` lists the options.\n", verbs[verb].name);
            return OPTIONS_WRONG;
        }
        enum options_outcome outcome = option_apply(options, verb, letter);
        if (outcome != OPTIONS_RUN)
            return outcome;
    }
    return read_operands(options, verb, argc, argv);
}
