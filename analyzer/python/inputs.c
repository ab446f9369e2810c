#include "python/inputs.h"

#include <ctype.h>
#include <string.h>

#include "python/array_calls.h"
#include "python/fresh.h"

static bool ends_in(struct word word, const char *end)
{
    size_t length = strlen(end);
    return word.length_bytes > length && memcmp(word_end(word) - length, end, length) == 0;
}

/* "self.w" of "self.w.sum" */
static struct word owner_of(struct word name)
{
    size_t last = word_last_part(name).length_bytes;
    return (struct word){name.text, name.length_bytes > last ? name.length_bytes - last - 1 : 0};
}

/* "x.shape" */
static bool asks_shape(struct word name)
{
    for (const char *dot = name.text; (dot = memchr(dot, '.', (size_t)(word_end(name) - dot))) != NULL; dot++) {
        const char *end = dot + 1;
        while (end < word_end(name) && word_char(*end))
            end++;
        if (fresh_is_fact((struct word){dot + 1, (size_t)(end - dot - 1)}))
            return true;
    }
    return false;
}

/* Functions that take of an array no more than how it is made: "len(x)", "np.zeros_like(x)", "y.view_as(x)". */
static bool takes_shape(struct word function)
{
    static const char *const names[] = {"len", "isinstance", "type", "type_as", "expand_as", "view_as", "reshape_as"};
    struct word last = word_last_part(function);
    return WORD_IS_ONE_OF(last, names) || (ends_in(last, "_like") && !word_is(last, "full_like"));
}

/* "x.size(0)", "x.new_zeros(3)": what x holds is not asked. */
static bool is_of_shape(struct word method)
{
    static const char *const names[] = {"size", "dim", "numel", "get_device", "is_floating_point"};
    return WORD_IS_ONE_OF(method, names) || (method.length_bytes > 4 && memcmp(method.text, "new_", 4) == 0);
}

static bool is_keyword_argument(const char *behind, const char *end)
{
    return behind < end && *behind == '=' && (behind + 1 == end || behind[1] != '=');
}

/* Of a name in front of a bracket; `*at`: behind what is read. */
static void read_call(struct word text, struct word name, const char **at, struct input *input)
{
    struct word arguments = word_in_bracket(*at, word_end(text)), owner = owner_of(name);
    if (takes_shape(name))
        *at = word_end(arguments);
    if (array_is_module(name))
        return;
    input->called = word_last_part(name);
    if (!is_of_shape(input->called) && !asks_shape(owner))
        input->name = owner;
}

bool inputs_next(struct word text, const char **at, struct input *input)
{
    const char *end = word_end(text);
    while (*at < end) {
        bool begins = *at == text.text || !word_char((*at)[-1]);
        struct word name =
            begins && word_char(**at) && !isdigit((unsigned char)**at) ? word_name_at(*at, end) : (struct word){*at, 0};
        bool goes_on = *at > text.text && (*at)[-1] == '.';
        if (name.length_bytes == 0) {
            ++*at;
            continue;
        }
        *at = word_skip_blanks(word_end(name), end);
        *input = (struct input){.name = {name.text, 0}, .called = {name.text, 0}};
        if (word_is_keyword(name) || is_keyword_argument(*at, end))
            continue;
        bool is_called = *at < end && **at == '(';
        if (is_called && !goes_on)
            read_call(text, name, at, input);
        else if (is_called)
            input->called = word_last_part(name);
        else if (!goes_on && !array_is_module(name) && !asks_shape(name))
            input->name = name;
        if (input->name.length_bytes + input->called.length_bytes > 0)
            return true;
    }
    return false;
}
