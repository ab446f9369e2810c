#include "findings/kept.h"

#include <string.h>

#include "findings/kept_uses.h"
#include "python/code_facts.h"
#include "python/scope.h"

/* Functions that stop halfway let others run; one that calls itself is on the way twice, and what it gives its names is open. */
static bool are_plain_calls(const struct kept_search *search)
{
    const struct kept_level *levels = search->ways->levels;
    for (size_t i = 0; i <= search->loop_level; i++) {
        if (code_has_word(levels[i].code, levels[i].def, "yield") ||
            code_has_word(levels[i].code, levels[i].def, "await"))
            return false;
        for (size_t k = i + 1; k < search->ways->count; k++)
            if (levels[k].code == levels[i].code && levels[k].def == levels[i].def)
                return false;
    }
    return true;
}

/* What the operand is on the level, and on the next one out. */
struct operand {
    struct word word;
    bool is_global;
};

static bool pass_on(const struct kept_search *search, size_t level, struct operand *operand)
{
    const struct kept_level *own = &search->ways->levels[level];
    if (own->def == 0)
        return false;
    if (operand->is_global)
        return true;
    if (!kept_is_parameter(own->code, own->def, operand->word)) {
        operand->is_global = scope_outer(own->code, own->def) == 0 && !code_gives(own->code, own->def, operand->word);
        return operand->is_global;
    }
    operand->word = kept_argument(search->ways, level, operand->word);
    return operand->word.length_bytes > 0 &&
           word_equal(word_name_at(operand->word.text, word_end(operand->word)), operand->word) &&
           word_last_part(operand->word).text == operand->word.text;
}

static void add_operand(struct kept_search *search, const struct source *code, struct word word)
{
    struct kept_name *name = kept_add_name(search, KEPT_PLAIN, code, word);
    if (name != NULL)
        name->stays = true;
}

/*
 * The outermost loop up to where the array comes from, and what it is called there: in a nearer one it may be changed with each round of
 * those around, or there is but one round. The home: the level whose name it is.
 */
static bool find_loop(struct kept_search *search, struct operand *operand, size_t *home)
{
    const char *file = search->ways->count > 0 ? search->ways->levels[0].file : NULL;
    bool found = false;
    for (size_t i = 0; i < search->ways->count && !search->failed; i++) {
        const struct kept_level *level = &search->ways->levels[i];
        int32_t first = 0, last = 0;
        if (level->code == NULL || level->file != file)
            return false;
        if (!operand->is_global)
            add_operand(search, level->code, operand->word);
        if (kept_loop(level, false, &first, &last)) {
            found = true;
            search->loop_level = i;
            search->first = first;
            search->last = last;
        }
        *home = i;
        if (!pass_on(search, i, operand))
            break;
    }
    return found && !search->failed;
}

bool kept_in_loop(const struct kept_ways *ways, struct word operand, struct loop *loop)
{
    struct kept_search search = {.ways = ways};
    struct operand at = {.word = operand};
    size_t home_level = 0;
    if (!ways->from_module || !find_loop(&search, &at, &home_level) || !are_plain_calls(&search))
        return false;
    const struct kept_level *level = &ways->levels[search.loop_level], *home = &ways->levels[home_level];
    if (!kept_add_origin(&search, home->code, at.is_global ? 0 : home->def, at.word))
        return false;
    for (size_t i = 0; i < search.count && !search.failed; i++)
        kept_read_name(&search, i);
    for (size_t i = 0; i < search.count; i++)
        search.failed |= search.names[i].is_origin && !search.names[i].is_given;
    *loop = (struct loop){.file = level->file, .line = search.first};
    return !search.failed;
}
