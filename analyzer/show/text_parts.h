/* Between the files that write the text page. */
#ifndef PIEPROF_ANALYZER_TEXT_PARTS_H
#define PIEPROF_ANALYZER_TEXT_PARTS_H

#include "model/model.h"
#include "model/select.h"
#include "show/page.h"

/* text_names.c: the file as a reader knows it: relative to where the program ran, escaped. Fresh memory. */
char *text_path(const struct model *model, const char *path);

/* text_names.c: "97 % (93-99 %)" or NULL when too few pairs. Fresh memory. */
char *text_share(const struct share *share);

/* text_head.c: the run's header and totals. text_tail: what is off, lost, and what to do next. */
void text_head(const struct page *page, const struct model *model);
void text_tail(const struct page *page, const struct model *model, const struct selection *selection,
               const struct options *options);

/* text_line.c: one ranked line. `rank` counts from 1. */
void text_line(const struct page *page, struct model *model, const struct line *line, size_t rank,
               double min_waste_percent);

/* text_pair.c: both stacks of a group of pairs. */
void text_pair(const struct page *page, struct model *model, const struct pair_group *group);

/* text_pair.c: "train.py:88 main > model.py:57 attention > gemm [libopenblas.so]". Fresh memory. */
char *text_context(struct model *model, const struct process *process, uint32_t node);

#endif
