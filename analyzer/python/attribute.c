#include "python/attribute.h"

#include <string.h>

#include "python/code_facts.h"
#include "python/mention.h"

/* "self.x" in "self.x.sum()", from `at` on, which moves behind it. */
static bool next_named(struct word statement, const char **at, struct word attribute, struct word *dotted)
{
    while (*at < word_end(statement)) {
        const char *found = memmem(*at, (size_t)(word_end(statement) - *at), attribute.text, attribute.length_bytes);
        if (found == NULL)
            return false;
        *at = found + attribute.length_bytes;
        bool is_whole = *at == word_end(statement) || !word_char(**at);
        const char *begin = found;
        while (begin > statement.text && (word_char(begin[-1]) || begin[-1] == '.'))
            begin--;
        *dotted = (struct word){begin, (size_t)(*at - begin)};
        if (is_whole && begin < found && found[-1] == '.')
            return true;
    }
    return false;
}

bool attribute_is_operand(const struct source *code, struct word attribute)
{
    struct word rest = code_text(code), statement, dotted;
    struct mention mention;
    while (word_next_statement(&rest, &statement))
        for (const char *at = statement.text; next_named(statement, &at, attribute, &dotted);) {
            mention_read(&mention, code_text(code), statement, dotted.text, word_end(dotted));
            if (mention.kind != MENTION_READ && mention.kind != MENTION_GIVEN && mention.kind != MENTION_STORED)
                return false;
        }
    return true;
}
