#include "python/display.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 64u

/* A bracket that stands open: a display's, or that of a call, a subscript or an expression. */
struct open {
    bool displays;
    bool is_round; /* a tuple's, if there is a comma */
};

static const char *before(const char *at, const char *start)
{
    while (at > start && isspace((unsigned char)at[-1]))
        at--;
    return at;
}

static bool ends_word(const char *at, const char *start, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(at - start) >= length && memcmp(at - length, word, length) == 0 &&
           ((size_t)(at - start) == length || !word_char(at[-(ptrdiff_t)length - 1]));
}

/* "x[", "f(" and ")[" go on with what stands before; "return (" and "in [" do not. */
static struct open open_at(const char *at, const char *start)
{
    static const char *const keywords[] = {"return", "yield", "in", "and", "or", "not", "else", "if"};
    bool goes_on = at > start && (word_char(at[-1]) || at[-1] == ')' || at[-1] == ']');
    const char *behind = before(at, start);
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        goes_on = goes_on && !ends_word(behind, start, keywords[i]);
    return (struct open){.displays = !goes_on, .is_round = *at == '('};
}

/* Does an item begin there, and end there? "[self.w," "(w)" is none. */
static bool is_alone(struct word text, const char *begin, const char *end, const struct open *open)
{
    const char *left = before(begin, text.text), *right = end;
    while (right < word_end(text) && isspace((unsigned char)*right) && (open != NULL || *right != '\n'))
        right++;
    char last = left > text.text ? left[-1] : '\n', next = right < word_end(text) ? *right : '\n';
    if (open == NULL)
        return (last == ',' || ends_word(left, text.text, "return") || ends_word(left, text.text, "yield")) &&
               (next == ',' || next == '\n');
    bool begins = strchr("[{(,:*", last) != NULL, ends = strchr(",]})", next) != NULL;
    return open->displays && begins && ends && (!open->is_round || last == ',' || next == ',');
}

bool display_holds(struct word text, struct word name)
{
    struct open opened[DEPTH_MAX];
    size_t depth = 0;
    for (const char *at = text.text; at < word_end(text);) {
        const char *behind = word_skip_quiet(at, word_end(text));
        struct word dotted = behind == at && word_char(*at) ? word_name_at(at, word_end(text)) : (struct word){at, 0};
        if (behind > at) {
            at = behind;
            continue;
        }
        if (dotted.length_bytes > 0) {
            bool is_it = word_equal(word_last_part(dotted), name);
            if (is_it && is_alone(text, at, word_end(dotted), depth > 0 ? &opened[depth - 1] : NULL))
                return true;
            at = word_end(dotted);
            continue;
        }
        if (strchr("([{", *at) != NULL && depth < DEPTH_MAX)
            opened[depth++] = open_at(at, text.text);
        else if (strchr(")]}", *at) != NULL && depth > 0)
            depth--;
        at++;
    }
    return false;
}

bool display_hands_to_class(struct word text, struct word name)
{
    for (const char *at = text.text; at < word_end(text);) {
        struct word function = word_char(*at) ? word_name_at(at, word_end(text)) : (struct word){at, 0},
                    items[WORDS_MAX];
        const char *behind = word_end(function);
        bool is_made = function.length_bytes > 0 && isupper((unsigned char)*word_last_part(function).text) &&
                       behind < word_end(text) && *behind == '(';
        size_t count = is_made ? word_split(word_in_bracket(behind, word_end(text)), ',', items, WORDS_MAX) : 0;
        for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
            struct word target, value = items[i];
            if (!word_assigned(items[i], &target, &value))
                value = items[i];
            struct word dotted = word_name_at(value.text, word_end(value));
            if (word_equal(dotted, value) && word_equal(word_last_part(dotted), name))
                return true;
        }
        at = function.length_bytes > 0 ? behind : at + 1;
    }
    return false;
}
