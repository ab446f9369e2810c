/* The gate's verdict and the comparison of two runs, one output a file. Names of files and functions and source text in them are foreign. */
#ifndef PIEPROF_ANALYZER_VERDICT_H
#define PIEPROF_ANALYZER_VERDICT_H

#include <stdbool.h>
#include <stdio.h>

#include "compare/difference.h"
#include "compare/judge.h"
#include "options.h"

struct verdict {
    const struct profile *now, *base; /* the first of each side; base: NULL without one */
    size_t now_count, base_count;
    const struct judgement *judgement;
    const struct options *options;
};

/* Each: false when the output could not be written. */
bool verdict_show_text(FILE *out, const struct verdict *verdict);
bool verdict_show_json(FILE *out, const struct verdict *verdict); /* tests/schema/gate.schema.json */
bool verdict_show_markdown(FILE *out,
                           const struct verdict *verdict);          /* for a pull request's comment, a step's summary */
bool verdict_show_github(FILE *out, const struct verdict *verdict); /* text, and a workflow command for each failure */
bool verdict_show_commands(FILE *out, const struct verdict *verdict); /* of these the commands alone */
bool verdict_show_sarif(FILE *out, const struct verdict *verdict);    /* SARIF 2.1.0 */
bool verdict_show_junit(FILE *out, const struct verdict *verdict);
bool verdict_show_codeclimate(FILE *out, const struct verdict *verdict);

bool difference_show_text(FILE *out, const struct difference *difference, const struct options *options);
bool difference_show_json(FILE *out, const struct difference *difference); /* tests/schema/diff.schema.json */
bool difference_show_markdown(FILE *out, const struct difference *difference);

/* verdict_words.c: "2 new, 1 gone"; "new.db against base.json". Fresh memory. */
char *verdict_counts(const struct judgement *judgement);
char *verdict_subject(const struct verdict *verdict);

/* verdict_words.c: is it told without being asked for? Suppressed ones only with --show-suppressed. */
bool verdict_tells(const struct verdict *verdict, const struct judged_item *item);

/* verdict_words.c: "new replica at src/model.py:57 in attention", printable; fresh memory. */
char *verdict_title(const struct judged_item *item);

/* verdict_words.c: claim, what, advice, way and phase as one text, printable; fresh memory. */
char *verdict_message(const struct judged_item *item);

/* verdict_words.c: an item's phase in words; NULL where it is none of a training. */
const char *verdict_phase(const struct judged_item *item);

/* escape.c: fresh memory. */
char *escape_xml(const char *text);
char *escape_html(const char *text); /* every ASCII punctuation mark as an entity: no Markdown either */
char *escape_uri(const char *path);  /* of a relative path */
char *escape_command(const char *text, bool property); /* of a workflow command of GitHub Actions */

#endif
