#include "python/code_facts.h"

#include <string.h>

#include "python/imports.h"
#include "python/scope.h"
#include "python/suite.h"

#define CODE_MAX_BYTES 300000u

int32_t code_row(const struct source *code, const char *at)
{
    size_t low = 0, high = code->line_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (code->text + code->line_starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return (int32_t)low + 1;
}

struct word code_text(const struct source *code)
{
    return (struct word){code->text, code->length_bytes};
}

struct word code_row_text(const struct source *code, int32_t row, size_t *indent)
{
    struct word text;
    return suite_row(code, row, &text, indent) ? text : (struct word){NULL, 0};
}

struct word code_name_of(const struct source *code, int32_t row)
{
    size_t indent = 0;
    struct word text = code_row_text(code, row, &indent), none = {text.text, 0};
    if (text.length_bytes == 0)
        return none;
    text = word_without_async(text);
    if (!word_is(word_name_at(text.text, word_end(text)), "def"))
        return none;
    return word_name_at(word_skip_blanks(text.text + strlen("def"), word_end(text)), word_end(text));
}

/* A function below one is handed to somebody, who may call it, or hand in something else. */
static bool has_decorators(const struct source *code)
{
    for (int32_t row = 1; (size_t)row <= code->line_count; row++) {
        size_t indent = 0;
        struct word text = code_row_text(code, row, &indent);
        if (text.length_bytes > 0 && *text.text == '@')
            return true;
    }
    return false;
}

/*
 * Names that reach everything at once, and what runs when nothing in the text calls it: methods of classes, which others inherit or are
 * inherited from, threads.
 */
bool code_is_open(const struct source *code)
{
    static const char *const words[] = {"globals",      "locals",
                                        "setattr",      "getattr",
                                        "attrgetter",   "exec",
                                        "eval",         "vars",
                                        "async",        "class",
                                        "threading",    "Thread",
                                        "concurrent",   "ctypes",
                                        "cffi",         "multiprocessing",
                                        "__dict__",     "__setattr__",
                                        "__getattr__",  "memoryview",
                                        "importlib",    "__getattribute__",
                                        "sys.settrace", "sys.modules",
                                        "__main__"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct word word = {words[i], strlen(words[i])};
        for (const char *at = code->text;
             (at = memmem(at, (size_t)(code->text + code->length_bytes - at), word.text, word.length_bytes)) != NULL;
             at += word.length_bytes) {
            bool begins = at == code->text || (!word_char(at[-1]) && (at[-1] != '.' || word.text[0] == '_'));
            if (begins && !word_char(at[word.length_bytes]))
                return true;
        }
    }
    return code->length_bytes > CODE_MAX_BYTES || has_decorators(code);
}

/* Does a statement of the function itself give the name a value? */
bool code_gives(const struct source *code, int32_t def, struct word name)
{
    struct word rest = code_text(code), statement;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        if (word_mentions(statement, name) > 0 && word_gives(statement, name) &&
            scope_function(code, code_row(code, statement.text)) == def)
            return true;
    }
    return false;
}

/* The only "def" of that name in the file; 0: none, or several. */
int32_t code_definition(const struct source *code, struct word name)
{
    int32_t found = 0;
    for (int32_t row = 1; (size_t)row <= code->line_count; row++) {
        if (!word_equal(code_name_of(code, row), name) || name.length_bytes == 0)
            continue;
        if (found > 0)
            return 0;
        found = row;
    }
    return found;
}

/* The call that is the only value that the file gives the name; false: there is none, or more. */
static bool made_by(const struct source *code, struct word name, struct word *function, struct word *arguments)
{
    struct word rest = code_text(code), statement, target, value;
    size_t made = 0;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        if (word_mentions(statement, name) == 0 || !word_gives(statement, name))
            continue;
        if (!word_assigned(statement, &target, &value) || !word_equal(target, name) ||
            !word_call(value, function, arguments))
            return false;
        made++;
    }
    return made == 1;
}

/* "nn.Linear", "torch.nn.Conv2d", and "nn.Sequential" of what begins with one. */
static bool is_layer(struct word function, struct word arguments)
{
    static const char *const layers[] = {"Linear",  "Conv1d", "Conv2d",  "Conv3d",           "Embedding",
                                         "GRU",     "LSTM",   "RNN",     "CrossEntropyLoss", "MSELoss",
                                         "NLLLoss", "L1Loss", "BCELoss", "BCEWithLogitsLoss"};
    struct word last = word_last_part(function), items[WORDS_MAX], inner, inner_arguments;
    struct word module = {function.text, (size_t)(last.text - function.text)};
    if (!word_is(module, "nn.") && !word_is(module, "torch.nn."))
        return false;
    if (!word_is(last, "Sequential"))
        return WORD_IS_ONE_OF(last, layers);
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    return count > 0 && count != SIZE_MAX && word_call(items[0], &inner, &inner_arguments) &&
           !word_is(word_last_part(inner), "Sequential") && is_layer(inner, inner_arguments);
}

bool code_is_layer(const struct source *code, struct word name)
{
    struct word function, arguments;
    return made_by(code, name, &function, &arguments) && is_layer(function, arguments);
}

int32_t code_function_run(const struct source *code, struct word function)
{
    struct word rest = code_text(code), statement;
    int32_t def = word_last_part(function).text == function.text ? code_definition(code, function) : 0;
    if (def == 0 || imports_of_name(code, function) != IMPORTED_BY_NONE)
        return 0;
    while (word_next_statement(&rest, &statement))
        if (word_mentions(statement, function) > 0 && word_gives(statement, function))
            return 0;
    return def;
}

bool code_has_word(const struct source *code, int32_t def, const char *text)
{
    struct word word = {text, strlen(text)};
    for (const char *at = code->text;
         (at = memmem(at, (size_t)(code->text + code->length_bytes - at), text, word.length_bytes)) != NULL;
         at += word.length_bytes)
        if (scope_function(code, code_row(code, at)) == def)
            return true;
    return false;
}

bool code_defines(const struct source *code, struct word name)
{
    const char *end = code->text + code->length_bytes;
    for (const char *at = code->text; (at = memmem(at, (size_t)(end - at), "def ", 4)) != NULL;) {
        at = word_skip_blanks(at + 4, end);
        if (word_equal(word_name_at(at, end), name))
            return true;
    }
    return false;
}

bool code_is_in_strings(const struct source *text, const struct source *code, struct word name)
{
    if (text == NULL || text->text == NULL)
        return true; /* what is not known may name it */
    const char *end = text->text + text->length_bytes;
    for (const char *at = text->text; at + name.length_bytes <= end; at++) {
        at = memmem(at, (size_t)(end - at), name.text, name.length_bytes);
        if (at == NULL)
            return false;
        bool is_code = memcmp(code->text + (at - text->text), name.text, name.length_bytes) == 0;
        bool is_word = (at == text->text || !word_char(at[-1])) && !word_char(at[name.length_bytes]);
        const char *line = at;
        while (line > text->text && line[-1] != '\n' && *line != '#')
            line--;
        if (!is_code && is_word && memchr(line, '{', (size_t)(at - line)) != NULL)
            return true;
    }
    return false;
}
