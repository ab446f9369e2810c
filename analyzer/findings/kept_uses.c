#include "findings/kept_uses.h"

#include <string.h>

#include "python/code_facts.h"
#include "python/mention.h"
#include "python/scope.h"

#define MENTIONS_MAX 400u
#define TARGETS_MAX 16u
#define RUN_DEPTH_MAX 4u
#define CALLS_MAX 100u /* functions whose calls are looked for */

static bool is_in_loop(const struct kept_search *search, const struct source *code, int32_t row)
{
    return search->ways->levels[search->loop_level].code == code && row >= search->first && row <= search->last;
}

static bool runs_meanwhile(struct kept_search *search, const struct source *code, int32_t row, unsigned depth);

/* At a mention of a function: may it run while the loop does? Where it is no call, whoever has it may call it. */
static bool is_run_from(struct kept_search *search, const struct source *code, struct word statement, const char *at,
                        struct word name, unsigned depth)
{
    const char *end = word_end(statement), *behind = word_skip_blanks(at + name.length_bytes, end);
    return behind == end || *behind != '(' || runs_meanwhile(search, code, code_row(code, at), depth + 1);
}

/* `*found`: is it mentioned at all, beside its "def"? What no code mentions is called in a string that is formatted, or by others. */
static bool is_run_in(struct kept_search *search, const struct source *code, int32_t def, struct word name,
                      unsigned depth, bool *found)
{
    struct word rest = code_text(code), statement;
    while (word_next_statement(&rest, &statement)) {
        for (const char *at = statement.text;
             (at = memmem(at, (size_t)(word_end(statement) - at), name.text, name.length_bytes)) != NULL;
             at += name.length_bytes) {
            bool is_word =
                (at == code->text || !word_char(at[-1])) &&
                (at + name.length_bytes == code->text + code->length_bytes || !word_char(at[name.length_bytes]));
            if (!is_word || code_row(code, at) == def)
                continue;
            *found = true;
            if (is_run_from(search, code, statement, at, name, depth))
                return true;
        }
    }
    return false;
}

/* May a row that is run while the loop is call the function? One without a name of its own may be called by any. */
static bool is_called_meanwhile(struct kept_search *search, const struct source *code, int32_t def, unsigned depth)
{
    struct word name = code_name_of(code, def);
    bool found = false;
    return depth > RUN_DEPTH_MAX || search->calls++ > CALLS_MAX || name.length_bytes == 0 || *name.text == '_' ||
           code_is_in_strings(search->ways->levels[0].text, code, name) || code_has_word(code, def, "yield") ||
           is_run_in(search, code, def, name, depth, &found) || !found;
}

/* May the row be run while the loop is? Not what else stands in the functions that wait for it to end. */
static bool runs_meanwhile(struct kept_search *search, const struct source *code, int32_t row, unsigned depth)
{
    int32_t def = scope_function(code, row);
    size_t level = kept_level_at(search, code, def);
    if (is_in_loop(search, code, row))
        return true;
    if (def == 0 || (level != SIZE_MAX && level >= search->loop_level))
        return false;
    return level != SIZE_MAX || is_called_meanwhile(search, code, def, depth);
}

static void add_shared(struct kept_search *search, const struct source *code, struct word word, bool is_list)
{
    size_t before = search->count;
    struct kept_name *name = kept_add_name(search, KEPT_PLAIN, code, word);
    if (name == NULL || !is_list || name->is_list)
        return;
    search->failed |= search->count == before; /* it may have been read as an array */
    name->is_list = true;
}

/* "rng.choice(n, p=x)", of NumPy's generators: it only reads them. */
static bool is_draw(const struct source *code, const struct mention *mention)
{
    static const struct word choice = {"choice", 6};
    return word_is(mention->keyword, "p") && word_equal(word_last_part(mention->function), choice) &&
           !code_defines(code, choice);
}

static void hand_on(struct kept_search *search, const struct source *code, const struct mention *mention, bool is_list)
{
    int32_t def = code_function_run(code, mention->function);
    if (def == 0 && is_draw(code, mention))
        return;
    if (def == 0) {
        search->failed |= !code_is_layer(code, mention->function);
        return;
    }
    struct word parameter = kept_parameter(code, def, mention->place, mention->keyword);
    if (parameter.length_bytes == 0)
        search->failed = true;
    else
        add_shared(search, code, parameter, is_list);
}

