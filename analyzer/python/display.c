#include "python/display.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 64u

/* A bracket that stands open: a display's, or that of a call, a subscript or an expression. */
struct open {
    bool displays;
    bool is_round;  /* a tuple's, if there is a comma */
    bool of_arrays; /* of a call of NumPy's or PyTorch's: "np.zeros((m, n))" keeps no tuple */
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

/* Classes' names begin with a capital letter: "torch.optim.SGD([w, b])" keeps what it is handed. */
static bool calls_arrays(const char *at, const char *start)
{
    const char *begin = at;
    while (begin > start && (word_char(begin[-1]) || begin[-1] == '.'))
        begin--;
    struct word function = {begin, (size_t)(at - begin)};
    return *at == '(' && at > begin && handed_is_of_arrays(function) &&
           !isupper((unsigned char)*word_last_part(function).text);
}

/* "params.append(w)": the list that has it is none of the text's, perhaps. */
static bool fills_list(const char *at, const char *start)
{
    static const char *const methods[] = {"append", "appendleft", "insert"};
    for (size_t i = 0; *at == '(' && i < sizeof(methods) / sizeof(methods[0]); i++)
        if (ends_word(at, start, methods[i]) && at - start > (ptrdiff_t)strlen(methods[i]) &&
            at[-(ptrdiff_t)strlen(methods[i]) - 1] == '.')
            return true;
    return false;
}

/* "x[", "f(" and ")[" go on with what stands before; "return (" and "in [" do not. */
static struct open open_at(const char *at, const char *start, const struct open *around)
{
    static const char *const keywords[] = {"return", "yield", "in", "and", "or", "not", "else", "if"};
    bool goes_on = at > start && (word_char(at[-1]) || at[-1] == ')' || at[-1] == ']');
    const char *behind = before(at, start);
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        goes_on = goes_on && !ends_word(behind, start, keywords[i]);
    if (fills_list(at, start))
        return (struct open){.displays = true};
    bool is_taken = around != NULL && around->of_arrays;
    return (struct open){!goes_on && !is_taken, *at == '(', goes_on ? calls_arrays(at, start) : is_taken};
}

/* "a, b = c, d" makes no tuple that anybody keeps. */
static bool is_in_assignment(struct word text, const char *at)
{
    const char *begin = at, *end = at;
    while (begin > text.text && begin[-1] != '\n' && begin[-1] != ';')
        begin--;
    while (end < word_end(text) && *end != '\n' && *end != ';')
        end++;
    struct word target, value, items[WORDS_MAX];
    if (!word_assigned(word_trimmed(begin, end), &target, &value))
        return false;
    size_t count = word_split(target, ',', items, WORDS_MAX);
    return count > 1 && count != SIZE_MAX && count == word_split(value, ',', items, WORDS_MAX);
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
               (next == ',' || next == '\n') && !is_in_assignment(text, begin);
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
        if (strchr("([{", *at) != NULL && depth < DEPTH_MAX) {
            opened[depth] = open_at(at, text.text, depth > 0 ? &opened[depth - 1] : NULL);
            depth++;
        } else if (strchr(")]}", *at) != NULL && depth > 0) {
            depth--;
        }
        at++;
    }
    return false;
}

/* Is it one of the arguments by itself? */
static bool is_argument(struct word arguments, struct word name, struct handed *handed)
{
    struct word items[WORDS_MAX], target, value;
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        bool by_keyword = word_assigned(items[i], &target, &value);
        value = by_keyword ? value : items[i];
        struct word dotted = word_name_at(value.text, word_end(value));
        handed->keyword = by_keyword ? target : (struct word){value.text, 0};
        handed->place = i;
        if (word_equal(dotted, value) && word_equal(word_last_part(dotted), name))
            return true;
    }
    return false;
}

bool display_next_class(struct word *rest, struct word name, struct handed *handed)
{
    const char *end = word_end(*rest);
    for (const char *at = rest->text; at < end;) {
        handed->function = word_char(*at) ? word_name_at(at, end) : (struct word){at, 0};
        const char *behind = word_end(handed->function);
        bool is_named = behind > at;
        bool is_made = is_named && isupper((unsigned char)*word_last_part(handed->function).text) && behind < end &&
                       *behind == '(';
        at = is_named ? behind : at + 1;
        if (is_made && is_argument(word_in_bracket(behind, end), name, handed)) {
            *rest = (struct word){at, (size_t)(end - at)};
            return true;
        }
    }
    return false;
}
