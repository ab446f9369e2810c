#include "python/given_first.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX 32u
#define BEHIND_HEADER SIZE_MAX /* the column of what follows the loop's header on its row: no suites stand there */

enum clauses { CLAUSES_NONE, CLAUSES_CHOICE, CLAUSES_TRY, CLAUSES_RUN, CLAUSES_APART };
enum suite { SUITE_OF_CLAUSE, SUITE_TRIED, SUITE_BEHIND_TRIED, SUITE_FINALLY };

/* A statement of clauses, and what is known in its suite that is read; [0] is the loop's own. */
struct level {
    enum clauses kind;
    enum suite suite;
    size_t column;
    const char *row;   /* where the row of its last header begins: what follows there is of its suite */
    bool before;       /* given when the first clause was come to... */
    bool in_all;       /* ... at the end of all clauses so far... */
    bool in_tried;     /* ... of what is tried, and of the "else" behind it... */
    bool in_finally;   /* ... and of what is gone through whatever came before */
    bool has_else;     /* one of its clauses is gone through */
    bool may_be_empty; /* a loop that may go round in vain */
    bool is_given;     /* here */
    bool is_over;      /* the suite has left for another round */
};

struct levels {
    struct level stack[DEPTH_MAX];
    size_t count;
};

static struct word first_word(struct word statement)
{
    struct word plain = word_without_async(statement);
    return word_name_at(plain.text, word_end(plain));
}

static bool goes_on_with(struct word first, enum clauses kind)
{
    static const char *const of_choice[] = {"elif", "else", "case"}, *const of_try[] = {"except", "else", "finally"};
    return kind == CLAUSES_CHOICE ? WORD_IS_ONE_OF(first, of_choice)
           : kind == CLAUSES_TRY  ? WORD_IS_ONE_OF(first, of_try)
                                  : kind == CLAUSES_RUN && word_is(first, "else");
}

static enum clauses clauses_of(struct word first)
{
    static const char *const choices[] = {"if", "case"}, *const runs[] = {"for", "while", "with", "match"};
    static const char *const apart[] = {"def", "class"};
    return WORD_IS_ONE_OF(first, choices) ? CLAUSES_CHOICE
           : word_is(first, "try")        ? CLAUSES_TRY
           : WORD_IS_ONE_OF(first, runs)  ? CLAUSES_RUN
           : WORD_IS_ONE_OF(first, apart) ? CLAUSES_APART
                                          : CLAUSES_NONE;
}

/* Is there something that decides whether one comes to what stands at `at`? */
static bool is_decided(struct word text, const char *at)
{
    static const char *const words[] = {"and", "or", "lambda", "for"};
    const struct word before = word_trimmed(word_end(first_word(text)), at), choice = {"else", 4};
    bool decides = word_mentions(text, choice) > 0; /* "(x := f(i)) if on else 0" */
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        decides = decides || word_mentions(before, (struct word){words[i], strlen(words[i])}) > 0;
    return decides;
}

/* "(name := ...)", where one comes to it each time. */
static bool gives_within(struct word text, struct word name)
{
    const char *end = word_end(text), *at = text.text;
    for (; (at = word_find(text, at, name)) != NULL; at += name.length_bytes) {
        const char *behind = word_skip_blanks(at + name.length_bytes, end);
        if (end - behind >= 2 && behind[0] == ':' && behind[1] == '=')
            return !is_decided(text, at);
    }
    return false;
}

/* Among the targets "name", "a, name", "(a, name)", and not subscripted. */
static bool is_target(struct word targets, struct word name)
{
    const char *at = targets.text, *end = word_end(targets);
    for (; (at = word_find(targets, at, name)) != NULL; at += name.length_bytes) {
        const char *behind = word_skip_blanks(at + name.length_bytes, end);
        bool is_within = memchr(targets.text, '[', (size_t)(at - targets.text)) != NULL;
        bool is_whole = at == targets.text || at[-1] != '.';
        if (is_whole && !is_within && (behind == end || strchr(".[(", *behind) == NULL))
            return true;
    }
    return false;
}

/* "name = ...", "a = name = ...". What is added to is asked for first. */
static bool statement_gives(struct word statement, struct word name)
{
    size_t length = 0;
    const char *sign;
    while ((sign = word_assignment(statement, &length)) != NULL && length == 1) {
        if (is_target(word_trimmed(statement.text, sign), name))
            return true;
        statement = word_trimmed(sign + 1, word_end(statement));
    }
    return false;
}

static bool stands_before(struct word text, const char *at, const char *words)
{
    size_t length = strlen(words);
    return (size_t)(at - text.text) >= length && memcmp(at - length, words, length) == 0;
}

/* "np.exp(x[i], out=name)", "np.copyto(name, x[i])": all of an array that is there; not where a mask says which of it. */
static bool fills(struct word statement, struct word name)
{
    const char *at = statement.text;
    if (word_mentions(statement, (struct word){"where", 5}) > 0)
        return false;
    for (; (at = word_find(statement, at, name)) != NULL; at += name.length_bytes)
        if (stands_before(statement, at, "out=") || stands_before(statement, at, "copyto("))
            return true;
    return false;
}

