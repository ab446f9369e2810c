#include "findings/loop_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define ROUNDS_FEW 32
#define USES_MAX 512u

/* One use of a name in the loop's body. */
struct use {
    struct word name, index; /* index: between the brackets behind it; length 0: none */
    uint32_t statement;      /* its number; what it reads comes before what it stores */
    bool stored, added;      /* added: by an augmented assignment, which reads it as well */
    bool called;
};

struct uses {
    struct use uses[USES_MAX];
    size_t count;
    bool full;
};

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool word_is(struct word word, const char *text)
{
    return strlen(text) == word.length_bytes && memcmp(word.text, text, word.length_bytes) == 0;
}

static bool words_equal(struct word a, struct word b)
{
    return a.length_bytes == b.length_bytes && memcmp(a.text, b.text, a.length_bytes) == 0;
}

/* Is `name` that word, or an attribute of it ("w" of "w.T")? */
static bool is_part_of(struct word name, struct word word)
{
    return name.length_bytes >= word.length_bytes && memcmp(name.text, word.text, word.length_bytes) == 0 &&
           (name.length_bytes == word.length_bytes || name.text[word.length_bytes] == '.');
}

static bool words_hold(const struct words *words, struct word word)
{
    for (size_t i = 0; i < words->count; i++)
        if (is_part_of(word, words->words[i]))
            return true;
    return false;
}

static void words_add(struct words *words, struct word word)
{
    if (words->count < WORDS_MAX && !words_hold(words, word))
        words->words[words->count++] = word;
}

/* Behind the string or comment that begins at `at`; `at` itself where none does. */
static const char *skip_quiet(const char *at, const char *end)
{
    if (*at == '#') {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        return stop != NULL ? stop : end;
    }
    if (*at != '"' && *at != '\'')
        return at;
    char quote = *at;
    size_t quotes = end - at >= 3 && at[1] == quote && at[2] == quote ? 3 : 1;
    for (const char *p = at + quotes; p + quotes <= end; p++) {
        if (*p == '\\')
            p++;
        else if (*p == quote && (quotes == 1 || (p[1] == quote && p[2] == quote)))
            return p + quotes;
    }
    return end;
}

/* The text within the bracket at `at`; behind it is where its text ends, and one. */
static struct word bracket_text(const char *at, const char *end)
{
    size_t depth = 0;
    const char *first = at + 1;
    for (; at < end; at++) {
        const char *behind = skip_quiet(at, end);
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (depth == 0)
            return (struct word){first, (size_t)(at - first)};
    }
    return (struct word){first, (size_t)(end - first)};
}

/* The dotted name that begins at `at`. */
static struct word name_at(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && (is_word_char(*p) || (*p == '.' && p + 1 < end && (isalpha((unsigned char)p[1]) || p[1] == '_'))))
        p++;
    return (struct word){at, (size_t)(p - at)};
}

