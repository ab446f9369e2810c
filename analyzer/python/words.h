/* Words of Python's source text: names, brackets, assignments. Read one by one: there is no parser for every Python here. */
#ifndef PIEPROF_ANALYZER_WORDS_H
#define PIEPROF_ANALYZER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WORDS_MAX 16u

/* A name, or a dotted one ("self.total"), or another piece of the source's text. */
struct word {
    const char *text;
    size_t length_bytes;
};

struct words {
    struct word words[WORDS_MAX];
    size_t count;
};

static inline const char *word_end(struct word word)
{
    return word.text + word.length_bytes;
}

/* May it stand in a name? */
bool word_char(char c);

/* Here, for the length of a text that is written where it is asked for is known then. */
static inline bool word_is(struct word word, const char *text)
{
    return strlen(text) == word.length_bytes && memcmp(word.text, text, word.length_bytes) == 0;
}

/* One of Python's that may stand where a name does ("if", "not", "lambda")? */
bool word_is_keyword(struct word word);

/* "-1", "0.5", "1e-3": a number by its text, not "2 * k". */
bool word_is_number(struct word word);

bool word_equal(struct word a, struct word b);
bool word_is_one_of(struct word word, const char *const *texts, size_t count);
#define WORD_IS_ONE_OF(word, texts) word_is_one_of(word, texts, sizeof(texts) / sizeof((texts)[0]))

/* Is `name` that word, or an attribute of it ("w.T" of "w")? */
bool word_is_part_of(struct word name, struct word word);

/* Is one of them the word, or what it is an attribute of? */
bool words_hold(const struct words *words, struct word word);

/* Is it one of them itself? */
bool words_have(const struct words *words, struct word word);

/* Once; nothing where there is no room. */
void words_add(struct words *words, struct word word);

/* Behind the string or comment that begins at `at`; `at` itself where none does. */
const char *word_skip_quiet(const char *at, const char *end);
const char *word_skip_blanks(const char *at, const char *end);

/* The text within the bracket at `at`; behind it is where its text ends, and one. */
struct word word_in_bracket(const char *at, const char *end);

/* [from, to) without blanks and ends of lines at its ends; empty where `to` is before `from`. */
struct word word_trimmed(const char *from, const char *to);

/*
 * What the separator parts outside of brackets, trimmed; nothing of a text without any. How many; SIZE_MAX where there are more than `most`.
 */
size_t word_split(struct word text, char separator, struct word *items, size_t most);

/* The dotted name that begins at `at`; empty where none does. */
struct word word_name_at(const char *at, const char *end);

/* "ravel" of "np.ravel". */
struct word word_last_part(struct word name);

/* "a" of "a.b.c" */
struct word word_first_part(struct word dotted);

/* Where an assignment's sign stands outside of brackets, and how long it is; NULL: the statement assigns nothing. */
const char *word_assignment(struct word text, size_t *length);

/* Where the name stands next, from `at` on, as a whole or as a part of a dotted one; NULL: nowhere. */
const char *word_find(struct word text, const char *at, struct word name);

/* Where the name stands next, from `at` on, as such or with something of it: "x", "x[0]", "x.T"; NULL: nowhere. */
const char *word_next_mention(struct word text, const char *at, struct word name);

/* How often it does. */
size_t word_mentions(struct word text, struct word name);

/* "def f():" of "async def f():", and likewise of loops. */
struct word word_without_async(struct word statement);

/* "target = value" with one "=". */
bool word_assigned(struct word statement, struct word *target, struct word *value);

/* "i = x", "for i in x": is the name given another value? */
bool word_gives(struct word statement, struct word name);

/* "function(arguments)", all of the text. */
bool word_call(struct word text, struct word *function, struct word *arguments);

/* "nets[0].encode" of "nets[0].encode(x)", "nets[0]" of "nets[0](x)", and what stands in the last bracket. False: it is no call. */
bool word_callee(struct word text, struct word *callee, struct word *arguments);

/* Likewise "Model(3).fit(x)" and "models[i].fit(x)", of which the function is "fit". */
bool word_last_call(struct word text, struct word *function, struct word *arguments);

/*
 * The first statement of `rest`, which keeps what follows. Statements end with a line, a ";" or the ":" of a clause, outside
 * of brackets. False at the end.
 */
bool word_next_statement(struct word *rest, struct word *statement);

#endif
