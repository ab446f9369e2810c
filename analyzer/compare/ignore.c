/* Comments in the source that say a finding is meant: `# pieprof: ignore[kind, kind] reason`. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/profile.h"
#include "model/source_code.h"

static const char *kept(const char *bytes, size_t length)
{
    while (length > 0 && (*bytes == ' ' || *bytes == '\t')) {
        bytes++;
        length--;
    }
    while (length > 0 && strchr(" \t\r", bytes[length - 1]) != NULL)
        length--;
    char *valid = text_valid(bytes, length < PROFILE_TEXT_BYTES ? length : PROFILE_TEXT_BYTES);
    const char *text = intern_string(valid);
    free(valid);
    return text;
}

static void note(struct profile *profile, struct profile_ignore ignore)
{
    profile->ignores =
        memory_grow(profile->ignores, profile->ignore_count, &profile->ignore_capacity, sizeof(*profile->ignores));
    profile->ignores[profile->ignore_count++] = ignore;
}

/* Behind `word`, in letters of either case, and the blanks before it; NULL when something else stands there. */
static const char *behind(const char *at, const char *end, const char *word)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && strncasecmp(at, word, length) == 0 ? at + length : NULL;
}

/* The mark of a comment, however it is spaced and capitalized. Without a kind in brackets it ignores nothing, which is told. */
static void note_comment(struct profile *profile, size_t file, int32_t number, const char *comment, const char *end)
{
    const char *at = behind(comment, end, "pieprof");
    at = at != NULL ? behind(at, end, ":") : NULL;
    at = at != NULL ? behind(at, end, "ignore") : NULL;
    if (at == NULL)
        return;
    const char *kinds = behind(at, end, "["), *close = kinds != NULL ? memchr(kinds, ']', (size_t)(end - kinds)) : NULL;
    struct profile_ignore ignore = {.file = file, .number = number, .kind = "", .reason = ""};
    if (close == NULL) {
        note(profile, ignore);
        return;
    }
    ignore.reason = kept(close + 1, (size_t)(end - close - 1));
    for (const char *kind = kinds; kind <= close;) {
        const char *comma = memchr(kind, ',', (size_t)(close - kind)), *stop = comma != NULL ? comma : close;
        ignore.kind = kept(kind, (size_t)(stop - kind));
        note(profile, ignore);
        kind = stop + 1;
    }
}

void profile_ignore(struct profile *profile, size_t file, const char *text, size_t length_bytes)
{
    char *copy = memory_zeroed(length_bytes + 1, 1);
    memcpy(copy, text, length_bytes);
    source_without_strings(copy, length_bytes);
    const char *end = copy + length_bytes;
    int32_t number = 1;
    for (const char *line = copy; line < end && number < INT32_MAX; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        const char *hash = memchr(line, '#', (size_t)(stop - line));
        for (; hash != NULL; hash = memchr(hash + 1, '#', (size_t)(stop - hash - 1)))
            note_comment(profile, file, number, hash + 1, stop);
        line = stop + 1;
    }
    free(copy);
}

/* The first row of the statement that a row is of, as far as the text is known. */
static int32_t statement_at(const struct profile *profile, size_t file, int32_t row)
{
    const struct profile_file *rows = &profile->files[file];
    return rows->statements != NULL && row > 0 && (size_t)row <= rows->line_count ? rows->statements[row - 1] : row;
}

/* On the finding's own row; or on another of its statement, as where a formatter put it behind the closing bracket. */
static bool is_about(const struct profile *profile, const struct profile_ignore *ignore,
                     const struct profile_finding *finding, bool whole_statement)
{
    const struct profile_line *line = finding_line(profile, finding);
    if (line->file != ignore->file || strcmp(finding->kind, ignore->kind) != 0)
        return false;
    return line->number == ignore->number ||
           (whole_statement &&
            statement_at(profile, line->file, line->number) == statement_at(profile, ignore->file, ignore->number));
}

static void apply(struct profile *profile, struct profile_ignore *ignore, bool whole_statement)
{
    for (size_t i = 0; i < profile->finding_count; i++) {
        if (!is_about(profile, ignore, &profile->findings[i], whole_statement))
            continue;
        profile->findings[i].ignored = ignore->reason;
        ignore->used = true;
    }
}

void profile_ignore_findings(struct profile *profile)
{
    for (size_t i = 0; i < profile->ignore_count; i++) {
        apply(profile, &profile->ignores[i], false);
        if (!profile->ignores[i].used)
            apply(profile, &profile->ignores[i], true);
    }
}