static bool is_keyword(struct word word)
{
    static const char *const keywords[] = {"if",    "elif",   "else",  "for",  "while",    "in",    "not",
                                           "and",   "or",     "is",    "None", "True",     "False", "return",
                                           "yield", "with",   "as",    "pass", "break",    "del",   "lambda",
                                           "try",   "except", "raise", "from", "continue", "assert"};
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if (word_is(word, keywords[i]))
            return true;
    return false;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static void add_use(struct uses *uses, struct use use)
{
    uses->full |= uses->count == USES_MAX;
    if (uses->count < USES_MAX)
        uses->uses[uses->count++] = use;
}

/* The names of one expression, or of one side of an assignment. `stored`: those outside of brackets are targets. */
static void read_names(struct uses *uses, struct word text, uint32_t statement, bool stored, bool added)
{
    const char *end = text.text + text.length_bytes;
    size_t depth = 0;
    for (const char *at = text.text; at < end;) {
        const char *behind = skip_quiet(at, end);
        if (behind > at) {
            at = behind;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        bool begins = is_word_char(*at) && !isdigit((unsigned char)*at) && (at == text.text || at[-1] != '.');
        if (!begins) {
            while (at < end && is_word_char(*at) && at + 1 < end && is_word_char(at[1]))
                at++; /* a number's letters, or an attribute of a call */
            at++;
            continue;
        }
        struct word name = name_at(at, end);
        at = skip_blanks(name.text + name.length_bytes, end);
        bool keyword_argument = depth > 0 && at < end && *at == '=' && (at + 1 == end || at[1] != '=');
        if (is_keyword(name) || keyword_argument)
            continue;
        struct use use = {.name = name, .statement = statement, .stored = stored && depth == 0, .added = added};
        use.called = at < end && *at == '(';
        if (at < end && *at == '[')
            use.index = bracket_text(at, end);
        use.stored = use.stored && !use.called;
        add_use(uses, use);
    }
}

/* Where an assignment's sign stands outside of brackets, and how long it is; NULL: the statement assigns nothing. */
static const char *find_assignment(struct word text, size_t *length)
{
    const char *end = text.text + text.length_bytes;
    size_t depth = 0;
    for (const char *at = text.text; at < end; at++) {
        const char *behind = skip_quiet(at, end);
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        if (*at != '=' || depth > 0)
            continue;
        if (at + 1 < end && at[1] == '=') {
            at++;
            continue;
        }
        const char *first = at;
        while (first > text.text && strchr("+-*/%&|^@<>!:", first[-1]) != NULL)
            first--;
        bool compares = first + 1 == at && (*first == '<' || *first == '>' || *first == '!');
        if (compares)
            continue;
        *length = (size_t)(at + 1 - first);
        return first;
    }
    return NULL;
}

/* "x[i]" and nothing else: one element, if the subscript is one. */
static bool is_one_subscript(struct word text)
{
    const char *end = text.text + text.length_bytes, *at = skip_blanks(text.text, end);
    struct word name = name_at(at, end);
    at = name.text + name.length_bytes;
    if (name.length_bytes == 0 || at == end || *at != '[')
        return false;
    struct word index = bracket_text(at, end);
    at = skip_blanks(index.text + index.length_bytes + 1, end);
    return at >= end || *at == '#';
}

static void read_statement(struct loop_text *loop, struct uses *uses, struct word text, uint32_t number)
{
    size_t length = 0;
    const char *sign = find_assignment(text, &length);
    if (sign == NULL) {
        read_names(uses, text, number, false, false);
        return;
    }
    const char *end = text.text + text.length_bytes;
    struct word target = {text.text, (size_t)(sign - text.text)},
                value = {sign + length, (size_t)(end - sign) - length};
    read_names(uses, value, number, false, false);
    size_t first = uses->count;
    read_names(uses, target, number, true, length > 1);
    bool alone = uses->count == first + 1 && uses->uses[first].index.length_bytes == 0;
    if (alone && length == 1 && is_one_subscript(value) && loop_text_has_element(loop, value, false))
        words_add(&loop->elements, uses->uses[first].name);
}

/* Calls read_statement for each statement: they end with a line, a ";" or the ":" of a clause, outside of brackets. */
static void read_body(struct loop_text *loop, struct uses *uses, struct word text)
{
    const char *end = text.text + text.length_bytes, *first = text.text;
    size_t depth = 0;
    uint32_t number = 0;
    for (const char *at = text.text; at <= end; at++) {
        const char *behind = at < end ? skip_quiet(at, end) : at;
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        bool ends = at == end || (depth == 0 && (*at == '\n' || *at == ';' || *at == ':'));
        if (ends) {
            read_statement(loop, uses, (struct word){first, (size_t)(at - first)}, ++number);
            first = at + 1;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
    }
}

/* Does `read` take what `store` leaves for a later round? */
static bool reads_earlier(const struct use *store, const struct use *read)
{
    if (!is_part_of(read->name, store->name))
        return false;
    if (store->index.length_bytes > 0) /* y[i] = f(y[i]) is one element's own */
        return !words_equal(store->index, read->index);
    return store->added || read->statement <= store->statement;
}

static bool is_carried(const struct loop_text *loop, const struct uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        const struct use *store = &uses->uses[i];
        if (!store->stored || words_hold(&loop->indices, store->name))
            continue;
        for (size_t j = 0; j < uses->count; j++)
            if (!uses->uses[j].stored && reads_earlier(store, &uses->uses[j]))
                return true;
    }
    return uses->full;
}

/* What follows a word in the header; NULL where it is not there as a word. */
static const char *behind_word(struct word text, const char *word)
{
    const char *end = text.text + text.length_bytes;
    size_t length = strlen(word);
    for (const char *at = text.text; (at = memmem(at, (size_t)(end - at), word, length)) != NULL; at += length)
        if ((at == text.text || !is_word_char(at[-1])) && at + length < end && !is_word_char(at[length]))
            return at + length;
    return NULL;
}

static bool begins_call(const char *at, const char *end, const char *function)
{
    size_t length = strlen(function);
    return (size_t)(end - at) > length && memcmp(at, function, length) == 0 && at[length] == '(';
}

/* "range(3)": as many rounds as the number says. */
static bool is_short_range(struct word arguments)
{
    char number[8] = {0};
    if (arguments.length_bytes == 0 || arguments.length_bytes >= sizeof(number))
        return false;
    memcpy(number, arguments.text, arguments.length_bytes);
    return strspn(number, "0123456789") == arguments.length_bytes && atoi(number) < ROUNDS_FEW;
}

/* "for i, x in enumerate(xs):" */
static void read_for(struct loop_text *loop, struct word header)
{
    const char *end = header.text + header.length_bytes, *in = behind_word(header, "in"),
               *targets = behind_word(header, "for");
    if (in == NULL || targets == NULL || in < targets)
        return;
    const char *from = skip_blanks(in, end);
    bool counts = begins_call(from, end, "range"), enumerates = begins_call(from, end, "enumerate");
    loop->few = counts && is_short_range(bracket_text(from + strlen("range"), end));
    struct uses names = {.count = 0};
    read_names(&names, (struct word){targets, (size_t)(in - 2 - targets)}, 0, false, false);
    for (size_t i = 0; i < names.count; i++)
        words_add(counts || (enumerates && i == 0) ? &loop->indices : &loop->items, names.uses[i].name);
}

/* Of a while loop, what its body counts up: "i += 1". */
static void read_counters(struct loop_text *loop, struct word body)
{
    const char *end = body.text + body.length_bytes;
    for (const char *at = body.text; (at = memmem(at, (size_t)(end - at), " += 1", 5)) != NULL; at += 5) {
        const char *first = at;
        while (first > body.text && is_word_char(first[-1]))
            first--;
        if (at > first && (at + 5 == end || !is_word_char(at[5])))
            words_add(&loop->indices, (struct word){first, (size_t)(at - first)});
    }
}

void loop_text_read(struct loop_text *loop, const struct source *source, int32_t first, int32_t last)
{
    size_t header_length = 0, last_length = 0;
    const char *header = source_line(source, first, &header_length), *end = source_line(source, last, &last_length);
    *loop = (struct loop_text){.carried = true};
    if (header == NULL || end == NULL || last <= first)
        return;
    const char *body = header + header_length + 1;
    struct word text = {body, (size_t)(end + last_length - body)}, head = {header, header_length};
    struct uses *uses = memory_zeroed(1, sizeof(*uses));
    if (behind_word(head, "for") != NULL)
        read_for(loop, head);
    else
        read_counters(loop, text);
    read_body(loop, uses, text);
    loop->carried = is_carried(loop, uses);
    free(uses);
}

/* Is it an index of one element: does it count with a name that counts up, and slice nothing? */
static bool is_element_index(const struct loop_text *loop, struct word index)
{
    const char *end = index.text + index.length_bytes;
    bool counts = false;
    for (const char *at = index.text; at < end;) {
        if (*at == ':' || *at == '"' || *at == '\'' || *at == '#')
            return false;
        if (!is_word_char(*at)) {
            at++;
            continue;
        }
        struct word name = name_at(at, end);
        counts = counts || words_hold(&loop->indices, name);
        at = name.length_bytes > 0 ? name.text + name.length_bytes : at + 1;
    }
    return counts;
}

bool loop_text_has_element(const struct loop_text *loop, struct word expression, bool items)
{
    struct uses *uses = memory_zeroed(1, sizeof(*uses));
    bool has = false;
    read_names(uses, expression, 0, false, false);
    for (size_t i = 0; i < uses->count && !has; i++) {
        const struct use *use = &uses->uses[i];
        has = (use->index.length_bytes > 0 && is_element_index(loop, use->index)) ||
              words_hold(&loop->elements, use->name) || (items && words_hold(&loop->items, use->name));
    }
    free(uses);
    return has;
}
