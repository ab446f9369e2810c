/*
 * A finding's id: the same in another run, another checkout and after edits elsewhere in the file. From the kind, the
 * function's qualified name, the line's text without blanks, and which of the equal lines of its function it is; no line
 * number, path, version or count.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "findings/finding.h"
#include "model/source.h"

#define FUNCTION_LINES_MAX 2000 /* no longer function is looked through */

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t length_bytes)
{
    for (size_t i = 0; i < length_bytes; i++)
        if (!isspace((unsigned char)bytes[i]))
            hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash_mix(hash);
}

/* Does a definition begin on this line? It ends the search for equal lines of one function. */
static bool is_definition(const char *text, size_t length)
{
    while (length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    return (length > 4 && strncmp(text, "def ", 4) == 0) || (length > 10 && strncmp(text, "async def ", 10) == 0);
}

/* Of the line's text and how many lines above it, in the same function, read the same; 0 where no text is known. */
static uint64_t hash_line(const struct source *source, int32_t number)
{
    size_t length = 0;
    const char *line = source_line(source, number, &length);
    if (line == NULL)
        return 0;
    uint64_t hash = hash_bytes(1, line, length), twins = 0;
    for (int32_t i = 0; i < FUNCTION_LINES_MAX && line != NULL && !is_definition(line, length); i++) {
        line = source_line_before(source, line, &length);
        twins += line != NULL && hash_bytes(1, line, length) == hash;
    }
    return hash_mix(hash + twins);
}

static uint64_t identity(const struct model *model, const struct finding *finding)
{
    const struct source *source = source_get(model, finding->line->file);
    uint64_t hash = hash_bytes(2, finding->kind, strlen(finding->kind));
    hash = hash_bytes(hash, finding->line->function, strlen(finding->line->function));
    return hash_mix(hash ^ hash_line(source, finding->line->number));
}

/* Is `a` before `b` in the program's own order? */
static bool is_before(const struct finding *a, const struct finding *b)
{
    int order = strcmp(a->line->file, b->line->file);
    return order < 0 || (order == 0 && a->line->number < b->line->number);
}

void findings_identify(struct model *model)
{
    uint64_t hashes[256];
    size_t count = model->finding_count < 256 ? model->finding_count : 256; /* beyond, twins share an id */
    for (size_t i = 0; i < model->finding_count; i++) {
        uint64_t hash = identity(model, model->findings[i]);
        if (i < count)
            hashes[i] = hash;
        snprintf(model->findings[i]->id, sizeof(model->findings[i]->id), "%016" PRIx64, hash);
    }
    for (size_t i = 0; i < count; i++) { /* the same function in several files */
        uint64_t twins = 0;
        for (size_t j = 0; j < count; j++)
            twins += j != i && hashes[j] == hashes[i] && is_before(model->findings[j], model->findings[i]);
        if (twins > 0)
            snprintf(model->findings[i]->id, sizeof(model->findings[i]->id), "%016" PRIx64,
                     hash_mix(hashes[i] + twins));
    }
}
