#include "python/gradients.h"

#include <string.h>

#include "python/scope.h"
#include "python/suite.h"
#include "python/words.h"

enum gradients { GRADIENTS_UNSAID, GRADIENTS_ON, GRADIENTS_OFF };

/* "torch.no_grad", "inference_mode()", "torch.set_grad_enabled(False)" */
static enum gradients said_by(struct word item)
{
    struct word name = word_name_at(item.text, word_end(item)), function, arguments = {"", 0};
    word_call(item, &function, &arguments);
    name = word_last_part(name);
    if (word_is(name, "set_grad_enabled") && !word_is(arguments, "False"))
        return GRADIENTS_ON;
    if (word_is(name, "no_grad") || word_is(name, "set_grad_enabled") ||
        (word_is(name, "inference_mode") && !word_is(arguments, "False")))
        return GRADIENTS_OFF;
    return word_is(name, "enable_grad") ? GRADIENTS_ON : GRADIENTS_UNSAID;
}

/* "with torch.no_grad(), other() as x" */
static enum gradients said_by_with(struct word header)
{
    struct word items[WORDS_MAX], rest = word_without_async(header);
    struct word keyword = word_name_at(rest.text, word_end(rest));
    if (!word_is(keyword, "with"))
        return GRADIENTS_UNSAID;
    size_t count = word_split(word_trimmed(word_end(keyword), word_end(rest)), ',', items, WORDS_MAX);
    enum gradients said = GRADIENTS_UNSAID;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        said = said_by(items[i]) != GRADIENTS_UNSAID ? said_by(items[i]) : said;
    return said;
}

static enum gradients said_above(const struct source *code, int32_t function)
{
    enum gradients said = GRADIENTS_UNSAID;
    struct word text;
    size_t indent;
    for (int32_t row = function - 1; suite_row(code, row, &text, &indent) && text.length_bytes > 1 && *text.text == '@';
         row--) {
        enum gradients by = said_by((struct word){text.text + 1, text.length_bytes - 1});
        said = said == GRADIENTS_UNSAID ? by : said; /* the innermost one is the nearest */
    }
    return said;
}

/* The header on the row, or all of a row that is none. */
static struct word header_on(const struct source *code, struct word text)
{
    struct word rest = {text.text, (size_t)(code->text + code->length_bytes - text.text)}, header = text;
    word_next_statement(&rest, &header);
    return header;
}

bool gradients_are_off(const struct source *code, int32_t row)
{
    struct word text;
    size_t indent;
    enum gradients said = GRADIENTS_UNSAID;
    for (; said == GRADIENTS_UNSAID && row > 0 && suite_row(code, row, &text, &indent); row = scope_header(code, row)) {
        if (scope_is_function(text))
            return said_above(code, row) == GRADIENTS_OFF;
        said = said_by_with(header_on(code, text));
    }
    return said == GRADIENTS_OFF;
}