/* "a, b", "y[0]": all of them may be the array from here on. */
static void share_with(struct kept_search *search, const struct source *code, struct word targets, bool is_list)
{
    struct word items[TARGETS_MAX];
    if (targets.length_bytes > 0 && *targets.text == '(')
        targets = word_in_bracket(targets.text, word_end(targets));
    size_t count = word_split(targets, ',', items, TARGETS_MAX);
    search->failed |= count == 0 || count == SIZE_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < count && !search->failed; i++) {
        const char *at = items[i].text;
        if (items[i].length_bytes == 0)
            continue; /* "a, = x" */
        at += *at == '*' || *at == '(' ? 1 : 0;
        struct word name = word_name_at(at, word_end(items[i]));
        if (name.length_bytes == 0 || word_last_part(name).text != name.text)
            search->failed = true;
        else
            add_shared(search, code, name, is_list);
    }
}

/* Is the name another from here on, of those that must stay the same array while the loop runs? */
static bool is_rebound(const struct kept_search *search, const struct kept_name *name, int32_t row)
{
    int32_t def = scope_function(name->code, row);
    for (size_t i = 0; i <= search->loop_level; i++) {
        const struct kept_level *level = &search->ways->levels[i];
        if (level->code == name->code && level->def == def &&
            (i < search->loop_level || is_in_loop(search, name->code, row)))
            return true;
    }
    return false;
}

static void read_given(struct kept_search *search, struct kept_name *name, struct word value, int32_t row)
{
    bool is_own = name->def == scope_function(name->code, row);
    if (name->stays && is_rebound(search, name, row)) {
        search->failed = true;
    } else if (name->is_origin && is_own) {
        name->is_given = true;
        search->failed |= !kept_find_origin(search, name->code, value);
    }
}

static void read_returned(struct kept_search *search, const struct source *code, int32_t row, bool is_list)
{
    int32_t def = scope_function(code, row);
    struct word function = code_name_of(code, def);
    if (def == 0 || function.length_bytes == 0 || is_list)
        search->failed = true;
    else
        kept_add_name(search, KEPT_CALLED, code, function);
}

/* Behind a "lambda x:", or on a row that goes on with the one before: what is read for a statement is none. */
static bool is_cut_off(const struct source *code, const char *at)
{
    const char *begin = at;
    while (begin > code->text && begin[-1] != '\n')
        begin--;
    if (begin > code->text + 1) {
        const char *last = begin - 1;
        last -= last > code->text && last[-1] == '\r';
        if (last > code->text && last[-1] == '\\')
            return true;
    }
    return memmem(begin, (size_t)(at - begin), "lambda", sizeof("lambda") - 1) != NULL;
}

static void read_mention(struct kept_search *search, struct kept_name *name, struct word statement, const char *at,
                         const char *behind)
{
    struct mention mention;
    int32_t row = code_row(name->code, at);
    bool is_list = name->is_list;
    mention_read(&mention, code_text(name->code), statement, at, behind);
    search->failed |= search->mentions++ > MENTIONS_MAX || is_cut_off(name->code, at) || kept_has_gradient(statement);
    switch (mention.kind) {
    case MENTION_READ:
        search->failed |= is_list && mention.computes;
        break;
    case MENTION_STORED:
        search->failed |= runs_meanwhile(search, name->code, row, 0);
        break;
    case MENTION_GIVEN:
        read_given(search, name, mention.value, row);
        break;
    case MENTION_SHARED:
        share_with(search, name->code, mention.targets, is_list || mention.in_list);
        break;
    case MENTION_HANDED:
        hand_on(search, name->code, &mention, is_list || mention.in_list);
        break;
    case MENTION_RETURNED:
        read_returned(search, name->code, row, is_list);
        break;
    default:
        search->failed = true;
    }
}

/* Brackets that are open there. "b, x = y" gives x, "f(b, x=y)" does not. */
static bool is_in_bracket(struct word statement, const char *at)
{
    int depth = 0;
    for (const char *p = statement.text; p < at; p++) {
        depth += *p == '(';
        depth -= *p == ')';
    }
    return depth > 0;
}

