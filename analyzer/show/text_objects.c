/* Objects in words: what was made, and what of it had been there before. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "show/text_parts.h"

/* Adds "12 replicas (1.2 MiB)" to the text, behind a comma; nothing for none. `bytes` 0: not told. */
static void add_part(char **text, uint64_t count, const char *what, uint64_t bytes)
{
    if (count == 0)
        return;
    char *number = page_count(count), *size = page_bytes(bytes);
    char *longer = memory_print("%s%s%s %s%s%s%s", *text, **text != '\0' ? ", " : "", number, what,
                                bytes > 0 ? " (" : "", bytes > 0 ? size : "", bytes > 0 ? ")" : "");
    free(number);
    free(size);
    free(*text);
    *text = longer;
}

/* As many as the examined ones and the contents that were followed say, where these are not all there is. */
static void add_replicas(char **text, const struct objects *objects)
{
    struct objects_estimate estimate = objects_estimate(objects);
    if (!estimate.known || estimate.replicas <= objects->replicas) {
        add_part(text, objects->replicas, "equal to an earlier one", objects->replica_bytes);
        return;
    }
    char *low = page_count(estimate.low), *high = page_count(estimate.high);
    char *what = memory_print("(%s-%s) of all equal to an earlier one", low, high);
    add_part(text, estimate.replicas, what, (uint64_t)fmin(objects->estimate_bytes, 0x1p62));
    free(low);
    free(high);
    free(what);
}

/* "3,804 made" or "about 3,804 made (3,290-4,319)"; empty for none. Fresh memory. */
static char *say_results(const struct objects *objects)
{
    if (objects_results(objects) == 0)
        return memory_print("%s", "");
    char *made = page_count(objects_results(objects));
    char *low = page_count((uint64_t)floor(objects_results_low(objects)));
    char *high = page_count((uint64_t)ceil(objects_results_high(objects)));
    char *text = objects->results_variance > 0 ? memory_print("about %s made (%s-%s)", made, low, high)
                                               : memory_print("%s made", made);
    free(made);
    free(low);
    free(high);
    return text;
}

char *text_objects(const struct objects *objects)
{
    if (objects->births == 0)
        return NULL;
    char *text = say_results(objects);
    add_part(&text, objects->examined < objects_results(objects) ? objects->examined : 0, "looked at", 0);
    add_replicas(&text, objects);
    add_part(&text, objects->linked,
             objects->skipped > 0 ? "or more to another line's or call's" : "to another line's or call's",
             objects->linked_bytes);
    add_part(&text, objects->copies, "copies", 0);
    add_part(&text, objects->constant, "constant", objects->constant_bytes);
    add_part(&text, objects->workspaces,
             objects->results_variance > 0 ? "or so workspaces"
             : objects->workspaces == 1    ? "workspace"
                                           : "workspaces",
             objects->workspace_bytes);
    if (*text == '\0')
        add_part(&text, objects->unfilled, "made that nothing was seen to be stored into", 0);
    return text;
}
