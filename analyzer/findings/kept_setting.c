#include "findings/kept_setting.h"

#include <ctype.h>

#include "python/code_facts.h"
#include "python/name_read.h"
#include "python/scope.h"

static bool is_plain(struct word text)
{
    return word_equal(word_name_at(text.text, word_end(text)), text) && word_last_part(text).text == text.text;
}

/* "3", "None": not "3 * step". */
static bool is_literal(struct word text)
{
    for (const char *at = text.text; at < word_end(text); at++)
        if (!isdigit((unsigned char)*at) && *at != '.')
            return word_is_keyword(text);
    return text.length_bytes > 0;
}

/* Does a function give a name of the module's a value? */
static bool has_globals(const struct source *code)
{
    static const char global[] = "global";
    return word_mentions(code_text(code), (struct word){global, sizeof(global) - 1}) > 0;
}

/* The name on the level, as it is handed in or as one of its own or of the module's. */
struct setting {
    struct word name;
    bool is_global, is_kept;
};

/* Follows it to who calls the level's function. False: it ends there, and `is_kept` says how. */
static bool goes_on(const struct kept_ways *ways, size_t at, bool is_in_loop, struct setting *setting)
{
    const struct kept_level *level = &ways->levels[at];
    bool is_given = code_gives(level->code, level->def, setting->name);
    if (!setting->is_global && level->def != 0 && kept_is_parameter(level->code, level->def, setting->name)) {
        setting->name = kept_argument(ways, at, setting->name);
        setting->is_kept = !is_given && is_literal(setting->name);
        return !is_given && !setting->is_kept && setting->name.length_bytes > 0 && is_plain(setting->name);
    }
    setting->is_global = setting->is_global || (level->def != 0 && !is_given);
    setting->is_kept = !is_in_loop;
    return is_in_loop && setting->is_global && level->def != 0 && scope_outer(level->code, level->def) == 0;
}

bool kept_setting(const struct kept_ways *ways, struct word name, struct loop loop)
{
    struct setting setting = {.name = name};
    bool is_in_loop = true, is_followed = true; /* not yet out of it: a function that each round calls */
    for (size_t i = 0; is_followed && i < ways->count; i++) {
        const struct kept_level *level = &ways->levels[i];
        int32_t first = 0, last = 0;
        if (level->code == NULL || has_globals(level->code))
            return false;
        bool is_here =
            is_in_loop && level->file == loop.file && kept_loop(level, false, &first, &last) && first == loop.line;
        bool is_its_name = !setting.is_global || level->def == 0;
        if (is_here && is_its_name && name_may_be_given(level->code, first, last, setting.name))
            return false;
        is_in_loop = is_in_loop && !is_here;
        is_followed = goes_on(ways, i, is_in_loop, &setting);
    }
    return !is_followed && setting.is_kept;
}
