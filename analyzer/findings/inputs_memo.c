#include "findings/inputs_memo.h"

static uintptr_t word_of(struct word name)
{
    return (uintptr_t)intern_bytes(name.text, name.length_bytes);
}

const struct carried *inputs_memo_carried(struct inputs_memo *memo, struct word rows, struct word name)
{
    bool is_new = false;
    struct map_key key = {(uintptr_t)rows.text, rows.length_bytes, word_of(name)};
    struct carried *carried = memo_get(&memo->carried, key, sizeof(*carried), &is_new);
    if (is_new)
        carried_read(carried, rows, name);
    return carried;
}

bool *inputs_memo_changed(struct inputs_memo *memo, struct word rows, struct word name, uint64_t files, bool *is_new)
{
    struct map_key key = {(uintptr_t)rows.text, hash_mix(rows.length_bytes ^ files), word_of(name)};
    return memo_get(&memo->changed, key, sizeof(bool), is_new);
}

void inputs_memo_free(struct inputs_memo *memo)
{
    memo_free(&memo->carried);
    memo_free(&memo->changed);
}
