#include "findings/overwrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/source.h"
#include "python/words.h"

#define ROWS_MAX 20 /* of a statement */

/* "out=buffer" and not "out=buffer[1:]". */
static bool is_whole_out(const char *code)
{
    const char *found = strstr(code, "out=");
    if (found == NULL || (found > code && word_char(found[-1])))
        return false;
    for (found += 4; *found != '\0' && *found != ',' && *found != ')'; found++)
        if (*found == '[')
            return false;
    return true;
}

/* "buffer[:]=" and not "buffer[1][:]=", which is a part, nor a comparison. */
static bool is_whole_slice(const char *code)
{
    static const char *const slices[] = {"[:]=", "[...]=", ".copy_("};
    for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
        const char *found = strstr(code, slices[i]), *end = found != NULL ? found + strlen(slices[i]) : NULL;
        bool is_half = found != NULL && found - code > 5 &&
                       (memcmp(found - 5, ".real", 5) == 0 || memcmp(found - 5, ".imag", 5) == 0);
        if (found != NULL && found > code && word_char(found[-1]) && *end != '=' && !is_half)
            return true;
    }
    return false;
}

/* "copyto(buffer, ...)", of which the first is written. */
static bool is_whole_copy(const char *code)
{
    const char *found = strstr(code, "copyto(");
    return found != NULL && strcspn(found, ",") < strcspn(found, "[");
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
    bool whole = !is_part && (is_whole_out(code) || is_whole_slice(code) || is_whole_copy(code));
    free(code);
    return whole;
}
