/* Parts of the sentences of findings. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "findings/sites.h"
#include "show/page.h"
#include "show/text_parts.h"

char *say_place(const struct model *model, const char *file, int32_t line)
{
    char *path = text_path(model, file), *text = memory_print("%s:%d", path, line);
    free(path);
    return text;
}

char *say_others(const struct finding_object *object)
{
    if (object->sizes <= 1)
        return memory_print("%s", "");
    return memory_print("; %" PRIu64 " other size%s likewise", object->sizes - 1, object->sizes == 2 ? "" : "s");
}

char *say_made(const struct finding_object *object)
{
    char *size = page_bytes(object->size_bytes), *made = page_count(object->made);
    char *examined = page_count(object->examined);
    char *text = object->examined == object->made
                     ? memory_print("%s made %s times", size, made)
                     : memory_print("%s made %s times, %s of them looked at", size, made, examined);
    free(size);
    free(made);
    free(examined);
    return text;
}
