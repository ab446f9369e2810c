/* The verbs of pieprof-report: one row and one file each. */
#ifndef PIEPROF_ANALYZER_VERB_H
#define PIEPROF_ANALYZER_VERB_H

#include "options.h"

/* Exit statuses, DESIGN section 3. */
enum { STATUS_GOOD = 0, STATUS_FAILED = 1, STATUS_UNUSABLE = 2 };

/* name, id, what it does, operand shown in the usage line */
#define VERBS(X)                                                                                                       \
    X(report, REPORT, "rank the lines of a run by what they waste (the default verb)", "[FILE]")                       \
    X(diff, DIFF, "line up two runs: what is new, gone, more or less", "BASE NEW")                                     \
    X(gate, GATE, "fail when a run wastes more than a baseline, or than is allowed", "NEW...")                         \
    X(export, EXPORT, "write a run in another form, such as a baseline to commit", "[FILE]")                           \
    X(dump, DUMP, "print every record of a file, for debugging", "[FILE]")                                             \
    X(doctor, DOCTOR, "say what works on this machine, and how to enable the rest", "")

enum verb_id {
#define X(name, id, what, operand) VERB_##id,
    VERBS(X)
#undef X
        VERB_COUNT
};

#define VERB_BIT(id) (1u << VERB_##id)

/* Each verb's way in, in the file of its name. Returns the exit status. */
#define X(name, id, what, operand) int verb_##name(const struct options *options);
VERBS(X)
#undef X

#endif
