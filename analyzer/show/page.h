/* A terminal page: width, colours, numbers, wrapping. Text given to it is printed as it is: escape foreign text first. */
#ifndef PIEPROF_ANALYZER_PAGE_H
#define PIEPROF_ANALYZER_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_DIM, STYLE_WARN, STYLE_GOOD, STYLE_MARK };

struct page {
    FILE *out;
    size_t width;
    bool color;
};

/* Width and colour as the options, NO_COLOR and the terminal say; 100 columns where there is none. */
void page_start(struct page *page, FILE *out, const struct options *options);

/* `text` in a style. */
void page_put(const struct page *page, enum style style, const char *text);

/* `text` over as many rows as it needs, broken at blanks, each with `indent` blanks before it; the first row starts at
 * column `at`, where the cursor stands. Ends the last row. */
void page_wrap(const struct page *page, size_t at, size_t indent, const char *text);

/* Numbers for people, in fresh memory: "15,204"; "once", "15,204 times"; "1.2 MiB"; "62.4 s", "310 ms"; "16 %". */
char *page_count(uint64_t count);
char *page_times(uint64_t count);
char *page_bytes(uint64_t bytes);
char *page_seconds(double seconds);
char *page_percent(double percent);

#endif