/* "x" of "f(x=y)" names a parameter of another. */
static bool is_keyword(struct word statement, const char *at, const char *behind)
{
    const char *before = at, *end = word_end(statement);
    while (before > statement.text && strchr(" \t\r\n", before[-1]) != NULL)
        before--;
    behind = word_skip_blanks(behind, end);
    return before > statement.text && (before[-1] == '(' || before[-1] == ',') && behind + 1 < end && *behind == '=' &&
           behind[1] != '=' && is_in_bracket(statement, at);
}

/* "x" of "def f(y=x)", "def f(y=[x])": not a parameter's name. */
static bool is_default(struct word statement, const char *at)
{
    const char *open = memchr(statement.text, '(', statement.length_bytes);
    int depth = 0;
    for (const char *p = statement.text; p < at; p++) {
        depth += strchr("([{", *p) != NULL;
        depth -= strchr(")]}", *p) != NULL;
    }
    while (at > statement.text && strchr(" \t\r\n", at[-1]) != NULL)
        at--;
    return open != NULL && open < at && (depth > 1 || strchr("(,:*", at[-1]) == NULL);
}

/* Where the expression begins that the name ends: "self" of "self.x"; NULL: it belongs to what has no name. */
static const char *begin_of(struct word statement, const char *at)
{
    while (at > statement.text && (word_char(at[-1]) || at[-1] == '.'))
        at--;
    return word_char(*at) ? at : NULL;
}

/* At a mention of the word: is it one of this name? */
static void look_at(struct kept_search *search, struct kept_name *name, struct word statement, const char *at)
{
    const char *behind = at + name->word.length_bytes, *end = word_end(statement);
    bool is_dotted = at > statement.text && at[-1] == '.';
    bool defines = word_is(word_name_at(statement.text, end), "def");
    if (name->kind == KEPT_PLAIN) {
        if (is_dotted)
            return;
        if (defines)
            search->failed |= is_default(statement, at);
        else if (!is_keyword(statement, at, behind))
            read_mention(search, name, statement, at, behind);
        return;
    }
    const char *begin = begin_of(statement, at);
    if (defines)
        return;
    const char *open = word_skip_blanks(behind, end);
    behind = open < end && *open == '(' ? word_end(word_in_bracket(open, end)) + 1 : NULL;
    if (begin == NULL || behind == NULL || behind > end)
        search->failed = true;
    else
        read_mention(search, name, statement, begin, behind);
}

static void read_returns_of(struct kept_search *search, struct kept_name *name, struct word statement)
{
    struct word items[TARGETS_MAX];
    int32_t def = code_definition(name->code, name->word);
    search->failed |= def == 0;
    if (!word_is(word_name_at(statement.text, word_end(statement)), "return") ||
        scope_function(name->code, code_row(name->code, statement.text)) != def)
        return;
    size_t count = word_split((struct word){statement.text + 6, statement.length_bytes - 6}, ',', items, TARGETS_MAX);
    search->failed |= count == SIZE_MAX;
    name->is_given = true;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        search->failed |= !kept_find_origin(search, name->code, items[i]);
}

/* All that the file says of one name. */
void kept_read_name(struct kept_search *search, size_t index)
{
    struct word rest = code_text(search->names[index].code), statement;
    search->failed |=
        code_is_in_strings(search->ways->levels[0].text, search->names[index].code, search->names[index].word);
    while (!search->failed && word_next_statement(&rest, &statement)) {
        struct kept_name *name = &search->names[index];
        statement = word_trimmed(statement.text, word_end(statement));
        if (name->kind == KEPT_CALLED && name->is_origin)
            read_returns_of(search, name, statement);
        for (const char *at = statement.text; !search->failed && at + name->word.length_bytes <= word_end(statement);) {
            at = memmem(at, (size_t)(word_end(statement) - at), name->word.text, name->word.length_bytes);
            if (at == NULL)
                break;
            const char *behind = at + name->word.length_bytes;
            bool is_word =
                (at == statement.text || !word_char(at[-1])) && (behind == word_end(statement) || !word_char(*behind));
            if (is_word)
                look_at(search, name, statement, at);
            at = behind;
        }
    }
}
