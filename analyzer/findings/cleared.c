#include "findings/cleared.h"

#include <string.h>

#include "findings/suite.h"
#include "findings/words.h"

#define ROWS_MAX 200 /* from one clear to the other */

static bool row_text(const struct source *code, int32_t row, struct word *text, size_t *indent)
{
    size_t length = 0;
    const char *begin = source_line(code, row, &length);
    if (begin == NULL)
        return false;
    *text = word_trimmed(begin, begin + length);
    *indent = (size_t)(text->text - begin);
    return true;
}

/* "opt.zero_grad(...)" and nothing else: whose gradients. */
static bool read_clear(const struct source *code, int32_t row, struct word *owner, size_t *indent)
{
    struct word statement, function, arguments;
    int32_t last = 0;
    if (!suite_statement(code, row, &statement, indent, &last) || !word_call(statement, &function, &arguments) ||
        !word_is(word_last_part(function), "zero_grad"))
        return false;
    size_t name = sizeof("zero_grad") - 1;
    *owner = (struct word){function.text, function.length_bytes > name ? function.length_bytes - name - 1 : 0};
    return owner->length_bytes > 0;
}

/* "SGD(model.parameters(), ...)": is that what the call takes first? */
static bool takes_parameters(struct word value, struct word model)
{
    struct word function, arguments, items[WORDS_MAX], of, nothing;
    if (!word_call(value, &function, &arguments) || word_split(arguments, ',', items, WORDS_MAX) - 1 >= WORDS_MAX)
        return false;
    size_t tail = sizeof(".parameters") - 1;
    return word_call(items[0], &of, &nothing) && nothing.length_bytes == 0 && of.length_bytes > tail &&
           word_is((struct word){word_end(of) - tail, tail}, ".parameters") &&
           word_equal((struct word){of.text, of.length_bytes - tail}, model);
}

/* Is the optimizer made of all parameters of the model, by the only statement that gives it a value? */
static bool is_made_of(const struct source *code, struct word optimizer, struct word model)
{
    struct word text, target, value;
    size_t indent = 0, made = 0, others = 0;
    int32_t last = 0;
    for (int32_t row = 1; row_text(code, row, &text, &indent); row++) {
        if (memmem(text.text, text.length_bytes, optimizer.text, optimizer.length_bytes) == NULL ||
            !suite_statement(code, row, &text, &indent, &last) || !word_assigned(text, &target, &value))
            continue;
        if (word_equal(target, optimizer))
            *(takes_parameters(value, model) ? &made : &others) += 1;
        else
            others += word_mentions(target, optimizer);
    }
    return made == 1 && others == 0;
}

static bool names(const struct source *code, const char *what)
{
    return memmem(code->text, code->length_bytes, what, strlen(what)) != NULL;
}

static bool clear_the_same(const struct source *code, struct word one, struct word other)
{
    return word_equal(one, other) ||
           (!names(code, "add_param_group") && (is_made_of(code, one, other) || is_made_of(code, other, one)));
}

/* Behind ".grad": is something stored there that is no zero? */
static bool stores(const char *at, const char *end)
{
    struct word rest = word_trimmed(at, end), method;
    if (rest.length_bytes == 0)
        return false;
    if (*rest.text == '.') {
        method = word_name_at(rest.text + 1, word_end(rest));
        return method.length_bytes > 0 && word_end(method)[-1] == '_' && !word_is(method, "zero_");
    }
    size_t length = 0;
    const char *sign = word_assignment(rest, &length);
    if (sign == NULL || (sign > rest.text && *rest.text != '['))
        return false;
    return !word_is(word_trimmed(sign + length, word_end(rest)), "None");
}

/* The attribute itself in the row, from `at` on: not "zero_grad", "grad_fn", "autograd.grad(". NULL: it is not there. */
static const char *behind_grad(const char *at, const char *end)
{
    while ((at = memmem(at, (size_t)(end - at), ".grad", 5)) != NULL) {
        at += 5;
        if (at == end || (!word_char(*at) && *at != '('))
            return at;
    }
    return NULL;
}

static bool stores_by_hand(const struct source *code)
{
    struct word text;
    size_t indent = 0;
    for (int32_t row = 1; row_text(code, row, &text, &indent); row++)
        for (const char *at = text.text; (at = behind_grad(at, word_end(text))) != NULL;)
            if (stores(at, word_end(text)))
                return true;
    return false;
}

/* Is the name, or what it is an attribute of, another from here on? */
static bool gives_anew(struct word text, struct word owner)
{
    struct word root = owner;
    const char *dot = memchr(owner.text, '.', owner.length_bytes);
    if (dot != NULL)
        root.length_bytes = (size_t)(dot - owner.text);
    return word_gives(text, owner) || (!word_is(root, "self") && word_gives(text, root));
}

/* The nearest other clear of the suite, up or down, of what stands for the same all the way. 0: none. */
static int32_t nearest(const struct source *code, int32_t line, struct word owner, size_t indent, int32_t step)
{
    struct word text, other;
    size_t own = 0;
    for (int32_t row = line + step; row > 0 && row - line < ROWS_MAX && line - row < ROWS_MAX; row += step) {
        if (!row_text(code, row, &text, &own))
            return 0;
        if (text.length_bytes > 0 && (own < indent || gives_anew(text, owner)))
            return 0;
        if (text.length_bytes > 0 && own == indent && read_clear(code, row, &other, &own) &&
            clear_the_same(code, owner, other))
            return row;
    }
    return 0;
}

bool cleared_find(const struct source *code, int32_t line, struct cleared *pair)
{
    struct word owner;
    size_t indent = 0;
    if (!read_clear(code, line, &owner, &indent))
        return false;
    int32_t above = nearest(code, line, owner, indent, -1);
    int32_t below = above > 0 ? 0 : nearest(code, line, owner, indent, 1);
    *pair = above > 0 ? (struct cleared){above, line} : (struct cleared){line, below};
    return above + below > 0 && !stores_by_hand(code);
}

bool cleared_is_closed(const struct source *code, const struct cleared *pair)
{
    static const char *const leaving[] = {"continue", "break", "return", "raise", "yield", "await", "try", "assert"};
    struct word text;
    size_t indent = 0;
    for (int32_t row = 1; row_text(code, row, &text, &indent); row++) {
        bool between = row > pair->first && row < pair->second;
        for (size_t i = 0; between && i < sizeof(leaving) / sizeof(leaving[0]); i++)
            if (word_mentions(text, (struct word){leaving[i], strlen(leaving[i])}) > 0)
                return false;
        if (!between && behind_grad(text.text, word_end(text)) != NULL)
            return false;
    }
    return true;
}

int32_t cleared_backward(const struct source *code, int32_t from)
{
    struct word text;
    size_t indent = 0;
    for (int32_t row = from; row_text(code, row, &text, &indent); row++) {
        bool defines = text.length_bytes > 4 && memcmp(text.text, "def ", 4) == 0;
        if (!defines && memmem(text.text, text.length_bytes, "backward(", 9) != NULL)
            return row;
    }
    return 0;
}

int32_t cleared_function(const struct source *code, int32_t row)
{
    struct word text;
    size_t indent = SIZE_MAX, own = 0;
    for (; row > 0 && indent > 0 && row_text(code, row, &text, &own); row--) {
        if (text.length_bytes == 0 || own >= indent)
            continue;
        bool defines = indent != SIZE_MAX && text.length_bytes > 4 && memcmp(text.text, "def ", 4) == 0;
        indent = own;
        if (defines)
            return row;
    }
    return 0;
}
