#include "findings/kept_attribute.h"

#include "findings/inputs_change.h"
#include "python/attribute.h"
#include "python/class_attribute.h"
#include "python/fresh.h"

/* "torch.randn(n)": nobody else has it. */
static bool is_fresh(struct word value)
{
    struct word function, arguments;
    return word_call(value, &function, &arguments) && fresh_is_call(function, arguments);
}

/* Is new memory all that the class gives it? */
static bool is_given_fresh(const struct source *code, int32_t def, struct word dotted)
{
    struct class_values values = {.count = 0};
    struct word class_name = def > 0 ? class_around(code, def) : (struct word){.length_bytes = 0};
    if (class_name.length_bytes == 0 || !class_attribute_given(code, class_name, dotted, &values) || values.count == 0)
        return false;
    for (size_t i = 0; i < values.count; i++)
        if (!is_fresh(values.values[i].text))
            return false;
    return true;
}

bool kept_attribute(struct model *model, struct process *process, uint32_t frame, const struct kept_ways *ways,
                    struct word dotted, struct loop *loop)
{
    const struct kept_level *own = &ways->levels[0];
    struct word attribute = word_last_part(dotted);
    if (own->code == NULL || !is_given_fresh(own->code, own->def, dotted))
        return false;
    for (size_t i = 0; i < ways->count; i++) {
        const struct source *code = ways->levels[i].code;
        if (code != NULL && (!attribute_is_operand(code, attribute) || class_attribute_is_reached(code, attribute)))
            return false;
    }
    return inputs_attribute_stays(model, process, frame, loop);
}
