#include "python/code_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/choices.h"
#include "python/code_facts.h"

#define FUNCTION_ROWS_MAX 2000

int32_t code_index_last(const struct source *code, int32_t def)
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

static void read_functions(struct code_index *index)
{
    for (int32_t row = 1; (size_t)row <= index->code->line_count; row++) {
        struct word name = code_name_of(index->code, row);
        if (name.length_bytes == 0)
            continue;
        index->functions =
            memory_grow(index->functions, index->function_count, &index->function_capacity, sizeof(*index->functions));
        index->functions[index->function_count++] =
            (struct code_function){.name = name, .def = row, .last = code_index_last(index->code, row)};
    }
}

static int name_order(struct word a, struct word b)
{
    if (a.length_bytes != b.length_bytes)
        return a.length_bytes < b.length_bytes ? -1 : 1;
    return memcmp(a.text, b.text, a.length_bytes);
}

static int function_order(const void *left, const void *right)
{
    const struct code_function *a = *(const struct code_function *const *)left,
                               *b = *(const struct code_function *const *)right;
    int order = name_order(a->name, b->name);
    return order != 0 ? order : (a->def > b->def) - (a->def < b->def);
}

static void order_functions(struct code_index *index)
{
    if (index->function_count == 0)
        return;
    index->by_name = memory_zeroed(index->function_count, sizeof(*index->by_name));
    for (size_t i = 0; i < index->function_count; i++)
        index->by_name[i] = &index->functions[i];
    qsort(index->by_name, index->function_count, sizeof(*index->by_name), function_order);
}

const struct code_function *const *code_index_named(const struct code_index *index, struct word name, size_t *count)
{
    size_t low = 0, high = index->function_count;
    *count = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (name_order(index->by_name[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + *count < index->function_count && word_equal(index->by_name[low + *count]->name, name))
        ++*count;
    return index->by_name + low;
}

void code_index_see(struct code_index *index, struct word name)
{
    size_t count = 0;
    const struct code_function *const *functions = code_index_named(index, name, &count);
    for (size_t i = 0; i < count; i++)
        index->functions[functions[i] - index->functions].seen = true;
}

static void read_imports(struct code_index *index)
{
    struct word rest = code_text(index->code), statement;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        struct word first = word_name_at(statement.text, word_end(statement));
        if (!word_is(first, "import") && !word_is(first, "from"))
            continue;
        index->imports =
            memory_grow(index->imports, index->import_count, &index->import_capacity, sizeof(*index->imports));
        index->imports[index->import_count++] = statement;
    }
}

static void read_statements(struct code_index *index)
{
    int32_t first = 1;
    int depth = 0;
    index->statements = memory_zeroed(index->code->line_count + 1, sizeof(*index->statements));
    for (int32_t row = 1; (size_t)row <= index->code->line_count; row++) {
        size_t length = 0;
        const char *text = source_line(index->code, row, &length);
        for (size_t i = 0; i < length; i++) {
            depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
            depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
        }
        index->statements[row] = first;
        if (depth > 0 || (length > 0 && text[length - 1] == '\\'))
            continue;
        depth = 0;
        first = row + 1;
    }
}

static bool has_indices(struct word text)
{
    struct words names;
    choices_indices(text, &names);
    return names.count > 0;
}

void code_index_read(struct code_index *index, const struct source *code)
{
    *index = (struct code_index){.code = code,
                                 .chooses = choices_somewhere(code_text(code)) || has_indices(code_text(code))};
    read_functions(index);
    order_functions(index);
    read_imports(index);
    read_statements(index);
}

void code_index_free(struct code_index *index)
{
    free(index->functions);
    free(index->by_name);
    free(index->imports);
    free(index->statements);
}

bool code_index_imports(const struct code_index *index, struct word name)
{
    for (size_t i = 0; i < index->import_count; i++)
        if (word_mentions(index->imports[i], name) > 0)
            return true;
    return false;
}

int32_t code_index_statement(const struct code_index *index, int32_t row)
{
    return row > 0 && (size_t)row <= index->code->line_count ? index->statements[row] : 0;
}
