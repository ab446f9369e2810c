#include "python/loop_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/aliases.h"
#include "python/handed.h"
#include "python/loop_acts.h"
#include "python/while_count.h"

#define ROUNDS_FEW 8
#define USES_MAX 512u
#define COMPARED_MAX 8192u /* stores with reads: bounds what a hostile text costs */
#define LINES_MAX 2000     /* above a loop: no longer function is looked through */

/* One use of a name in the loop's body. */
struct use {
    struct word name, index; /* index: between the brackets behind it; length 0: none */
    uint32_t statement;      /* its number; what it reads comes before what it stores */
    bool stored, added;      /* added: by an augmented assignment, which reads it as well... */
    bool summed;             /* ... as "+=" and "-=" do */
    bool called;
};

struct uses {
    struct use uses[USES_MAX];
    size_t count;
    bool full;
    bool
        acts; /* a statement ends the loop, or does something to what is outside of arrays: which round comes first matters */
};

static void add_use(struct uses *uses, struct use use)
{
    uses->full |= uses->count == USES_MAX;
    if (uses->count < USES_MAX)
        uses->uses[uses->count++] = use;
}

/* "out.append(x)", "h.copy_(x)", "h[t].mul_(x)", "out=h[t]": does a use store into what it names? Then it is made one that does. */
static bool is_call_store(struct use *use, const char *begin, const char *end)
{
    static const char *const methods[] = {"append", "extend", "insert", "appendleft", "fill", "sort", "put"};
    struct word method = word_last_part(use->name);
    const char *behind = use->index.length_bytes > 0 ? use->index.text + use->index.length_bytes + 1 : end;
    bool of_element = behind < end && *behind == '.';
    bool of_name = use->called && method.text != use->name.text;
    if (of_element) {
        struct word name = word_name_at(behind + 1, end);
        of_element = name.text + name.length_bytes < end && name.text[name.length_bytes] == '(';
        method = word_last_part(name);
    }
    bool changes =
        WORD_IS_ONE_OF(method, methods) || (method.length_bytes > 1 && method.text[method.length_bytes - 1] == '_');
    bool is_out = use->name.text - begin >= 4 && memcmp(use->name.text - 4, "out=", 4) == 0;
    if (!is_out && !(changes && (of_element || of_name)))
        return false;
    if (of_name && !is_out)
        use->name.length_bytes -= method.length_bytes + 1;
    use->stored = true;
    use->called = false;
    return true;
}

