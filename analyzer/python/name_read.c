#include "python/name_read.h"

#include "python/mention.h"
#include "python/name_uses.h"

struct reading {
    const struct source *code;
};

static bool reads(const char *at, void *state)
{
    struct mention mention;
    struct word statement, name;
    int32_t row = 0;
    if (!mention_at(&mention, ((const struct reading *)state)->code, at, &name, &statement, &row))
        return false;
    return mention.kind == MENTION_READ || mention.kind == MENTION_GIVEN;
}

bool name_is_only_read(const struct source *code, int32_t first, int32_t last, struct word name)
{
    struct reading reading = {code};
    return name_uses_visit(code, first, last, name, reads, &reading);
}

static bool leaves_alone(const char *at, void *state)
{
    const struct reading *reading = state;
    struct mention mention;
    struct word name, statement;
    int32_t row = 0;
    return mention_at(&mention, reading->code, at, &name, &statement, &row) &&
           (mention.kind == MENTION_READ || mention.kind == MENTION_GIVEN || mention.kind == MENTION_RETURNED);
}

bool name_is_left_alone(const struct source *code, int32_t first, int32_t last, struct word name)
{
    struct reading reading = {code};
    return name_uses_visit(code, first, last, name, leaves_alone, &reading);
}

bool name_may_be_given(const struct source *code, int32_t first, int32_t last, struct word name)
{
    struct word text, end, statement, own;
    text.text = source_line(code, first, &text.length_bytes);
    end.text = source_line(code, last, &end.length_bytes);
    if (text.text == NULL || end.text == NULL)
        return true;
    text.length_bytes = (size_t)(word_end(end) - text.text);
    for (const char *at = text.text; (at = word_next_mention(text, at, name)) != NULL; at++) {
        struct mention mention;
        int32_t row = 0;
        if (!mention_at(&mention, code, at, &own, &statement, &row) || mention.kind == MENTION_UNKNOWN ||
            mention.kind == MENTION_GIVEN || mention.kind == MENTION_STORED)
            return true;
    }
    return false;
}
