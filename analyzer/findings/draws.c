#include "findings/draws.h"

#include <string.h>

#include "findings/expression.h"
#include "findings/inputs_cache.h"
#include "model/source.h"
#include "python/code_index.h"
#include "python/draws.h"
#include "python/region.h"
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
    uint32_t frame = callers_frame(site->process, site->record->node);
    struct word text;
    text.text = operation_text(model, site->process, frame, &text.length_bytes);
    return text;
}

/* "noisy(h)", where the file says "def noisy(h): return h + rng.normal(size=h.shape)". */
static bool calls_what_draws(struct model *model, const struct source *code, struct word text)
{
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        size_t count = 0;
        const struct code_function *const *functions =
            name.length_bytes > 0 ? code_index_named(inputs_cache_code(model, code), word_last_part(name), &count)
                                  : NULL;
        for (size_t i = 0; i < count; i++) {
            struct region_span body = region_function(code, functions[i]->def);
            if (draws(region_rows(&body)))
                return true;
        }
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return false;
}

bool draws_somewhere(struct model *model, const struct site *site)
{
    static const struct word next = {"next(", 5};
    struct code *code = NULL;
    struct word text = call_text(model, site);
    uint32_t frame = callers_frame(site->process, site->record->node);
    model_position(model, site->process, run_record(site->process->run, DB_KIND_NODE, frame), &code);
    if (text.text == NULL || code == NULL)
        return false;
    return draws(text) || memmem(text.text, text.length_bytes, next.text, next.length_bytes) != NULL ||
           calls_what_draws(model, source_code(model, code->file), text);
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
