/* What numbers a line's objects held, in words. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "show/text_parts.h"

#define TOLD_PERCENT 1.0 /* of a line's elements: what is told of zeros and repeated values */

/* Appends; takes `more`, and does nothing with NULL. */
static void add(char **text, char *more)
{
    if (more == NULL)
        return;
    char *longer = memory_print("%s%s%s", *text, **text != '\0' ? ", " : "", more);
    free(*text);
    free(more);
    *text = longer;
}

static char *text_part(uint64_t part, uint64_t whole, const char *what)
{
    double percent = whole > 0 ? 100 * (double)part / (double)whole : 0;
    if (percent < TOLD_PERCENT)
        return NULL;
    char *number = page_percent(percent), *text = memory_print("%s %s", number, what);
    free(number);
    return text;
}

static char *text_count(uint64_t count, const char *what)
{
    if (count == 0)
        return NULL;
    char *number = page_count(count), *text = memory_print("%s %s", number, what);
    free(number);
    return text;
}

static char *text_ratio(const struct compression *compression)
{
    return compression->samples == 0
               ? NULL
               : memory_print(
                     "zfp would make it %.1f times smaller (error up to %g of the greatest; guessed from %" PRIu64
                     " sample%s)",
                     (double)compression->raw_bits / (double)compression->coded_bits, COMPRESSION_TOLERANCE,
                     compression->samples, compression->samples == 1 ? "" : "s");
}

/*
 * "float32 (5,000 looked at): 62 % zeros, sizes from 1.2e-06 to 3.4, 12 NaN". Fresh memory. A repeated value is counted in objects
 * alone where it is most of what is not zero (struct db_range): others may hold it too.
 */
static char *text_content(const struct content *content, enum element element)
{
    bool is_float = element == ELEMENT_FLOAT32 || element == ELEMENT_FLOAT64;
    bool has_elements = element != ELEMENT_FLAGS && element != ELEMENT_UNKNOWN;
    char *facts = memory_print("%s", "");
    if (element != ELEMENT_FLAGS)
        add(&facts, text_part(content->zeros, content->elements, "zeros"));
    if (has_elements)
        add(&facts, text_part(content->repeated, content->elements, "or more one other value"));
    if (is_float && content->lowest <= content->highest)
        add(&facts, memory_print("sizes from %.2g to %.2g", content->lowest, content->highest));
    add(&facts, is_float ? text_count(content->nan, "NaN") : NULL);
    add(&facts, is_float ? text_count(content->infinite, "infinite") : NULL);
    add(&facts, text_ratio(&content->compression));
    const char *name = element == ELEMENT_UNKNOWN ? "unknown type" : element_names[element];
    char *looked_at = page_count(content->elements);
    char *text = memory_print("%s (%s%s looked at)%s%s", name, looked_at, has_elements ? "" : " words of 8 bytes",
                              *facts != '\0' ? ": " : "", facts);
    free(facts);
    free(looked_at);
    return text;
}

char *text_contents(const struct contents *contents)
{
    char *text = NULL;
    for (enum element element = 0; contents != NULL && element < ELEMENT_KINDS; element++) {
        if (contents->of[element].objects == 0)
            continue;
        char *more = text_content(&contents->of[element], element);
        char *longer = memory_print("%s%s%s", text != NULL ? text : "content ", text != NULL ? "; " : "", more);
        free(text);
        free(more);
        text = longer;
    }
    return text;
}
