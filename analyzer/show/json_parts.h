/* Between the files that write the JSON report. */
#ifndef PIEPROF_ANALYZER_JSON_PARTS_H
#define PIEPROF_ANALYZER_JSON_PARTS_H

#include <stdio.h>

#include <jansson.h>

#include "model/model.h"

/* json_print.c: as json_dumpf, but for what a log would take for a command; takes the value. False when it could not be written. */
bool json_print(FILE *out, json_t *value, size_t flags);

/* json_values.c */
json_t *json_text(const char *text); /* null for NULL; invalid UTF-8 replaced */
json_t *json_count(uint64_t count);
void json_put_count(json_t *object, const char *name, uint64_t count);
json_t *json_seconds(double seconds);
json_t *json_phase(enum phase phase);       /* its name */
json_t *json_phase_asked(enum phase phase); /* its name; null for PHASE_COUNT */
json_t *json_phases_of(unsigned phases);    /* the names of its bits */

/* json.c */
json_t *json_share(const struct share *share);

/* json_place.c: a context: the line it is charged to (NULL: none), and its frames, outermost first. */
json_t *json_context(struct model *model, const struct process *process, const struct line *line, uint32_t node);

/* json_place.c: where a line is, who called it, its text; columns are those of `span`. */
void json_put_place(json_t *object, const struct model *model, const struct line *line, const struct line_span *span);

/* json_objects.c: replicas of totals and lines; null while the engine is off. */
json_t *json_objects(const struct model *model, const struct objects *objects);

/* json_lifetime.c: live bytes of the run, and of a line; null while nothing is known. */
json_t *json_memory(const struct model *model);
json_t *json_line_memory(const struct model *model, const struct line *line);

/* json_mixing.c: pages that hot and cold objects share. */
json_t *json_mixing(const struct model *model);

/* json_content.c: by type of elements; null where PIEPROF_CONTENT did not ask for it. */
json_t *json_contents(const struct contents *contents);

/* json_objects.c: `rank` counts from 1. */
struct finding;
json_t *json_finding(struct model *model, const struct finding *finding, size_t rank);

/* json_phases.c: seconds and objects of each phase of the run; seconds of each on a line. */
json_t *json_phases(const struct model *model);
json_t *json_line_phases(const struct line *line);

/* json_run.c: the report's "run". */
json_t *json_run(const struct model *model);

#endif
