#include "python/imports.h"

#include <ctype.h>
#include <string.h>

#define ITEMS_MAX 64u /* of one statement */

/* As word_trimmed(), without the signs that a statement goes on in the next line. */
static struct word trimmed(const char *from, const char *to)
{
    while (from < to && (isspace((unsigned char)*from) || *from == '\\'))
        from++;
    while (to > from && (isspace((unsigned char)to[-1]) || to[-1] == '\\'))
        to--;
    return (struct word){from, (size_t)(to - from)};
}

/* What stands behind the text's first word, where that is `keyword`; its text is NULL else. */
static struct word behind_keyword(struct word text, const char *keyword)
{
    size_t length = strlen(keyword);
    bool is = text.length_bytes > length && memcmp(text.text, keyword, length) == 0 && !word_char(text.text[length]);
    return is ? trimmed(text.text + length, word_end(text)) : (struct word){0};
}

static bool is_numpys(struct word module)
{
    return word_is(word_first_part(module), "numpy");
}

static enum imported from_module(struct word module)
{
    static const char *const numeric[] = {"torch", "scipy", "math"};
    return is_numpys(module)                                  ? IMPORTED_FROM_NUMPY
           : WORD_IS_ONE_OF(word_first_part(module), numeric) ? IMPORTED_FROM_NUMERIC
                                                              : IMPORTED_FROM_OTHER;
}

/* "a.b as c" gives the name c, "a.b" the name a. */
static bool item_gives(struct word item, struct word name)
{
    struct word module = word_name_at(item.text, word_end(item));
    struct word other = behind_keyword(trimmed(word_end(module), word_end(item)), "as");
    return word_equal(other.text != NULL ? other : word_first_part(module), name);
}

/* "import a.b as c, d" */
static enum imported of_modules(struct word list, struct word name)
{
    struct word items[ITEMS_MAX];
    size_t count = word_split(list, ',', items, ITEMS_MAX);
    if (count == SIZE_MAX)
        return word_mentions(list, name) > 0 ? IMPORTED_FROM_OTHER : IMPORTED_BY_NONE;
    for (size_t i = 0; i < count; i++) {
        struct word item = trimmed(items[i].text, word_end(items[i]));
        if (item_gives(item, name))
            return from_module(word_name_at(item.text, word_end(item)));
    }
    return IMPORTED_BY_NONE;
}

/* "m import a as b, c", with brackets or without. */
static enum imported of_members(struct word text, struct word name)
{
    static const char keyword[] = "import";
    const char *module_end = text.text;
    while (module_end < word_end(text) && !isspace((unsigned char)*module_end) && *module_end != '\\')
        module_end++;
    struct word module = {text.text, (size_t)(module_end - text.text)};
    struct word list = trimmed(module_end, word_end(text)), items[ITEMS_MAX];
    if (list.length_bytes < strlen(keyword) || memcmp(list.text, keyword, strlen(keyword)) != 0)
        return IMPORTED_BY_NONE;
    list = trimmed(list.text + strlen(keyword), word_end(list));
    if (list.length_bytes > 0 && *list.text == '(')
        list = word_in_bracket(list.text, word_end(list));
    if (word_is(list, "*"))
        return is_numpys(module) ? IMPORTED_FROM_NUMPY : IMPORTED_BY_NONE;
    size_t count = word_split(list, ',', items, ITEMS_MAX);
    if (count == SIZE_MAX)
        return word_mentions(list, name) > 0 ? from_module(module) : IMPORTED_BY_NONE;
    for (size_t i = 0; i < count; i++)
        if (item_gives(trimmed(items[i].text, word_end(items[i])), name))
            return from_module(module);
    return IMPORTED_BY_NONE;
}

enum imported imports_of_name(const struct source *code, struct word name)
{
    enum imported found = IMPORTED_BY_NONE;
    struct word rest = {code->text, code->text != NULL ? code->length_bytes : 0}, statement, more;
    while (word_next_statement(&rest, &statement)) {
        while (statement.length_bytes > 0 && word_end(statement)[-1] == '\\' && word_next_statement(&rest, &more))
            statement.length_bytes = (size_t)(word_end(more) - statement.text);
        statement = trimmed(statement.text, word_end(statement));
        struct word modules = behind_keyword(statement, "import"), members = behind_keyword(statement, "from");
        enum imported by = modules.text != NULL   ? of_modules(modules, name)
                           : members.text != NULL ? of_members(members, name)
                                                  : IMPORTED_BY_NONE;
        found = by > found ? by : found;
    }
    return found;
}
