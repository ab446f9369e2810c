#include "findings/used_up.h"

#include "base/memory.h"
#include "findings/expression.h"
#include "python/uses_up.h"

struct word used_up_by(struct model *model, struct process *process, uint32_t frame)
{
    const struct source *code = NULL;
    struct word text = {"", 0};
    const char *operation = operation_code(model, process, frame, &text.length_bytes, &code);
    if (operation == NULL)
        return (struct word){"", 0};
    text.text = operation;
    return uses_up_call(text);
}

char *used_up_say(struct model *model, const struct site *site)
{
    struct word name = used_up_by(model, site->process, callers_frame(site->process, site->record->node));
    return name.length_bytes > 0
               ? memory_print(" %.*s() is still to be called as often as now.", (int)name.length_bytes, name.text)
               : memory_print("%s", "");
}
