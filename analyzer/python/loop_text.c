#include "python/loop_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/aliases.h"
#include "python/handed.h"
#include "python/loop_acts.h"
#include "python/loop_carried.h"
#include "python/loop_extreme.h"
#include "python/loop_uses.h"
#include "python/single_row.h"
#include "python/while_count.h"

#define ROUNDS_FEW 8
#define LINES_MAX 2000 /* above a loop: no longer function is looked through */

bool loop_text_is_subscript(struct word text)
{
    const char *end = text.text + text.length_bytes, *at = word_skip_blanks(text.text, end);
    struct word name = word_name_at(at, end);
    at = name.text + name.length_bytes;
    if (name.length_bytes == 0 || at == end || *at != '[')
        return false;
    struct word index = word_in_bracket(at, end);
    at = word_skip_blanks(index.text + index.length_bytes + 1, end);
    return at >= end || *at == '#';
}

/* Does nothing stand there, outside of brackets, that binds less than "+"? */
static bool is_term(struct word text)
{
    static const char *const words[] = {"if", "else", "and", "or", "in", "is", "not", "lambda", "for"};
    size_t depth = 0;
    for (const char *at = text.text; at < word_end(text); at++) {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        if (depth == 0 && strchr("<>=!&|^:,", *at) != NULL)
            return false;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (word_mentions(text, (struct word){words[i], strlen(words[i])}) > 0)
            return false;
    return text.length_bytes > 0;
}

/* "s = s + x[i]" is "s += x[i]": what is added. False: it is none, or the target takes part in it. */
static bool adds_to_target(struct word target, struct word value, struct word *added)
{
    struct word name = word_name_at(target.text, word_end(target));
    if (name.length_bytes == 0 || value.length_bytes <= target.length_bytes ||
        !word_equal((struct word){value.text, target.length_bytes}, target))
        return false;
    const char *sign = word_skip_blanks(value.text + target.length_bytes, word_end(value));
    if (sign == word_end(value) || (*sign != '+' && *sign != '-'))
        return false;
    *added = word_trimmed(sign + 1, word_end(value));
    return is_term(*added) && word_mentions(*added, name) == 0;
}

/* A name that is given one element, or what is made of one by no function of the program's own but a formula. */
static void note_element(struct loop_text *loop, const struct source *code, struct loop_uses *uses, struct word target,
                         struct word value)
{
    struct word name = word_name_at(target.text, word_end(target));
    if (name.length_bytes > 0 && word_equal(name, target))
        loop_uses_add_view(uses, name, value);
    if (name.length_bytes > 0 && word_equal(name, target) && loop_text_has_element(loop, value, false) &&
        !loop_text_has_whole(loop, value) && loop_calls_add(&loop->calls, code, value))
        words_add(&loop->elements, name);
    if (name.length_bytes > 0 && word_equal(name, target))
        single_row_note(loop, name, value);
}

/* "a, b = x[i], y[i]", and "a, b = p[i]": each of them is given one of the values, or a part of the one. */
static void note_elements(struct loop_text *loop, const struct source *code, struct loop_uses *uses,
                          struct word targets, struct word value)
{
    struct word items[WORDS_MAX], values[WORDS_MAX];
    size_t count = word_split(targets, ',', items, WORDS_MAX), given = word_split(value, ',', values, WORDS_MAX);
    bool has_star = memchr(targets.text, '*', targets.length_bytes) != NULL;
    if (count == SIZE_MAX || given == SIZE_MAX || has_star || (given != count && given != 1))
        return;
    for (size_t i = 0; i < count; i++)
        note_element(loop, code, uses, items[i], values[given == 1 ? 0 : i]);
}

static void read_statement(struct loop_text *loop, const struct source *code, struct loop_uses *uses, struct word text,
                           uint32_t number)
{
    size_t length = 0;
    const char *sign = word_assignment(text, &length);
    if (sign == NULL) {
        loop_uses_read(uses, text, number, false, false);
        return;
    }
    const char *end = text.text + text.length_bytes, *next;
    struct word target = word_trimmed(text.text, sign), value = word_trimmed(sign + length, end), added;
    size_t next_length = 0;
    if (length == 1 && (next = word_assignment(value, &next_length)) != NULL &&
        next_length == 1) { /* "y[i] = last = ..." */
        read_statement(loop, code, uses, value, number);
        loop_uses_read(uses, target, number, true, false);
        note_elements(loop, code, uses, target, word_trimmed(next + 1, end));
        return;
    }
    bool sums = length == 1 && adds_to_target(target, value, &added);
    loop_uses_read(uses, sums ? added : value, number, false, false);
    size_t first = uses->count;
    loop_uses_read(uses, target, number, true, sums || length > 1);
    for (size_t i = first; i < uses->count; i++)
        uses->uses[i].summed = sums || (length == 2 && (*sign == '+' || *sign == '-'));
    if (length == 1)
        note_elements(loop, code, uses, target, value);
}

static void read_body(struct loop_text *loop, const struct source *code, struct loop_uses *uses, struct word text)
{
    struct word statement;
    for (uint32_t number = 1; word_next_statement(&text, &statement); number++) {
        uses->acts = uses->acts || loop_acts(statement);
        loop_calls_add(&loop->calls, code, statement);
        read_statement(loop, code, uses, statement, number);
    }
}

static void note_stored(struct loop_text *loop, const struct loop_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        if (uses->uses[i].stored)
            words_add(&loop->stored, word_last_part(uses->uses[i].name));
}

/* What keeps the greatest of all rounds carries nothing else over. */
static void drop_extremes(struct loop_uses *uses, struct word text)
{
    struct words extremes;
    size_t kept = 0;
    loop_extremes_read(text, &extremes);
    for (size_t i = 0; i < uses->count; i++)
        if (!words_hold(&extremes, uses->uses[i].name))
            uses->uses[kept++] = uses->uses[i];
    uses->count = kept;
}

/* What follows a word in the header; NULL where it is not there as a word. */
static const char *behind_word(struct word text, const char *word)
{
    const char *end = text.text + text.length_bytes;
    size_t length = strlen(word);
    for (const char *at = text.text; (at = memmem(at, (size_t)(end - at), word, length)) != NULL; at += length)
        if ((at == text.text || !word_char(at[-1])) && at + length < end && !word_char(at[length]))
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

/* "range(n)" of "tqdm(range(n), desc=...)": what only shows how far it is, or goes the other way, goes through the same. */
static const char *unwrapped(const char *from, const char *end)
{
    static const char *const wrappers[] = {"reversed", "tqdm", "track"};
    struct word name = word_name_at(from, end);
    while (name.length_bytes > 0 && WORD_IS_ONE_OF(word_last_part(name), wrappers) && word_end(name) < end &&
           *word_end(name) == '(') {
        from = word_skip_blanks(word_end(name) + 1, end);
        name = word_name_at(from, end);
    }
    return from;
}

/* "for i, x in enumerate(xs):" */
static void read_for(struct loop_text *loop, struct word header)
{
    const char *end = header.text + header.length_bytes, *in = behind_word(header, "in"),
               *targets = behind_word(header, "for");
    if (in == NULL || targets == NULL || in < targets)
        return;
    const char *from = unwrapped(word_skip_blanks(in, end), end);
    bool counts = begins_call(from, end, "range"), enumerates = begins_call(from, end, "enumerate");
    loop->few = counts && is_short_range(word_in_bracket(from + strlen("range"), end));
    if (!counts)
        loop->iterable = (struct word){from, (size_t)(end - from)};
    if (enumerates) {
        struct word all = word_in_bracket(from + strlen("enumerate"), end);
        loop->walks_whole = all.length_bytes > 0 && word_equal(word_name_at(all.text, word_end(all)), all);
    }
    struct loop_uses names = {.count = 0};
    loop_uses_read(&names, (struct word){targets, (size_t)(in - 2 - targets)}, 0, false, false);
    for (size_t i = 0; i < names.count; i++)
        words_add(counts || (enumerates && i == 0) ? &loop->indices : &loop->items, names.uses[i].name);
}

/* A loop with such a header and body; the end may be given anew in the body, which the uses tell. */
static bool read_while(struct loop_text *loop, struct loop_uses *uses, struct word header, struct word body)
{
    struct while_count count;
    if (!while_count_read(header, body, &count))
        return false;
    loop_uses_read(uses, count.limit, 0, false, false);
    words_add(&loop->indices, count.counter);
    return true;
}

/* The rest is for read_body() to find: a counter that is given elsewhere, too, goes by data. */
static bool is_given_once(const struct loop_text *loop, const struct loop_uses *uses)
{
    unsigned given = 0;
    for (size_t i = 0; i < uses->count; i++)
        given += uses->uses[i].stored && words_hold(&loop->indices, uses->uses[i].name);
    return given == 1;
}

static bool is_definition(const char *line, size_t length)
{
    struct word text = {line, length};
    return behind_word(text, "def") != NULL || behind_word(text, "class") != NULL;
}

static size_t indent_of(const char *line, size_t length)
{
    size_t indent = 0;
    while (indent < length && (line[indent] == ' ' || line[indent] == '\t'))
        indent++;
    return indent;
}

/* What stands above the loop in its function, its "def" included, or in its module. */
static struct word text_above(const struct source *source, int32_t header)
{
    size_t length = 0;
    const char *line = source_line(source, header, &length), *from = line, *end = line;
    size_t indent = indent_of(line, length);
    for (int32_t i = header - 1; i > 0 && header - i < LINES_MAX; i--) {
        line = source_line_before(source, line, &length);
        if (line == NULL)
            break;
        size_t own = indent_of(line, length);
        from = line;
        if (own < indent && is_definition(line, length))
            break;
    }
    return (struct word){from, (size_t)(end - from)};
}

/* Behind the ":" that ends the loop's header; the end where there is none. */
static const char *find_body(struct word loop)
{
    struct word header;
    const char *end = loop.text + loop.length_bytes;
    if (!word_next_statement(&loop, &header))
        return end;
    const char *behind = header.text + header.length_bytes;
    return behind < end && *behind == ':' ? behind + 1 : end;
}

size_t loop_text_header_bytes(const struct source *source, int32_t first, int32_t last)
{
    size_t length = 0, last_length = 0;
    const char *header = source_line(source, first, &length), *end = source_line(source, last, &last_length);
    if (header == NULL || end == NULL)
        return 0;
    return (size_t)(find_body((struct word){header, (size_t)(end + last_length - header)}) - header);
}

void loop_text_read(struct loop_text *loop, const struct source *source, int32_t first, int32_t last)
{
    size_t header_length = 0, last_length = 0;
    const char *header = source_line(source, first, &header_length), *end = source_line(source, last, &last_length);
    *loop = (struct loop_text){.carried = true};
    if (header == NULL || end == NULL)
        return;
    end += last_length;
    const char *body = find_body((struct word){header, (size_t)(end - header)});
    struct word text = {body, (size_t)(end - body)}, head = {header, (size_t)(body - header)};
    struct loop_uses *uses = memory_zeroed(1, sizeof(*uses));
    struct aliases *aliases = memory_zeroed(1, sizeof(*aliases));
    aliases_read(aliases, text_above(source, first));
    aliases_add_returned(aliases, source, text_above(source, first));
    aliases_add_returned(aliases, source, text);
    aliases_add_shared(aliases, (struct word){source->text, source->length_bytes}, text_above(source, first),
                       (struct word){header, (size_t)(end - header)});
    bool walks = behind_word(head, "for") != NULL, counts = !walks && read_while(loop, uses, head, text);
    if (walks)
        read_for(loop, head);
    read_body(loop, source, uses, text);
    drop_extremes(uses, text);
    loop_uses_follow_views(uses);
    note_stored(loop, uses);
    loop->carried =
        !(walks || (counts && is_given_once(loop, uses))) || loop_carried_any(source, loop, uses, aliases, text);
    loop_carried_read_scattered(loop, uses);
    free(aliases);
    free(uses);
}

/* "for x in xs if x > 0 for y in x": the next of its clauses that goes through something. False at the end. */
static bool next_clause(struct word *rest, struct word *clause)
{
    const char *end = rest->text + rest->length_bytes, *behind = behind_word(*rest, "for");
    if (behind == NULL)
        return false;
    const char *next = behind_word((struct word){behind, (size_t)(end - behind)}, "for");
    next = next != NULL ? next - strlen("for") : end;
    *clause = (struct word){behind - strlen("for"), (size_t)(next - behind) + strlen("for")};
    *rest = (struct word){next, (size_t)(end - next)};
    return true;
}

/* "seen.add(v)", "d.setdefault(k, v)": a method that changes what it is of, for what a later round asks that. */
static bool changes_container(const struct loop_use *use)
{
    static const char *const methods[] = {"add",     "setdefault", "update", "pop",
                                          "popleft", "popitem",    "remove", "discard"};
    struct word root = word_first_part(use->name);
    return use->called && !word_equal(root, use->name) && WORD_IS_ONE_OF(word_last_part(use->name), methods) &&
           !word_is(root, "np") && !word_is(root, "numpy") && !word_is(root, "torch");
}

void loop_text_read_comprehension(struct loop_text *loop, struct word element, struct word clauses)
{
    struct word clause, all = clauses;
    bool few = true;
    *loop = (struct loop_text){0};
    while (next_clause(&clauses, &clause)) {
        loop->few = false;
        read_for(loop, clause);
        few = few && loop->few;
    }
    loop->few = few;
    struct loop_uses *uses = memory_zeroed(1, sizeof(*uses));
    loop_uses_read(uses, element, 1, false, false);
    bool stores = loop_carried_has_pieces(loop, uses);
    for (size_t i = 0; i < uses->count; i++)
        stores = stores || uses->uses[i].stored;
    loop_uses_read(uses, all, 1, false, false); /* "if not (v in seen or seen.add(v))" */
    for (size_t i = 0; i < uses->count; i++)
        stores = stores || changes_container(&uses->uses[i]);
    free(uses);
    loop->carried =
        stores || memmem(element.text, element.length_bytes, ":=", 2) != NULL || behind_word(element, "next") != NULL;
}

/* Behind the key of a dictionary of arrays ("a" of d["a"][i]); the index's text where there is none. */
static const char *behind_key(struct word index)
{
    const char *end = word_end(index), *behind = index.length_bytes > 0 ? word_skip_quiet(index.text, end) : end;
    bool is_key = index.length_bytes > 0 && *index.text != '#' && behind > index.text && behind < end && *behind == ',';
    return is_key ? behind : index.text;
}

/* Is it an index of one element: does it count with a name that counts up, and slice nothing? */
static bool is_element_index(const struct loop_text *loop, struct word index)
{
    const char *end = index.text + index.length_bytes;
    bool counts = false;
    for (const char *at = behind_key(index); at < end;) {
        if (*at == ':' || *at == '"' || *at == '\'' || *at == '#')
            return false;
        if (!word_char(*at)) {
            at++;
            continue;
        }
        struct word name = word_name_at(at, end);
        counts = counts || words_hold(&loop->indices, name);
        at = name.length_bytes > 0 ? name.text + name.length_bytes : at + 1;
    }
    return counts;
}

bool loop_text_has_element(const struct loop_text *loop, struct word expression, bool items)
{
    struct loop_uses *uses = memory_zeroed(1, sizeof(*uses));
    bool has = false;
    loop_uses_read(uses, expression, 0, false, false);
    for (size_t i = 0; i < uses->count && !has; i++) {
        const struct loop_use *use = &uses->uses[i];
        has = (use->index.length_bytes > 0 && is_element_index(loop, use->index)) ||
              words_hold(&loop->elements, use->name) || (items && words_hold(&loop->items, use->name));
    }
    free(uses);
    return has;
}

bool loop_text_has_element_of_both(const struct loop_text *loop, const struct loop_text *other, struct word expression)
{
    struct loop_uses *uses = memory_zeroed(1, sizeof(*uses));
    bool has = false;
    loop_uses_read(uses, expression, 0, false, false);
    for (size_t i = 0; i < uses->count && !has; i++) {
        const struct word index = uses->uses[i].index;
        has = index.length_bytes > 0 && is_element_index(loop, index) && is_element_index(other, index);
    }
    free(uses);
    return has;
}

static bool is_whole_beside(const struct loop_uses *uses, struct word array)
{
    for (size_t i = 0; i < uses->count; i++)
        if (word_equal(uses->uses[i].name, array) && uses->uses[i].index.length_bytes == 0 && !uses->uses[i].called)
            return true;
    return false;
}

bool loop_text_has_whole(const struct loop_text *loop, struct word expression)
{
    struct loop_uses *uses = memory_zeroed(1, sizeof(*uses));
    bool has = false;
    loop_uses_read(uses, expression, 0, false, false);
    for (size_t i = 0; i < uses->count && !has; i++)
        has = uses->uses[i].index.length_bytes > 0 && is_element_index(loop, uses->uses[i].index) &&
              is_whole_beside(uses, uses->uses[i].name);
    free(uses);
    return has;
}

bool loop_text_is_of_scalars(const struct loop_text *loop, struct word expression)
{
    struct loop_uses *uses = memory_zeroed(1, sizeof(*uses));
    size_t called = 0, scalars = 0;
    loop_uses_read(uses, expression, 0, false, false);
    for (size_t i = 0; i < uses->count; i++) {
        const struct loop_use *use = &uses->uses[i];
        bool is_scalar = words_hold(&loop->indices, use->name) || words_hold(&loop->elements, use->name) ||
                         (use->index.length_bytes > 0 && is_element_index(loop, use->index));
        called += use->called && handed_is_of_arrays(use->name);
        scalars += !use->called && is_scalar;
    }
    bool is_whole = called > 0 && scalars > 0 && called + scalars == uses->count && !uses->full;
    free(uses);
    return is_whole;
}
