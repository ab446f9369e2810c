/* The command line: one table of options whose first column says which verbs accept them. */
#ifndef PIEPROF_ANALYZER_OPTIONS_H
#define PIEPROF_ANALYZER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/gate_options.h"
#include "model/phase.h"

#define OPTIONS_OWN_MAX 32

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum report_format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_MARKDOWN,
    FORMAT_GITHUB,
    FORMAT_SARIF,
    FORMAT_JUNIT,
    FORMAT_CODECLIMATE,
    FORMAT_BASELINE,
    FORMAT_COUNT
};

#define OPTIONS_WIDTH_LEAST 40u
#define OPTIONS_WIDTH_MOST 10000u

struct options {
    const char *file;                /* the run's file; out.db unless named */
    const char *second;              /* diff: the run that is compared with it */
    const char *runs[GATE_RUNS_MAX]; /* gate: those to judge, `file` the first of them */
    size_t run_count;
    bool runs_first;    /* one stands before --baseline */
    const char *output; /* -o; NULL is standard output */
    enum report_format format;
    bool format_given;
    enum color_mode color;
    size_t top;            /* lines shown; 0: all */
    const char *kind;      /* NULL: every kind */
    const char *file_glob; /* NULL: every file */
    enum phase phase;      /* PHASE_COUNT: every phase */
    double min_waste_percent;
    size_t width;                     /* columns of the page, OPTIONS_WIDTH_LEAST to _MOST; 0: the terminal's */
    const char *own[OPTIONS_OWN_MAX]; /* packages that count as the user's own code */
    size_t own_count;
    struct gate_options gate;
};

/* What the command line asks for. */
enum options_outcome { OPTIONS_RUN, OPTIONS_SAID_ALL, OPTIONS_WRONG };

/*
 * Reads argv[1..] of `verb` (an enum verb_id) into `options`. --help and --version are answered here (OPTIONS_SAID_ALL);
 * a mistake is one line on stderr (OPTIONS_WRONG).
 */
enum options_outcome options_read(struct options *options, unsigned verb, int argc, char **argv);

/* Is there such a kind of findings? */
bool options_know_kind(const char *kind);

/* `pieprof-report --help` itself. */
void options_help_program(void);
void options_version(void);

#endif
