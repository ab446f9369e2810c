#include "python/operation.h"

#include <ctype.h>
#include <string.h>

#include "python/words.h"

/* Operators from the loosest to the tightest, those of one level together; longer ones before their beginnings. */
static const struct operator
{
    const char *text;
    unsigned level;
}
operators[] = {
    {"**=", 1}, {"//=", 1}, {"<<=", 1}, {">>=", 1}, {"+=", 1}, {"-=", 1}, {"*=", 1}, {"/=", 1}, {"%=", 1},
    {"@=", 1},  {"&=", 1},  {"|=", 1},  {"^=", 1},  {"<=", 2}, {">=", 2}, {"==", 2}, {"!=", 2}, {"<<", 6},
    {">>", 6},  {"**", 9},  {"//", 8},  {"<", 2},   {">", 2},  {"|", 3},  {"^", 4},  {"&", 5},  {"+", 7},
    {"-", 7},   {"*", 8},   {"/", 8},   {"%", 8},   {"@", 8},  {"~", 10},
};

/* A walk over the tokens outside of all brackets. */
struct reader {
    const char *text;
    size_t length, at;
    bool after_operand; /* what came last is an operand: an operator is binary, a bracket a call or a subscript */
    const char *name;   /* the operand so far ends in this name; NULL: in none */
    size_t name_length;
    struct operation last;    /* the operand's last step */
    struct operation loosest; /* operator */
    unsigned level;           /* of it; 0: none yet */
};

/* The end of the string that begins at `at`; the text's length when it does not end. */
static size_t string_end(const char *text, size_t length, size_t at)
{
    char quote = text[at];
    size_t quotes = at + 2 < length && text[at + 1] == quote && text[at + 2] == quote ? 3 : 1;
    for (size_t i = at + quotes; i + quotes <= length; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == quote && (quotes == 1 || (text[i + 1] == quote && text[i + 2] == quote)))
            return i + quotes;
    }
    return length;
}

/* Behind the bracket that closes the one at `at`; 0 when there is none. */
static size_t bracket_end(const char *text, size_t length, size_t at)
{
    size_t depth = 0;
    for (size_t i = at; i < length; i++) {
        char c = text[i];
        if (c == '"' || c == '\'') {
            i = string_end(text, length, i) - 1;
            continue;
        }
        depth += c == '(' || c == '[' || c == '{';
        if (c == ')' || c == ']' || c == '}') {
            depth--;
            if (depth == 0)
                return i + 1;
        }
    }
    return 0;
}

static bool read_bracket(struct reader *reader)
{
    char open = reader->text[reader->at];
    size_t end = bracket_end(reader->text, reader->length, reader->at);
    struct operation step = {0};
    if (reader->after_operand && open == '(')
        step = (struct operation){OPERATION_CALL, reader->name, reader->name != NULL ? reader->name_length : 0};
    else if (reader->after_operand && open == '[')
        step = (struct operation){.kind = OPERATION_SUBSCRIPT};
    else if (reader->after_operand)
        return false;
    reader->last = step;
    reader->name = NULL;
    reader->after_operand = true;
    reader->at = end;
    return end != 0;
}

/* A name, a number or a keyword. */
static bool read_word(struct reader *reader)
{
    static const char *const keywords[] = {"if",  "else", "for", "lambda", "and",  "or",
                                           "not", "in",   "is",  "await",  "yield"};
    const char *word = reader->text + reader->at;
    size_t length = 0;
    bool number = isdigit((unsigned char)*word), after_operand = reader->after_operand;
    for (; reader->at + length < reader->length; length++) {
        bool exponent = number && length > 0 && (word[length] == '-' || word[length] == '+') &&
                        (word[length - 1] == 'e' || word[length - 1] == 'E') && word[0] != '0';
        if (!word_char(word[length]) && !exponent && !(number && word[length] == '.'))
            break;
    }
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if (strlen(keywords[i]) == length && strncmp(keywords[i], word, length) == 0)
            return false;
    reader->at += length;
    reader->name = word;
    reader->name_length = length;
    reader->last = (struct operation){0};
    reader->after_operand = true;
    return length > 0 && !after_operand;
}

static bool read_operator(struct reader *reader)
{
    const char *text = reader->text + reader->at;
    size_t left = reader->length - reader->at;
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        const struct operator* known = & operators[i];
        size_t length = strlen(known->text);
        if (length > left || strncmp(known->text, text, length) != 0)
            continue;
        unsigned level = reader->after_operand ? known->level : 10; /* before an operand: a sign */
        if (reader->level == 0 || level < reader->level || (level == reader->level && level < 9)) {
            reader->level = level;
            reader->loosest = (struct operation){OPERATOR, text, length};
        }
        reader->at += length;
        reader->after_operand = false;
        reader->name = NULL;
        return true;
    }
    return false;
}

static bool read_token(struct reader *reader)
{
    char c = reader->text[reader->at];
    bool dot = c == '.' && reader->after_operand; /* a name follows */
    if (isspace((unsigned char)c) || c == '\\' || dot) {
        reader->at++;
        reader->after_operand = reader->after_operand && !dot;
        return true;
    }
    if (c == '(' || c == '[' || c == '{')
        return read_bracket(reader);
    if (c == '"' || c == '\'') {
        reader->at = string_end(reader->text, reader->length, reader->at);
        reader->name = NULL;
        reader->last = (struct operation){0};
        reader->after_operand = true;
        return true;
    }
    return word_char(c) ? read_word(reader) : read_operator(reader);
}

struct operation operation_of(const char *text, size_t length_bytes)
{
    struct reader reader = {.text = text, .length = length_bytes};
    while (reader.at < reader.length)
        if (!read_token(&reader))
            return (struct operation){0};
    if (!reader.after_operand)
        return (struct operation){0};
    return reader.level != 0 ? reader.loosest : reader.last;
}

bool operation_is_named(const struct operation *operation, const char *name)
{
    return strlen(name) == operation->length_bytes && strncmp(name, operation->name, operation->length_bytes) == 0;
}

bool operations_differ(const struct operation *a, const struct operation *b)
{
    if (a->kind == OPERATION_UNKNOWN || b->kind == OPERATION_UNKNOWN)
        return false;
    return a->kind != b->kind || a->length_bytes != b->length_bytes ||
           (a->length_bytes > 0 && strncmp(a->name, b->name, a->length_bytes) != 0);
}
