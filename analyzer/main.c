/* pieprof-report: reads a run's file and says which lines waste what. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "show/output.h"
#include "verb.h"

static const struct {
    const char *name;
    int (*run)(const struct options *options);
} verbs[VERB_COUNT] = {
#define X(name, id, what, operand) {#name, verb_##name},
    VERBS(X)
#undef X
};

/* Index of the verb called `name`, VERB_COUNT when there is none. */
static unsigned verb_find(const char *name)
{
    unsigned verb = 0;
    while (verb < VERB_COUNT && strcmp(verbs[verb].name, name) != 0)
        verb++;
    return verb;
}

/* A first word that could only be a verb: no option, no path, no existing file's name. */
static int looks_like_verb(const char *word)
{
    if (word[0] == '-' || word[0] == '\0' || strpbrk(word, "./") != NULL)
        return 0;
    /* Looked at, not opened: opening a pipe waits for its writer. */
    struct stat status;
    return lstat(word, &status) != 0;
}

static int unknown_verb(const char *word)
{
    fprintf(stderr, "pieprof-report: unknown verb '%s'; the verbs are:", word);
    for (unsigned i = 0; i < VERB_COUNT; i++)
        fprintf(stderr, " %s", verbs[i].name);
    fputc('\n', stderr);
    return STATUS_UNUSABLE;
}

/* The exit status after a text on standard output. */
static int status_said(void)
{
    static const struct options to_stdout;
    return output_close(stdout, &to_stdout) ? STATUS_GOOD : STATUS_UNUSABLE;
}

int main(int argc, char **argv)
{
    unsigned verb = VERB_REPORT;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        options_help_program();
        return status_said();
    }
    if (argc > 1 && verb_find(argv[1]) < VERB_COUNT) {
        verb = verb_find(argv[1]);
        argc--;
        argv[1] = argv[0];
        argv++;
    } else if (argc > 1 && looks_like_verb(argv[1])) {
        return unknown_verb(argv[1]);
    }
    struct options options;
    switch (options_read(&options, verb, argc, argv)) {
    case OPTIONS_SAID_ALL:
        return status_said();
    case OPTIONS_WRONG:
        return STATUS_UNUSABLE;
    default:
        return verbs[verb].run(&options);
    }
}
