#include "findings/overwrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/source.h"
#include "python/code_facts.h"
#include "python/fresh.h"
#include "python/operation.h"
#include "python/scope.h"
#include "python/suite.h"
#include "python/words.h"

#define ROWS_MAX 20 /* of a statement */

/* "buffer" of "out=buffer"; empty for "out=buffer[1:]". */
static struct word whole_out(const char *code)
{
    const char *found = strstr(code, "out="), *end;
    struct word none = {code, 0};
    if (found == NULL || (found > code && word_char(found[-1])))
        return none;
    for (end = found += 4; *end != '\0' && *end != ',' && *end != ')'; end++)
        if (*end == '[')
            return none;
    return (struct word){found, (size_t)(end - found)};
}

/* Of "buffer[:]=" and not "buffer[1][:]=", which is a part, nor a comparison. */
static struct word whole_slice(const char *code)
{
    static const char *const slices[] = {"[:]=", "[...]=", ".copy_("};
    for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
        const char *found = strstr(code, slices[i]), *end = found != NULL ? found + strlen(slices[i]) : NULL;
        bool is_half = found != NULL && found - code > 5 &&
                       (memcmp(found - 5, ".real", 5) == 0 || memcmp(found - 5, ".imag", 5) == 0);
        const char *first = found;
        while (first != NULL && first > code && (word_char(first[-1]) || first[-1] == '.'))
            first--;
        if (found != NULL && found > code && word_char(found[-1]) && *end != '=' && !is_half)
            return (struct word){first, (size_t)(found - first)};
    }
    return (struct word){code, 0};
}

/* Of "copyto(buffer, ...)", of which the first is written. */
static struct word whole_copy(const char *code)
{
    const char *found = strstr(code, "copyto(");
    size_t length = found != NULL ? strcspn(found, ",") : 0, name = sizeof("copyto(") - 1;
    return found != NULL && length < strcspn(found, "[") && length > name ? (struct word){found + name, length - name}
                                                                          : (struct word){code, 0};
}

/* Does a subscript of the text, or a method, take a part of something? Not of what makes a new array ("np.zeros(x.shape[0])"). */
static bool takes_part(struct word text)
{
    static const char *const methods[] = {"narrow", "select", "diagonal",    "split",      "chunk",
                                          "unbind", "real",   "imag",        "hsplit",     "vsplit",
                                          "dsplit", "unfold", "array_split", "as_strided", "sliding_window_view"};
    struct word function, arguments;
    if (operation_of(text.text, text.length_bytes).kind == OPERATOR ||
        (word_call(text, &function, &arguments) && fresh_is_call(function, arguments)))
        return false;
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        bool is_subscript = *at == '[' && at > text.text && (word_char(at[-1]) || strchr(")]", at[-1]) != NULL);
        struct word last = word_last_part(name);
        if (is_subscript || WORD_IS_ONE_OF(last, methods))
            return true;
        at = name.length_bytes > 0 ? word_end(name) : at + 1;
    }
    return false;
}

/* Is a call of the function handed a part? */
static bool is_handed_part(const struct source *code, struct word function)
{
    struct word rest = code_text(code), statement;
    while (word_next_statement(&rest, &statement)) {
        const char *at = memmem(statement.text, statement.length_bytes, function.text, function.length_bytes);
        const char *open = at != NULL ? at + function.length_bytes : NULL;
        if (open != NULL && open < word_end(statement) && *open == '(' &&
            takes_part(word_in_bracket(open, word_end(statement))))
            return true;
    }
    return false;
}

/* Is the name itself given a part, or what a loop takes out of something? Not where only a part of it is stored into. */
static bool gives_part(struct word statement, struct word name)
{
    struct word items[WORDS_MAX];
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    if (word_is(word_name_at(statement.text, word_end(statement)), "for"))
        return word_gives(statement, name);
    if (sign == NULL || length != 1)
        return false;
    size_t count = word_split((struct word){statement.text, (size_t)(sign - statement.text)}, ',', items, WORDS_MAX);
    bool gives = count == SIZE_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        gives |= word_equal(items[i], name);
    return gives && takes_part(word_trimmed(sign + length, word_end(statement)));
}

/* May the name stand for a part of an array: "inner = padded[1:-1]", "for row in table", a parameter that is handed one? */
static bool may_be_part(const struct source *code, int32_t row, struct word name)
{
    struct word rest = code_text(code), statement, header;
    size_t indent = 0;
    int32_t def = scope_function(code, row), last = 0;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        if (word_mentions(statement, name) > 0 && gives_part(statement, name))
            return true;
    }
    return def > 0 && suite_statement(code, def, &header, &indent, &last) && word_mentions(header, name) > 0 &&
           is_handed_part(code, code_name_of(code, def));
}

/* The code of the statement that begins on the line, without blanks. Fresh memory. */
static char *code_of(const struct model *model, const struct line *line)
{
    size_t kept = 0, depth = 0;
    char *code = memory_zeroed(1, 1);
    for (int32_t row = 0; row == 0 || (depth > 0 && row < ROWS_MAX); row++) {
        size_t length = 0;
        const char *text = source_line(source_code(model, line->file), line->number + row, &length);
        if (text == NULL)
            break;
        char *longer = memory_zeroed(kept + length + 1, 1);
        memcpy(longer, code, kept);
        free(code);
        code = longer;
        for (size_t i = 0; i < length; i++) {
            if (isspace((unsigned char)text[i]))
                continue;
            depth += strchr("([{", text[i]) != NULL;
            depth -= depth > 0 && strchr(")]}", text[i]) != NULL;
            code[kept++] = text[i];
        }
    }
    return code;
}

bool overwrite_is_whole(const struct model *model, const struct line *line)
{
    char *code = code_of(model, line);
    const char *where = strstr(code, "where=");
    bool is_part = where != NULL && where > code && !word_char(where[-1]);
    struct word found[] = {whole_out(code), whole_slice(code), whole_copy(code)};
    bool whole = false;
    for (size_t i = 0; i < sizeof(found) / sizeof(found[0]) && !whole && !is_part; i++)
        whole = found[i].length_bytes > 0 && !may_be_part(source_code(model, line->file), line->number, found[i]);
    free(code);
    return whole;
}
