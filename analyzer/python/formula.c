#include "python/formula.h"

#include <string.h>

#include "python/code_facts.h"
#include "python/only_makes.h"
#include "python/region.h"
#include "python/suite.h"

#define ROWS_MAX 12

static bool has_word(struct word text, const char *word)
{
    return word_mentions(text, (struct word){word, strlen(word)}) > 0;
}

static bool has_text(struct word text, const char *piece)
{
    return memmem(text.text, text.length_bytes, piece, strlen(piece)) != NULL;
}

/* More than one value goes through it, or what it gives is not told by what it is handed. */
static bool does_more(struct word text)
{
    static const char *const words[] = {"for", "while", "with", "try", "class", "import", "next"};
    static const char *const pieces[] = {"rand", "rng", ".pop(", ":="};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (has_word(text, words[i]))
            return true;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
        if (has_text(text, pieces[i]))
            return true;
    return false;
}

static struct formula read_text(struct word text)
{
    return (struct formula){
        .is_one = !does_more(text), .chooses = has_word(text, "if"), .uses_math = has_text(text, "math.")};
}

struct formula formula_read(const struct source *code, int32_t def)
{
    struct region_span span = region_function(code, def);
    if (def <= 0 || span.last - span.first >= ROWS_MAX || !function_only_makes(code, def))
        return (struct formula){0};
    struct word rows = region_rows(&span), name = code_name_of(code, def);
    const char *own = word_find(rows, rows.text, name);
    struct formula formula = read_text(rows);
    formula.is_one = formula.is_one && own != NULL && word_find(rows, own + 1, name) == NULL;
    return formula;
}

struct formula formula_read_lambda(const struct source *code, int32_t row)
{
    struct word text;
    size_t indent = 0;
    if (!suite_row(code, row, &text, &indent))
        return (struct formula){0};
    const char *lambda = word_find(text, text.text, (struct word){"lambda", strlen("lambda")});
    return lambda != NULL ? read_text((struct word){lambda, (size_t)(word_end(text) - lambda)}) : (struct formula){0};
}
