#include "python/region.h"

#include <string.h>

#include "python/carried.h"
#include "python/code_facts.h"
#include "python/given.h"
#include "python/stores.h"

#define FUNCTION_ROWS_MAX 2000

struct word region_rows(const struct region_span *span)
{
    size_t length = 0;
    const char *begin = source_line(span->code, span->first, &length),
               *end = source_line(span->code, span->last, &length);
    return begin != NULL && end != NULL ? (struct word){begin, (size_t)(end + length - begin)} : (struct word){"", 0};
}

/* The last row that is indented more than the "def". */
static int32_t function_end(const struct source *code, int32_t def)
{
    size_t indent = 0, own = 0;
    int32_t last = def;
    code_row_text(code, def, &indent);
    for (int32_t row = def + 1; row - def < FUNCTION_ROWS_MAX; row++) {
        struct word text = code_row_text(code, row, &own);
        if (text.text == NULL || (text.length_bytes > 0 && own <= indent && strchr(")]}", *text.text) == NULL))
            break;
        last = text.length_bytes > 0 ? row : last;
    }
    return last;
}

void region_add(struct region *region, const struct source *code, int32_t def)
{
    for (size_t i = 0; i < region->count; i++)
        if (region->spans[i].code == code && region->spans[i].def == def && region->spans[i].first == def)
            return;
    if (region->count < REGION_SPANS_MAX)
        region->spans[region->count++] = (struct region_span){code, def, def, function_end(code, def)};
}

/* Does the name stand in the rows, as such or behind a dot? */
static bool names(struct word rows, struct word name)
{
    for (const char *at = rows.text;
         (at = memmem(at, (size_t)(word_end(rows) - at), name.text, name.length_bytes)) != NULL; at++) {
        const char *behind = at + name.length_bytes;
        if ((at == rows.text || !word_char(at[-1])) && (behind == word_end(rows) || !word_char(*behind)))
            return true;
    }
    return false;
}

static bool is_run_unnamed(struct word name)
{
    static const char *const methods[] = {"forward", "__call__", "__getitem__", "__next__", "__iter__", "__len__"};
    return WORD_IS_ONE_OF(name, methods);
}

static bool is_reached(const struct region *region, struct word name)
{
    if (is_run_unnamed(name))
        return true;
    for (size_t i = 0; i < region->count; i++)
        if (names(region_rows(&region->spans[i]), name))
            return true;
    return false;
}

void region_reach(struct region *region, const struct source *const *codes, size_t count)
{
    for (size_t before = 0; before != region->count;) {
        before = region->count;
        for (size_t i = 0; i < count; i++)
            for (int32_t row = 1; (size_t)row <= codes[i]->line_count; row++) {
                struct word name = code_name_of(codes[i], row);
                if (name.length_bytes > 0 && is_reached(region, name))
                    region_add(region, codes[i], row);
            }
    }
}

/* Objects are new there: nothing of theirs is changed. */
static bool is_constructor(const struct region_span *span)
{
    static const char *const names_of[] = {"__init__", "__new__", "__post_init__"};
    return span->first == span->def && WORD_IS_ONE_OF(code_name_of(span->code, span->def), names_of);
}

/* "self.model.w" of the text in which ".w" stands at `at`. */
static struct word dotted_at(struct word rows, const char *at, struct word name)
{
    const char *begin = at;
    while (begin > rows.text && (word_char(begin[-1]) || begin[-1] == '.'))
        begin--;
    return (struct word){begin, (size_t)(at + name.length_bytes - begin)};
}

/* The next mention of the attribute from `*at` on, as "self.model.w"; empty: there is none. */
static struct word next_dotted(struct word rows, const char **at, struct word name)
{
    while ((*at = memmem(*at, (size_t)(word_end(rows) - *at), name.text, name.length_bytes)) != NULL) {
        const char *found = *at, *behind = *at + name.length_bytes;
        *at = behind;
        if (found == rows.text || found[-1] != '.' || (behind < word_end(rows) && word_char(*behind)))
            continue;
        struct word dotted = dotted_at(rows, found, name);
        if (*dotted.text != '.') /* "f(x).w" */
            return dotted;
    }
    return (struct word){rows.text, 0};
}

static bool makes_of_itself(const struct carried *carried, struct word name)
{
    for (size_t i = 0; i < carried->value_count; i++)
        if (word_mentions(carried->values[i], name) > 0)
            return true;
    return false;
}

static bool rows_change_attribute(struct word rows, struct word name, bool stores_alone)
{
    struct word dotted;
    for (const char *at = rows.text; (dotted = next_dotted(rows, &at, name)).length_bytes > 0;) {
        struct carried carried;
        carried_read(&carried, rows, dotted);
        bool changes = carried.given ? makes_of_itself(&carried, dotted) : carried.stored || carried.augmented;
        if (stores_alone ? carried.stored && !carried.given : changes)
            return true;
    }
    return false;
}

bool region_changes_attribute(const struct region *region, struct word name, bool stores_alone)
{
    for (size_t i = 0; i < region->count; i++)
        if (!is_constructor(&region->spans[i]) &&
            rows_change_attribute(region_rows(&region->spans[i]), name, stores_alone))
            return true;
    return false;
}

size_t region_gives_attribute(const struct region_span *span, struct word name, struct word *values, size_t most)
{
    struct word rows = region_rows(span), dotted;
    size_t count = 0;
    for (const char *at = rows.text; (dotted = next_dotted(rows, &at, name)).length_bytes > 0;) {
        struct carried carried;
        carried_read(&carried, rows, dotted);
        for (size_t i = 0; i < carried.value_count && count < most; i++)
            values[count++] = carried.values[i];
    }
    return count;
}

bool region_is_local(const struct source *code, int32_t def, struct word name)
{
    struct parameter parameter;
    return def > 0 && (given_parameter(code, def, name, &parameter) || code_gives(code, def, name));
}

/* "global count", "nonlocal level, best" */
static bool declares_outer(struct word rows, struct word name)
{
    struct word statement;
    while (word_next_statement(&rows, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        struct word first = word_name_at(statement.text, word_end(statement));
        if ((word_is(first, "global") || word_is(first, "nonlocal")) && word_mentions(statement, name) > 0)
            return true;
    }
    return false;
}

bool region_changes_outer(const struct region *region, struct word name, bool stores_alone)
{
    for (size_t i = 0; i < region->count; i++) {
        const struct region_span *span = &region->spans[i];
        struct word rows = region_rows(span);
        struct carried carried;
        if (span->def == 0 || word_mentions(rows, name) == 0)
            continue;
        bool declared = declares_outer(rows, name);
        carried_read(&carried, rows, name);
        bool other = declared && !stores_alone && (carried.given || carried.augmented);
        if (other || (carried.stored && (declared || !region_is_local(span->code, span->def, name))))
            return true;
    }
    return false;
}
