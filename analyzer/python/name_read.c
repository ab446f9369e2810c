#include "python/name_read.h"

#include "python/code_facts.h"
#include "python/mention.h"
#include "python/name_uses.h"
#include "python/suite.h"

struct reading {
    const struct source *code;
};

static bool reads(const char *at, void *state)
{
    const struct source *code = ((const struct reading *)state)->code;
    struct word statement, name = {at, 0};
    struct mention mention;
    int32_t row = 0;
    if (!suite_statement_at(code, at, &statement, &row))
        return false;
    while (word_char(at[name.length_bytes]))
        name.length_bytes++;
    mention_read(&mention, code_text(code), statement, at, word_end(name));
    return mention.kind == MENTION_READ || mention.kind == MENTION_GIVEN;
}

bool name_is_only_read(const struct source *code, int32_t first, int32_t last, struct word name)
{
    struct reading reading = {code};
    return name_uses_visit(code, first, last, name, reads, &reading);
}
