/* Between the files that write the text page. */
#ifndef PIEPROF_ANALYZER_TEXT_PARTS_H
#define PIEPROF_ANALYZER_TEXT_PARTS_H

#include "model/model.h"
#include "model/select.h"
#include "model/share.h"
#include "show/page.h"

/* text_names.c: the file as path_told() has it, escaped. Fresh memory. */
char *text_path(const struct model *model, const char *path);

/* text_names.c: "97 % (93-99 %)" or NULL when too few pairs. Fresh memory. */
char *text_share(struct estimate estimate);

/* text_head.c: the run's header and totals. text_tail: what is off, lost, and what to do next. */
void text_head(const struct page *page, struct model *model, double min_waste_percent);
void text_tail(const struct page *page, const struct model *model, const struct selection *selection,
               const struct options *options);

/* text_head.c: one row of the header, wrapped beside its name ("": the row before goes on). Takes `text`. */
void text_row(const struct page *page, const char *name, char *text);

/* text_waste.c: the row of what was wasted, by its ways; nothing where nothing was. */
void text_waste(const struct page *page, struct model *model, double min_waste_percent);

/* text_missing.c: how much CPU time is in no sample, and what is not sampled; NULL where it is little. Fresh memory. */
char *text_missing(const struct model *model);

/* text_missing.c: is most of it in none, and enough to matter? */
bool text_is_mostly_missing(const struct model *model);

/* text_phases.c: the row of the run's phases; nothing where fewer than two were recognised. */
void text_phases(const struct page *page, const struct model *model);

/* text_phases.c: "forward 62 %, backward 38 %", parts of the line's time; NULL where no phase was recognised. Fresh memory. */
char *text_line_phases(const struct model *model, const struct line *line);

/* text_objects.c: "480 objects made: 477 equal to an earlier one (1.2 MiB), 3 constant"; NULL when there are none. Fresh memory. */
char *text_objects(const struct objects *objects);

/* text_lifetime.c: the row of the run's live bytes, and what stood at their peak. */
void text_memory(const struct page *page, const struct model *model);

/* text_lifetime.c: "memory alive for 12 ms in the mean, at the peak 4 MiB; ..."; NULL when there is none. Fresh memory. */
char *text_line_memory(const struct model *model, const struct line *line);

/* text_mixing.c: the row of pages that hot and cold objects share; nothing where that does not matter. */
void text_mixing(const struct page *page, const struct model *model);

/* text_content.c: "content float32: 62 % zeros, sizes from 1.2e-06 to 3.4"; NULL where it was not asked for. Fresh memory. */
char *text_contents(const struct contents *contents);

/* text_phases.c: a phase in words; NULL where it is none of a training. */
const char *text_phase(const struct model *model, enum phase phase);

/* text_phases.c: were the phases of a training recognised? */
bool text_is_training(const struct model *model);

/* text_finding.c: one finding. `rank` counts from 1. */
void text_finding(const struct page *page, struct model *model, const struct finding *finding, size_t rank);

/* text_line.c: the user line that a package's line stands for, where there is one. */
void text_caller(const struct page *page, const struct model *model, const struct line *line);

/* text_line.c: a source line, quoted, with carets under each of the `count` spans. */
void text_source(const struct page *page, const struct model *model, const struct line *line,
                 const struct line_span *spans, size_t count);

/* text_line.c: one ranked line. `rank` counts from 1; `finding` is that of its first finding above, 0 without one. */
void text_line(const struct page *page, struct model *model, const struct line *line, size_t rank, size_t finding,
               double min_waste_percent);

/* text_pair.c: both stacks of a group of pairs. */
void text_pair(const struct page *page, struct model *model, const struct pair_group *group);

/*
 * text_pair.c: "train.py:88 main > model.py:57 attention > gemm [libopenblas.so]". `entry_alone`: of the native functions
 * the first with a name, where the others only allocate. Fresh memory.
 */
char *text_context(struct model *model, const struct process *process, uint32_t node, bool entry_alone);

/* text_pair.c: the same of the Python frames alone, for which no library is looked into. Fresh memory. */
char *text_way(struct model *model, const struct process *process, uint32_t node);

#endif
