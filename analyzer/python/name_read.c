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
