#include "findings/cleared.h"

#include <string.h>

#include "findings/handed.h"
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

struct clear {
    struct word owner, arguments; /* "opt" and "set_to_none=False" of "opt.zero_grad(set_to_none=False)" */
    int32_t row;
    size_t indent;
};

/* "opt.zero_grad(...)" and nothing else. */
static bool read_clear(const struct source *code, int32_t row, struct clear *clear)
{
    struct word statement, function;
    int32_t last = 0;
    clear->row = row;
    if (!suite_statement(code, row, &statement, &clear->indent, &last) ||
        !word_call(statement, &function, &clear->arguments) || !word_is(word_last_part(function), "zero_grad"))
        return false;
    size_t name = sizeof("zero_grad") - 1;
    clear->owner = (struct word){function.text, function.length_bytes > name ? function.length_bytes - name - 1 : 0};
    return clear->owner.length_bytes > 0;
}

/* "SGD(model.parameters(), ...)": the model whose parameters the call takes first; empty: it takes something else. */
static struct word model_taken(struct word value)
{
    struct word function, arguments, items[WORDS_MAX], of, nothing, keyword, first, none = {value.text, 0};
    size_t count = word_call(value, &function, &arguments) ? word_split(arguments, ',', items, WORDS_MAX) : 0;
    if (count == 0 || count > WORDS_MAX)
        return none;
    first = items[0];
    if (word_assigned(items[0], &keyword, &first) && !word_is(keyword, "params"))
        return none;
    size_t tail = sizeof(".parameters") - 1;
    bool takes_all = word_call(first, &of, &nothing) && nothing.length_bytes == 0 && of.length_bytes > tail &&
                     word_is((struct word){word_end(of) - tail, tail}, ".parameters");
    return takes_all ? (struct word){of.text, of.length_bytes - tail} : none;
}

/* Statements that give a name a value: how often, and the last of them. */
struct given {
    size_t count, parts; /* parts: "model.head = ..." */
    int32_t row;
    struct word value;
};

static struct given given_to(const struct source *code, struct word name)
{
    struct given given = {.value = {code->text, 0}};
    struct word text, target, value;
    size_t indent = 0;
    int32_t last = 0;
    for (int32_t row = 1; row_text(code, row, &text, &indent); row++) {
        if (memmem(text.text, text.length_bytes, name.text, name.length_bytes) == NULL ||
            !suite_statement(code, row, &text, &indent, &last))
            continue;
        if (!word_assigned(text, &target, &value)) {
            given.parts += word_gives(text, name); /* "for opt in opts:" */
            continue;
        }
        bool is_whole = word_equal(target, name);
        given.count += is_whole;
        given.parts += !is_whole && word_mentions(target, name) > 0;
        given.row = is_whole ? row : given.row;
        given.value = is_whole ? value : given.value;
    }
    return given;
}

static bool is_of_self(struct word name)
{
    return name.length_bytes > 5 && memcmp(name.text, "self.", 5) == 0;
}

/* Do the names mean where they are cleared what they mean on the row where the optimizer is made? */
static bool mean_the_same(const struct source *code, int32_t made, int32_t cleared, struct word one, struct word other)
{
    struct word header;
    size_t indent = 0;
    int32_t last = 0;
    int32_t function = cleared_function(code, cleared), maker = cleared_function(code, made);
    if (maker == function || (is_of_self(one) && is_of_self(other)))
        return true;
    return maker == 0 && suite_statement(code, function, &header, &indent, &last) && word_mentions(header, one) == 0 &&
           word_mentions(header, other) == 0;
}

/* Is the optimizer made of all parameters of the model, by the only statement that gives it a value, and are these all there will be? */
static bool is_made_of(const struct source *code, struct word optimizer, struct word model, int32_t cleared)
{
    struct given made = given_to(code, optimizer), of = given_to(code, model);
    return made.count == 1 && made.parts == 0 && of.count <= 1 && of.parts == 0 &&
           word_equal(model_taken(made.value), model) && mean_the_same(code, made.row, cleared, optimizer, model);
}

static bool names(const struct source *code, const char *what)
{
    return memmem(code->text, code->length_bytes, what, strlen(what)) != NULL;
}