static void end_suite(struct level *level)
{
    const bool is_given = level->is_given || level->is_over;
    switch (level->suite) {
    case SUITE_OF_CLAUSE:
        level->in_all = level->in_all && is_given;
        break;
    case SUITE_TRIED:
    case SUITE_BEHIND_TRIED:
        level->in_tried = is_given;
        break;
    case SUITE_FINALLY:
        level->in_finally = level->is_given;
        break;
    }
}

/* Ends a statement of clauses: what is known behind it. */
static void pop(struct levels *levels)
{
    struct level *level = &levels->stack[--levels->count], *outer = &levels->stack[levels->count - 1];
    end_suite(level);
    bool is_one_taken = level->kind == CLAUSES_CHOICE ? level->has_else : !level->may_be_empty;
    outer->is_given = level->before || level->in_finally ||
                      (is_one_taken && level->in_all && (level->kind != CLAUSES_TRY || level->in_tried));
}

/* "for k in near[i]", and not "for k in range(3)". */
static bool may_be_empty(struct word header)
{
    static const char counts[] = " in range(";
    struct word first = first_word(header);
    if (!word_is(first, "for"))
        return word_is(first, "while");
    const char *at = memmem(header.text, header.length_bytes, counts, sizeof(counts) - 1);
    const char *number = at != NULL ? at + sizeof(counts) - 1 : word_end(header);
    return number == word_end(header) || *number < '1' || *number > '9';
}

static void push(struct levels *levels, struct word header, struct word name, size_t column, const char *row)
{
    const enum clauses kind = clauses_of(first_word(header));
    const bool before = levels->stack[levels->count - 1].is_given || gives_within(header, name);
    levels->stack[levels->count++] = (struct level){.kind = kind,
                                                    .suite = kind == CLAUSES_TRY ? SUITE_TRIED : SUITE_OF_CLAUSE,
                                                    .column = column,
                                                    .row = row,
                                                    .before = before,
                                                    .in_all = kind != CLAUSES_APART,
                                                    .may_be_empty = may_be_empty(header),
                                                    .is_given = before};
}

/* The next clause of a statement: "else", "except ...". */
static void begin_clause(struct level *level, struct word header, const char *row)
{
    struct word first = first_word(header);
    bool is_else = word_is(first, "else"),
         is_any = word_is(first, "case") && word_is(word_trimmed(word_end(first), word_end(header)), "_");
    level->row = row;
    if (level->kind == CLAUSES_RUN) /* which is gone through behind it */
        return;
    end_suite(level);
    level->has_else = level->has_else || is_else || is_any;
    level->suite = level->kind != CLAUSES_TRY  ? SUITE_OF_CLAUSE
                   : is_else                   ? SUITE_BEHIND_TRIED
                   : word_is(first, "finally") ? SUITE_FINALLY
                                               : SUITE_OF_CLAUSE;
    level->is_given = level->suite == SUITE_BEHIND_TRIED ? level->in_tried : level->before;
    level->is_over = false;
}

static const char *row_of(struct word body, const char *at)
{
    while (at > body.text && at[-1] != '\n')
        at--;
    return at;
}

/* Ends the statements of clauses that one at such a place is none of. Is it the next clause of what is left? */
static bool close_until(struct levels *levels, struct word first, size_t column, const char *row)
{
    for (; levels->count > 1; pop(levels)) {
        const struct level *level = &levels->stack[levels->count - 1];
        if (row == level->row || column > level->column)
            return false;
        if (column == level->column && goes_on_with(first, level->kind))
            return true;
    }
    return false;
}

bool given_first(struct word body, struct word name, const char *at)
{
    static const char *const ends[] = {"continue", "break", "return", "raise"};
    struct levels levels = {.count = 1};
    struct word rest = body, statement;
    while (word_next_statement(&rest, &statement)) {
        const char *behind = word_end(statement);
        statement = word_trimmed(statement.text, behind);
        if (statement.length_bytes == 0 || *statement.text == '#')
            continue;
        const char *row = row_of(body, statement.text);
        const size_t column = row == body.text ? BEHIND_HEADER : (size_t)(statement.text - row);
        struct word first = first_word(statement);
        if (close_until(&levels, first, column, row))
            begin_clause(&levels.stack[levels.count - 1], statement, row);
        struct level *level = &levels.stack[levels.count - 1];
        if (at >= statement.text && at < word_end(statement))
            return level->is_given;
        bool is_header = behind < word_end(body) && *behind == ':' && clauses_of(first) != CLAUSES_NONE;
        if (is_header && !(level->row == row && levels.count > 1 && column == level->column)) {
            if (levels.count == DEPTH_MAX)
                return false;
            push(&levels, statement, name, column, row);
            continue;
        }
        level->is_given = level->is_given || statement_gives(statement, name) || gives_within(statement, name) ||
                          fills(statement, name);
        level->is_over = level->is_over || WORD_IS_ONE_OF(first, ends);
    }
    return false;
}
