#include "operands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum options_outcome too_many(const char *verb, const char *text)
{
    fprintf(stderr, "pieprof-report: %s: one argument too many: %s\n", verb, text);
    return OPTIONS_WRONG;
}

static enum options_outcome too_few(const char *verb, const char *operand)
{
    fprintf(stderr, "pieprof-report: %s: needs %s\n", verb, operand);
    return OPTIONS_WRONG;
}

enum options_outcome operand_read(struct options *options, const char *verb, const char *text)
{
    if (options->gate.baseline_count > 0 && options->runs_first)
        return gate_option_baseline(&options->gate, text) ? OPTIONS_RUN : too_many(verb, text);
    if (options->run_count == GATE_RUNS_MAX)
        return too_many(verb, text);
    options->runs[options->run_count++] = text;
    return OPTIONS_RUN;
}

enum options_outcome operands_read_runs(struct options *options, const char *verb, const char *operand, int argc,
                                        char **argv)
{
    for (; optind < argc; optind++)
        if (operand_read(options, verb, argv[optind]) != OPTIONS_RUN)
            return OPTIONS_WRONG;
    if (options->run_count == 0)
        return too_few(verb, operand);
    options->file = options->runs[0];
    return OPTIONS_RUN;
}

/* How many operands a verb's usage line shows, and how many of them must be there: those without brackets. */
static int count_operands(const char *operand, int *needed)
{
    int allowed = *operand != '\0' ? 1 : 0;
    for (const char *at = operand; (at = strchr(at, ' ')) != NULL; at++)
        allowed++;
    *needed = *operand == '[' ? 0 : allowed;
    return allowed;
}

enum options_outcome operands_read(struct options *options, const char *verb, const char *operand, int argc,
                                   char **argv)
{
    int needed, allowed = count_operands(operand, &needed);
    if (argc - optind > allowed)
        return too_many(verb, argv[optind + allowed]);
    if (argc - optind < needed)
        return too_few(verb, operand);
    if (optind < argc)
        options->file = argv[optind];
    if (optind + 1 < argc)
        options->second = argv[optind + 1];
    return OPTIONS_RUN;
}