/* Gradients that are None, or zeros, are not the same to an optimizer. */
static bool clear_the_same(const struct source *code, const struct clear *one, const struct clear *other)
{
    if (!word_equal(one->arguments, other->arguments))
        return false;
    return word_equal(one->owner, other->owner) || (!names(code, "add_param_group") && !names(code, "add_module") &&
                                                    (is_made_of(code, one->owner, other->owner, one->row) ||
                                                     is_made_of(code, other->owner, one->owner, one->row)));
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
static int32_t nearest(const struct source *code, const struct clear *clear, int32_t step)
{
    struct word text;
    struct clear other;
    size_t own = 0;
    for (int32_t row = clear->row + step; row > 0 && row - clear->row < ROWS_MAX && clear->row - row < ROWS_MAX;
         row += step) {
        if (!row_text(code, row, &text, &own))
            return 0;
        if (text.length_bytes > 0 && (own < clear->indent || gives_anew(text, clear->owner)))
            return 0;
        if (text.length_bytes > 0 && own == clear->indent && read_clear(code, row, &other) &&
            clear_the_same(code, clear, &other))
            return row;
    }
    return 0;
}

bool cleared_find(const struct source *code, int32_t line, struct cleared *pair)
{
    struct clear clear;
    if (!read_clear(code, line, &clear))
        return false;
    int32_t above = nearest(code, &clear, -1);
    int32_t below = above > 0 ? 0 : nearest(code, &clear, 1);
    *pair = above > 0 ? (struct cleared){above, line} : (struct cleared){line, below};
    return above + below > 0 && !stores_by_hand(code);
}

/* "nn.CrossEntropyLoss()" */
static bool is_of_torch(struct word value)
{
    static const char *const modules[] = {"nn", "torch"};
    struct word function, arguments;
    const char *dot = memchr(value.text, '.', value.length_bytes);
    return word_call(value, &function, &arguments) && dot != NULL &&
           WORD_IS_ONE_OF(((struct word){value.text, (size_t)(dot - value.text)}), modules);
}

/* The model itself, where the text tells which that is, and a loss may be called: forward passes leave gradients as they are. */
static bool is_forward(const struct source *code, struct word function, const struct clear *clear)
{
    struct given made = given_to(code, clear->owner);
    return word_equal(function, clear->owner) || (made.count == 1 && word_equal(function, model_taken(made.value))) ||
           is_of_torch(given_to(code, function).value);
}

static bool calls_others(const struct source *code, struct word text, const struct clear *clear)
{
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        const char *behind = word_end(name);
        bool called = name.length_bytes > 0 && behind < word_end(text) && *behind == '(';
        size_t dot = called && name.text > text.text && name.text[-1] == '.';
        if (called && !is_forward(code, name, clear) &&
            handed_calls_others((struct word){name.text - dot, dot + name.length_bytes + 1}))
            return true;
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return false;
}

bool cleared_is_quiet(const struct source *code, const struct cleared *pair)
{
    struct word text;
    struct clear clear;
    size_t indent = 0;
    if (!read_clear(code, pair->first, &clear))
        return false;
    for (int32_t row = pair->first + 1; row < pair->second && row_text(code, row, &text, &indent); row++)
        if (calls_others(code, text, &clear))
            return false;
    return true;
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

static bool is_definition(struct word text)
{
    return word_is(word_name_at(text.text, word_end(text)), "def");
}

int32_t cleared_backward(const struct source *code, int32_t from)
{
    struct word text;
    size_t indent = 0;
    for (int32_t row = from; row_text(code, row, &text, &indent); row++) {
        if (!is_definition(text) && memmem(text.text, text.length_bytes, "backward(", 9) != NULL)
            return row;
    }
    return 0;
}

int32_t cleared_function(const struct source *code, int32_t row)
{
    struct word text;
    size_t indent = SIZE_MAX, own = 0;
    for (; row > 0 && indent > 0 && row_text(code, row, &text, &own); row--) {
        /* "):" ends the header of a function that begins further up. */
        if (text.length_bytes == 0 || own >= indent || strchr(")]}", *text.text) != NULL)
            continue;
        bool defines = indent != SIZE_MAX && is_definition(text);
        indent = own;
        if (defines)
            return row;
    }
    return 0;
}
