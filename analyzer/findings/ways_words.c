#include "findings/ways_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/sites.h"
#include "findings/ways.h"
#include "show/page.h"

/* "env.py:12"; "reset(env) at env.py:12" where both calls stand on one line. NULL: it has no text. Fresh memory. */
static char *say_call(struct model *model, const struct ways *ways, const struct line_span *call)
{
    char *place = say_place(model, ways->file, call->line);
    if (ways->first != ways->second)
        return place;
    char *text = say_span(model, ways->file, call), *both = NULL;
    if (text != NULL)
        both = memory_print("%s at %s", text, place);
    free(place);
    free(text);
    return both;
}

/* Both calls; false, and nothing, where nothing tells them apart. Fresh memory. */
static bool say_calls(struct model *model, const struct ways *ways, char **first, char **second)
{
    *first = ways->file != NULL ? say_call(model, ways, &ways->first_call) : NULL;
    *second = ways->file != NULL ? say_call(model, ways, &ways->second_call) : NULL;
    if (*first != NULL && *second != NULL && strcmp(*first, *second) != 0)
        return true;
    free(*first);
    free(*second);
    return false;
}

/* " That is so by env.py:12 alone: by env.py:21 the line's results are new."; empty where there is no other way. Fresh memory. */
static char *say_way(struct model *model, const struct finding *finding)
{
    const struct site *other = ways_new_on_another(finding->line, finding->second);
    struct ways ways = other != NULL ? ways_to_line(model, finding->second, other) : (struct ways){0};
    char *first, *second;
    if (!say_calls(model, &ways, &first, &second))
        return memory_print("%s", "");
    char *text = memory_print(" That is so by %s alone: by %s the line's results are new.", first, second);
    free(first);
    free(second);
    return text;
}

/* " (model.py:20 and model.py:24)", as they stand in the file; empty where nothing tells them apart. Fresh memory. */
static char *say_both(struct model *model, const struct ways *ways)
{
    const struct line_span *a = &ways->first_call, *b = &ways->second_call;
    bool is_ordered = a->line != b->line ? a->line < b->line : a->column < b->column;
    char *first, *second;
    if (!say_calls(model, ways, &first, &second))
        return memory_print("%s", "");
    char *text = memory_print(" (%s and %s)", is_ordered ? first : second, is_ordered ? second : first);
    free(first);
    free(second);
    return text;
}

/* " By env.py:21 the line's results are new."; empty where all ways make the same again. Fresh memory. */
static char *say_new_way(struct model *model, const struct finding *finding)
{
    const struct site *other = ways_new_on_another(finding->line, finding->second);
    struct ways ways = other != NULL ? ways_to_line(model, finding->second, other) : (struct ways){0};
    char *call = ways.file != NULL ? say_call(model, &ways, &ways.second_call) : NULL;
    char *text = call != NULL    ? memory_print(" By %s the line's results are new.", call)
                 : other != NULL ? memory_print(" On another way the line's results are new.")
                                 : memory_print("%s", "");
    free(call);
    return text;
}

char *ways_say(struct model *model, const struct finding *finding)
{
    const struct finding_object *object = &finding->object;
    if (object->ways < 2)
        return say_way(model, finding);
    struct ways ways = object->ways == 2 ? ways_to_line(model, finding->second, object->other_way) : (struct ways){0};
    char *count = page_count(object->ways), *places = say_both(model, &ways), *other = say_new_way(model, finding);
    char *text = memory_print(" The line is reached in %s ways%s, %s.%s", count, places,
                              object->ways_share ? "which made the same" : "each compared with its own results", other);
    free(count);
    free(places);
    free(other);
    return text;
}
