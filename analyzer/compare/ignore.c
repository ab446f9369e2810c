/* Comments in the source that say a finding is meant: `# pieprof: ignore[kind] reason`. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "compare/profile.h"

static const char mark[] = "pieprof: ignore[";

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

/* The comment of one line, if it has one. Text that only looks like one, in a string, ignores a finding on its own line. */
static void note_line(struct profile *profile, size_t file, int32_t number, const char *line, size_t length)
{
    const char *found = memmem(line, length, mark, sizeof(mark) - 1);
    if (found == NULL)
        return;
    const char *hash = found;
    while (hash > line && (hash[-1] == ' ' || hash[-1] == '\t'))
        hash--;
    const char *kind = found + sizeof(mark) - 1, *end = line + length;
    const char *close = memchr(kind, ']', (size_t)(end - kind));
    if (hash == line || hash[-1] != '#' || close == NULL)
        return;
    profile->ignores =
        memory_grow(profile->ignores, profile->ignore_count, &profile->ignore_capacity, sizeof(*profile->ignores));
    profile->ignores[profile->ignore_count++] =
        (struct profile_ignore){.file = file,
                                .number = number,
                                .kind = kept(kind, (size_t)(close - kind)),
                                .reason = kept(close + 1, (size_t)(end - close - 1))};
}

void profile_ignore(struct profile *profile, size_t file, const char *text, size_t length_bytes)
{
    const char *end = text + length_bytes;
    int32_t number = 1;
    for (const char *line = text; line < end && number < INT32_MAX; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        note_line(profile, file, number, line, (size_t)(stop - line));
        line = stop + 1;
    }
}

void profile_ignore_findings(struct profile *profile)
{
    for (size_t i = 0; i < profile->ignore_count; i++) {
        struct profile_ignore *ignore = &profile->ignores[i];
        for (size_t j = 0; j < profile->finding_count; j++) {
            struct profile_finding *finding = &profile->findings[j];
            const struct profile_line *line = finding_line(profile, finding);
            if (line->file != ignore->file || line->number != ignore->number ||
                strcmp(finding->kind, ignore->kind) != 0)
                continue;
            finding->ignored = ignore->reason;
            ignore->used = true;
        }
    }
}