/* The names of one expression, or of one side of an assignment. `stored`: those outside of brackets are targets. */
static void read_names(struct uses *uses, struct word text, uint32_t statement, bool stored, bool added)
{
    const char *end = text.text + text.length_bytes;
    size_t depth = 0;
    for (const char *at = text.text; at < end;) {
        const char *behind = word_skip_quiet(at, end);
        if (behind > at) {
            at = behind;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= depth > 0 && (*at == ')' || *at == ']' || *at == '}');
        bool begins = word_char(*at) && !isdigit((unsigned char)*at) && (at == text.text || at[-1] != '.');
        if (!begins) {
            while (at < end && word_char(*at) && at + 1 < end && word_char(at[1]))
                at++; /* a number's letters, or an attribute of a call */
            at++;
            continue;
        }
        struct word name = word_name_at(at, end);
        at = word_skip_blanks(name.text + name.length_bytes, end);
        bool keyword_argument = depth > 0 && at < end && *at == '=' && (at + 1 == end || at[1] != '=');
        if (word_is_keyword(name) || keyword_argument)
            continue;
        struct use use = {.name = name, .statement = statement, .stored = stored && depth == 0, .added = added};
        use.called = at < end && *at == '(';
        if (at < end && *at == '[')
            use.index = word_in_bracket(at, end);
        use.stored = use.stored && !use.called;
        is_call_store(&use, text.text, end);
        add_use(uses, use);
    }
}

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

/* A name that is given one element, or what is made of one by no function of the program's own. */
static void note_element(struct loop_text *loop, struct word target, struct word value)
{
    struct word name = word_name_at(target.text, word_end(target));
    if (name.length_bytes > 0 && word_equal(name, target) && loop_text_has_element(loop, value, false) &&
        !handed_calls_others(value))
        words_add(&loop->elements, name);
}

/* "a, b = x[i], y[i]", and "a, b = p[i]": each of them is given one of the values, or a part of the one. */
static void note_elements(struct loop_text *loop, struct word targets, struct word value)
{
    struct word items[WORDS_MAX], values[WORDS_MAX];
    size_t count = word_split(targets, ',', items, WORDS_MAX), given = word_split(value, ',', values, WORDS_MAX);
    bool has_star = memchr(targets.text, '*', targets.length_bytes) != NULL;
    if (count == SIZE_MAX || given == SIZE_MAX || has_star || (given != count && given != 1))
        return;
    for (size_t i = 0; i < count; i++)
        note_element(loop, items[i], values[given == 1 ? 0 : i]);
}

static void read_statement(struct loop_text *loop, struct uses *uses, struct word text, uint32_t number)
{
    size_t length = 0;
    const char *sign = word_assignment(text, &length);
    if (sign == NULL) {
        read_names(uses, text, number, false, false);
        return;
    }
    const char *end = text.text + text.length_bytes;
    struct word target = word_trimmed(text.text, sign), value = word_trimmed(sign + length, end), added;
    bool sums = length == 1 && adds_to_target(target, value, &added);
    read_names(uses, sums ? added : value, number, false, false);
    size_t first = uses->count;
    read_names(uses, target, number, true, sums || length > 1);
    for (size_t i = first; i < uses->count; i++)
        uses->uses[i].summed = sums || (length == 2 && (*sign == '+' || *sign == '-'));
    if (length == 1)
        note_elements(loop, target, value);
}

static void read_body(struct loop_text *loop, struct uses *uses, struct word text)
{
    struct word statement;
    for (uint32_t number = 1; word_next_statement(&text, &statement); number++) {
        uses->acts = uses->acts || loop_acts(statement);
        read_statement(loop, uses, statement, number);
    }
}

/* "i", "i + 1": another element in each round, where the loop counts that. */
static bool counts_elements(const struct loop_text *loop, struct word item)
{
    struct word name = word_name_at(item.text, word_end(item));
    const char *at = word_end(name);
    if (name.length_bytes == 0 || !words_hold(&loop->indices, name))
        return false;
    if (at < word_end(item))
        at += strspn(at, " +-") > 0 ? strspn(at, " +-0123456789") : 0;
    return at >= word_end(item);
}

/* Has each round an element of its own there: by an index, or of what it takes out of something? */
static bool is_own_element(const struct loop_text *loop, const struct use *store)
{
    struct word items[WORDS_MAX];
    size_t count = word_split(store->index, ',', items, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (counts_elements(loop, items[i]))
            return true;
    return words_hold(&loop->items, store->name) || words_hold(&loop->elements, store->name);
}

/* Does `read` take what `store` leaves for a later round? */
static bool reads_earlier(const struct loop_text *loop, const struct aliases *aliases, const struct use *store,
                          const struct use *read)
{
    if (!word_is_part_of(read->name, store->name))
        return store->index.length_bytes > 0 && read->index.length_bytes > 0 &&
               aliases_share(aliases, store->name, read->name);
    if (store->index.length_bytes > 0) /* y[i] = f(y[i]) is one element's own */
        return !word_equal(store->index, read->index) || !is_own_element(loop, store);
    return store->added || read->statement <= store->statement;
}

/* Of one element that all rounds store into: are those no sums alone, whose order does not matter? */
static bool mixes(const struct loop_text *loop, const struct use *store, const struct use *other)
{
    return store->index.length_bytes > 0 && word_is_part_of(other->name, store->name) && store->added &&
           !(store->summed && other->summed) && !is_own_element(loop, store);
}

static bool is_carried(const struct loop_text *loop, const struct uses *uses, const struct aliases *aliases)
{
    unsigned compared = 0;
    for (size_t i = 0; i < uses->count; i++) {
        const struct use *store = &uses->uses[i];
        if (!store->stored || words_hold(&loop->indices, store->name))
            continue;
        for (size_t j = 0; j < uses->count; j++) {
            const struct use *other = &uses->uses[j];
            if (++compared > COMPARED_MAX ||
                (other->stored ? mixes(loop, store, other) : reads_earlier(loop, aliases, store, other)))
                return true;
        }
    }
    return uses->full || uses->acts || aliases->full;
}

/* Does an index say which element by data, so that two rounds may mean the same one? */
static bool is_by_data(const struct loop_text *loop, const struct uses *uses, struct word index)
{
    struct uses names = {.count = 0};
    read_names(&names, index, 0, false, false);
    for (size_t i = 0; i < names.count; i++) {
        const struct use *name = &names.uses[i];
        bool made = words_hold(&loop->items, name->name) || words_hold(&loop->elements, name->name);
        for (size_t j = 0; j < uses->count && !made; j++)
            made = uses->uses[j].stored && word_equal(uses->uses[j].name, name->name) &&
                   !words_hold(&loop->indices, name->name);
        if (made || name->index.length_bytes > 0 || name->called)
            return true;
    }
    return false;
}

static bool is_read(const struct uses *uses, struct word name)
{
    for (size_t i = 0; i < uses->count; i++)
        if (!uses->uses[i].stored && word_is_part_of(uses->uses[i].name, name))
            return true;
    return false;
}

/*
 * Data say which element a round changes, and two rounds may mean the same one: "z[where[i]] += x[i]" adds up, whatever comes first;
 * anything else that takes what is there is carried on.
 */
static void read_scattered(struct loop_text *loop, const struct uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        const struct use *store = &uses->uses[i];
        if (!store->stored || store->index.length_bytes == 0 || !is_by_data(loop, uses, store->index))
            continue;
        bool taken = is_read(uses, store->name);
        loop->scattered = loop->scattered || (store->summed && !taken);
        loop->carried = loop->carried || taken || (store->added && !store->summed);
    }
}

/* "for a, b in zip(h, h[1:]): b[:] = f(a)": an item that is stored into, of an array that is gone through twice. */
static bool stores_into_overlap(const struct loop_text *loop, const struct uses *uses)
{
    for (size_t i = 0; loop->overlaps && i < uses->count; i++)
        if (uses->uses[i].stored && words_hold(&loop->items, uses->uses[i].name))
            return true;
    return false;
}

static bool asks_size(struct word name)
{
    static const char *const facts[] = {"shape", "size", "ndim"};
    struct word last = word_last_part(name);
    return last.text != name.text && WORD_IS_ONE_OF(last, facts);
}

/* "for i, x in enumerate(xs): xs[i] = f(x)": a round stores into the element that it has taken. */
static bool is_taken_element(const struct loop_text *loop, const struct use *store, const struct use *walked)
{
    struct word items[WORDS_MAX];
    size_t count = word_split(store->index, ',', items, WORDS_MAX);
    return loop->walks_whole && word_equal(store->name, walked->name) && count > 0 && count != SIZE_MAX &&
           words_hold(&loop->indices, items[0]) &&
           word_equal(word_name_at(items[0].text, word_end(items[0])), items[0]);
}

/* "for i, x in enumerate(xs[:-1]): xs[i + 1] += x": what is gone through is stored into, so that a later round takes it. */
static bool stores_into_walked(const struct loop_text *loop, const struct uses *uses, const struct aliases *aliases)
{
    struct uses *walked = memory_zeroed(1, sizeof(*walked));
    bool stores = false;
    read_names(walked, loop->iterable, 0, false, false);
    for (size_t i = 0; i < walked->count && !stores; i++) {
        const struct use *of = &walked->uses[i];
        bool is_counted = of->name.text - loop->iterable.text >= 4 && memcmp(of->name.text - 4, "len(", 4) == 0;
        for (size_t k = 0; !of->called && !is_counted && !asks_size(of->name) && k < uses->count && !stores; k++) {
            const struct use *store = &uses->uses[k];
            bool is_it = word_is_part_of(store->name, of->name) || aliases_share(aliases, store->name, of->name);
            stores = store->stored && is_it && !is_taken_element(loop, store, of);
        }
    }
    free(walked);
    return stores;
}

/* "start[i]:start[i + 1]", of one dimension: a slice whose ends the loop says. Of "y[:, i]" the ":" is another's. */
static bool is_piece(const struct loop_text *loop, struct word item)
{
    struct word whole;
    if (word_split(item, ':', &whole, 1) == 1)
        return false;
    struct uses names = {.count = 0};
    read_names(&names, item, 0, false, false);
    for (size_t i = 0; i < names.count; i++)
        if (names.uses[i].index.length_bytes > 0 || words_hold(&loop->indices, names.uses[i].name))
            return true;
    return false;
}

/* "x[start[i]:start[i + 1]]": pieces of unlike lengths, which no whole array has. */
static bool has_pieces(const struct loop_text *loop, const struct uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        struct word items[WORDS_MAX];
        size_t count = word_split(uses->uses[i].index, ',', items, WORDS_MAX);
        if (count == SIZE_MAX)
            return true;
        for (size_t k = 0; k < count; k++)
            if (is_piece(loop, items[k]))
                return true;
    }
    return false;
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

/* "h, h[1:]" */
static bool names_twice(struct word arguments)
{
    struct word items[WORDS_MAX];
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (word_equal(word_name_at(items[i].text, items[i].text + items[i].length_bytes),
                           word_name_at(items[k].text, items[k].text + items[k].length_bytes)))
                return true;
    return false;
}

/* "for i, x in enumerate(xs):" */
static void read_for(struct loop_text *loop, struct word header)
{
    const char *end = header.text + header.length_bytes, *in = behind_word(header, "in"),
               *targets = behind_word(header, "for");
    if (in == NULL || targets == NULL || in < targets)
        return;
    const char *from = word_skip_blanks(in, end);
    bool counts = begins_call(from, end, "range"), enumerates = begins_call(from, end, "enumerate");
    loop->few = counts && is_short_range(word_in_bracket(from + strlen("range"), end));
    loop->overlaps = begins_call(from, end, "zip") && names_twice(word_in_bracket(from + strlen("zip"), end));
    if (!counts)
        loop->iterable = (struct word){from, (size_t)(end - from)};
    if (enumerates) {
        struct word all = word_in_bracket(from + strlen("enumerate"), end);
        loop->walks_whole = all.length_bytes > 0 && word_equal(word_name_at(all.text, word_end(all)), all);
    }
    struct uses names = {.count = 0};
    read_names(&names, (struct word){targets, (size_t)(in - 2 - targets)}, 0, false, false);
    for (size_t i = 0; i < names.count; i++)
        words_add(counts || (enumerates && i == 0) ? &loop->indices : &loop->items, names.uses[i].name);
}

/* A loop with such a header and body; the end may be given anew in the body, which the uses tell. */
static bool read_while(struct loop_text *loop, struct uses *uses, struct word header, struct word body)
{
    struct while_count count;
    if (!while_count_read(header, body, &count))
        return false;
    read_names(uses, count.limit, 0, false, false);
    words_add(&loop->indices, count.counter);
    return true;
}

/* The rest is for read_body() to find: a counter that is given elsewhere, too, goes by data. */
static bool is_given_once(const struct loop_text *loop, const struct uses *uses)
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

size_t loop_text_header_bytes(const struct source *source, int32_t first)
{
    size_t length = 0;
    const char *header = source_line(source, first, &length);
    return header != NULL ? (size_t)(find_body((struct word){header, length}) - header) : 0;
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
    struct uses *uses = memory_zeroed(1, sizeof(*uses));
    struct aliases *aliases = memory_zeroed(1, sizeof(*aliases));
    aliases_read(aliases, text_above(source, first));
    aliases_add_shared(aliases, (struct word){source->text, source->length_bytes}, text_above(source, first),
                       (struct word){header, (size_t)(end - header)});
    bool walks = behind_word(head, "for") != NULL, counts = !walks && read_while(loop, uses, head, text);
    if (walks)
        read_for(loop, head);
    read_body(loop, uses, text);
    loop->carried = !(walks || (counts && is_given_once(loop, uses))) || is_carried(loop, uses, aliases) ||
                    stores_into_overlap(loop, uses) || stores_into_walked(loop, uses, aliases) ||
                    has_pieces(loop, uses);
    read_scattered(loop, uses);
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

void loop_text_read_comprehension(struct loop_text *loop, struct word element, struct word clauses)
{
    struct word clause;
    bool few = true;
    *loop = (struct loop_text){0};
    while (next_clause(&clauses, &clause)) {
        loop->few = false;
        read_for(loop, clause);
        few = few && loop->few;
    }
    loop->few = few;
    struct uses *uses = memory_zeroed(1, sizeof(*uses));
    read_names(uses, element, 1, false, false);
    bool stores = has_pieces(loop, uses);
    for (size_t i = 0; i < uses->count; i++)
        stores = stores || uses->uses[i].stored;
    free(uses);
    loop->carried =
        stores || memmem(element.text, element.length_bytes, ":=", 2) != NULL || behind_word(element, "next") != NULL;
}

/* Is it an index of one element: does it count with a name that counts up, and slice nothing? */
static bool is_element_index(const struct loop_text *loop, struct word index)
{
    const char *end = index.text + index.length_bytes;
    bool counts = false;
    for (const char *at = index.text; at < end;) {
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
