/* Objects in words: what was made, and what of it had been there before. */
#include <stdlib.h>

#include "base/memory.h"
#include "show/text_parts.h"

/* Adds ", 12 replicas (1.2 MiB)" to the text; nothing for none. `bytes` 0: not told. */
static void add_part(char **text, uint64_t count, const char *what, uint64_t bytes)
{
    if (count == 0)
        return;
    char *number = page_count(count), *size = page_bytes(bytes);
    char *longer = memory_print("%s, %s %s%s%s%s", *text, number, what, bytes > 0 ? " (" : "", bytes > 0 ? size : "",
                                bytes > 0 ? ")" : "");
    free(number);
    free(size);
    free(*text);
    *text = longer;
}

char *text_objects(const struct objects *objects)
{
    uint64_t results = objects->births - objects->workspaces - objects->unfilled;
    if (objects->births == 0)
        return NULL;
    char *made = page_count(results), *examined = page_count(objects->examined);
    char *text = objects->examined < results ? memory_print("%s made, %s looked at", made, examined)
                                             : memory_print("%s made", made);
    add_part(&text, objects->replicas, "equal to an earlier one", objects->replica_bytes);
    add_part(&text, objects->linked, "to another line's or call's", objects->linked_bytes);
    add_part(&text, objects->copies, "copies", 0);
    add_part(&text, objects->constant, "constant", objects->constant_bytes);
    add_part(&text, objects->workspaces, "workspaces", objects->workspace_bytes);
    free(made);
    free(examined);
    return text;
}
