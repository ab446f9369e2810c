#include "python/loop_uses.h"

#include <ctype.h>
#include <string.h>

static void add_use(struct loop_uses *uses, struct loop_use use)
{
    uses->full |= uses->count == LOOP_USES_MAX;
    if (uses->count < LOOP_USES_MAX)
        uses->uses[uses->count++] = use;
}

/* "out.append(x)", "h.copy_(x)", "h[t].mul_(x)", "out=h[t]": does a use store into what it names? Then it is made one that does. */
static bool is_call_store(struct loop_use *use, const char *begin, const char *end)
{
    static const char *const methods[] = {"append", "extend", "insert", "appendleft", "fill", "sort", "put"};
    struct word method = word_last_part(use->name);
    const char *behind = use->index.length_bytes > 0 ? use->index.text + use->index.length_bytes + 1 : end;
    bool of_element = behind < end && *behind == '.';
    bool of_name = use->called && method.text != use->name.text;
    if (of_element) {
        struct word name = word_name_at(behind + 1, end);
        of_element = name.text + name.length_bytes < end && name.text[name.length_bytes] == '(';
        method = word_last_part(name);
    }
    bool changes =
        WORD_IS_ONE_OF(method, methods) || (method.length_bytes > 1 && method.text[method.length_bytes - 1] == '_');
    bool is_out = use->name.text - begin >= 4 && memcmp(use->name.text - 4, "out=", 4) == 0;
    if (!is_out && !(changes && (of_element || of_name)))
        return false;
    if (of_name && !is_out)
        use->name.length_bytes -= method.length_bytes + 1;
    use->stored = true;
    use->called = false;
    return true;
}

void loop_uses_read(struct loop_uses *uses, struct word text, uint32_t statement, bool stored, bool added)
{
    const char *end = text.text + text.length_bytes;
    size_t depth = 0;
    for (const char *at = text.text; at < end;) {
        const char *behind = word_skip_quiet(at, end);
        if (behind > at) {
            at = behind;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        bool begins = word_char(*at) && !isdigit((unsigned char)*at) && (at == text.text || at[-1] != '.');
        if (!begins) {
            while (at < end && word_char(*at) && at + 1 < end && word_char(at[1]))
                at++; /* a number's letters, or an attribute of a call */
            at++;
            continue;
        }
        struct word name = word_name_at(at, end);
        at = word_skip_blanks(name.text + name.length_bytes, end);
        bool keyword_argument = depth > 0 && at < end && *at == '=' && (at + 1 == end || at[1] != '=');
        if (word_is_keyword(name) || keyword_argument)
            continue;
        struct loop_use use = {.name = name, .statement = statement, .stored = stored && depth == 0, .added = added};
        use.called = at < end && *at == '(';
        if (at < end && *at == '[')
            use.index = word_in_bracket(at, end);
        use.stored = use.stored && !use.called;
        is_call_store(&use, text.text, end);
        add_use(uses, use);
    }
}
