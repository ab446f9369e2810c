/* What stands on the command line beside the options: files. */
#ifndef PIEPROF_ANALYZER_OPERANDS_H
#define PIEPROF_ANALYZER_OPERANDS_H

#include "options.h"

/* One operand of gate, in its place: a run; behind --baseline, where a run stands before that, a further baseline. */
enum options_outcome operand_read(struct options *options, const char *verb, const char *text);

/* What getopt left of argv, from `optind` on. `operand`: as the usage line of the verb shows them ("[FILE]", "BASE NEW"). */
enum options_outcome operands_read(struct options *options, const char *verb, const char *operand, int argc,
                                   char **argv);

/* The same of gate, which takes any number: at least one run there must be, in its place or here. */
enum options_outcome operands_read_runs(struct options *options, const char *verb, const char *operand, int argc,
                                        char **argv);

#endif
