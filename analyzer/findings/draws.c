#include "findings/draws.h"

#include <string.h>

#include "findings/expression.h"
#include "python/draws.h"
#include "python/words.h"

/* Does the text call one? */
static bool draws(struct word text)
{
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        const char *behind = word_end(name);
        if (name.length_bytes > 0 && behind < word_end(text) && *behind == '(' && draws_by_name(name))
            return true;
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return false;
}

static bool makes_generator(struct word text)
{
    static const char *const names[] = {"default_rng(", "RandomState(", "Generator("};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (memmem(text.text, text.length_bytes, names[i], strlen(names[i])) != NULL)
            return true;
    return false;
}

static struct word call_text(struct model *model, const struct site *site)
{
    uint32_t frame = callers_frame(model, site->process, site->record->node);
    struct word text;
    text.text = operation_text(model, site->process, frame, &text.length_bytes);
    return text;
}

bool draws_by_covariance(struct model *model, const struct site *site)
{
    static const char name[] = "multivariate_normal(";
    struct word text = call_text(model, site);
    return text.text != NULL && memmem(text.text, text.length_bytes, name, strlen(name)) != NULL;
}

const char *draws_say(struct model *model, const struct site *site)
{
    struct word text = call_text(model, site);
    if (text.text == NULL || !draws(text) || makes_generator(text))
        return "";
    return " It takes random numbers: the generator has to be left where they left it, or all that is drawn later is "
           "another.";
}
