#include "python/attribute.h"

#include "python/code_facts.h"
#include "python/mention.h"

bool attribute_next(struct word text, const char **at, struct word attribute, struct word *dotted)
{
    const char *found;
    while ((found = word_find(text, *at, attribute)) != NULL) {
        const char *begin = found;
        *at = found + attribute.length_bytes;
        while (begin > text.text && (word_char(begin[-1]) || begin[-1] == '.'))
            begin--;
        *dotted = (struct word){begin, (size_t)(*at - begin)};
        if (begin < found)
            return true;
    }
    return false;
}

bool attribute_is_operand(const struct source *code, struct word attribute)
{
    struct word rest = code_text(code), statement, dotted;
    struct mention mention;
    while (word_next_statement(&rest, &statement))
        for (const char *at = statement.text; attribute_next(statement, &at, attribute, &dotted);) {
            mention_read(&mention, code_text(code), statement, dotted.text, word_end(dotted));
            if (mention.kind != MENTION_READ && mention.kind != MENTION_GIVEN && mention.kind != MENTION_STORED)
                return false;
        }
    return true;
}
