#include "python/clear.h"

#include <string.h>

#include "python/code_facts.h"
#include "python/handed.h"
#include "python/scope.h"
#include "python/suite.h"

/* "model" of "model.parameters()"; empty: the text is another. */
static struct word of_all_parameters(struct word text)
{
    struct word of, nothing;
    size_t tail = sizeof(".parameters") - 1;
    bool takes_all = word_call(text, &of, &nothing) && nothing.length_bytes == 0 && of.length_bytes > tail &&
                     word_is((struct word){word_end(of) - tail, tail}, ".parameters");
    return takes_all ? (struct word){of.text, of.length_bytes - tail} : (struct word){text.text, 0};
}

/* What "set_to_none=False" and "False" both say. */
static struct word plain_argument(struct word arguments)
{
    struct word keyword, value;
    bool named = word_assigned(arguments, &keyword, &value) && word_is(keyword, "set_to_none");
    return named ? value : arguments;
}

/* "opt.zero_grad(...)" and nothing else. */
static bool read_call(const struct source *code, int32_t row, struct clear *clear)
{
    struct word statement, function;
    if (!suite_statement(code, row, &statement, &clear->indent, &clear->last) ||
        !word_call(statement, &function, &clear->arguments) || !word_is(word_last_part(function), "zero_grad"))
        return false;
    size_t name = sizeof("zero_grad") - 1;
    clear->owner = (struct word){function.text, function.length_bytes > name ? function.length_bytes - name - 1 : 0};
    clear->arguments = plain_argument(clear->arguments);
    clear->row = clear->line = row;
    return clear->owner.length_bytes > 0;
}

/* The only statement that a clause's header ("for ...", its ":" is parted from it) has in its suite. */
struct clause {
    struct word header, body;
    int32_t row; /* of the body */
    size_t indent;
};

static bool read_clause(const struct source *code, struct word text, int32_t row, size_t indent, struct clause *clause)
{
    struct word rest = text;
    int32_t last = 0;
    if (!word_next_statement(&rest, &clause->header) || word_end(clause->header) == word_end(text) ||
        *word_end(clause->header) != ':')
        return false;
    clause->body = word_trimmed(rest.text, word_end(rest));
    clause->row = row;
    clause->indent = indent;
    if (clause->body.length_bytes > 0)
        return true;
    while (suite_row(code, ++clause->row, &clause->body, &clause->indent) && clause->body.length_bytes == 0)
        ;
    return suite_statement(code, clause->row, &clause->body, &clause->indent, &last) && last == clause->row &&
           clause->indent > indent;
}

/* Does the suite of a clause that is indented so end with the row? */
static bool suite_ends(const struct source *code, int32_t row, size_t indent)
{
    struct word text;
    size_t own = 0;
    while (suite_row(code, ++row, &text, &own))
        if (text.length_bytes > 0)
            return own <= indent && !word_is(word_name_at(text.text, word_end(text)), "else");
    return true;
}

/* ".grad.zero_()" behind "p": what is handed to zero_grad() to do the same; empty: it does something else. */
static struct word done_by(struct word body, struct word variable)
{
    static const char *const zeroing[] = {".grad.zero_()", ".grad.data.zero_()"};
    struct word target, value, none = {body.text, 0};
    if (body.length_bytes <= variable.length_bytes || memcmp(body.text, variable.text, variable.length_bytes) != 0)
        return none;
    struct word what = {body.text + variable.length_bytes, body.length_bytes - variable.length_bytes};
    if (WORD_IS_ONE_OF(what, zeroing))
        return (struct word){"False", 5};
    bool is_none = word_assigned(what, &target, &value) && word_is(target, ".grad") && word_is(value, "None");
    return is_none ? (struct word){"True", 4} : none;
}

/* "if p.grad is not None" */
static bool asks_for_gradient(struct word header, struct word variable)
{
    static const char asked[] = ".grad is not None";
    size_t begin = sizeof("if ") - 1;
    return header.length_bytes == begin + variable.length_bytes + sizeof(asked) - 1 &&
           memcmp(header.text, "if ", begin) == 0 &&
           memcmp(header.text + begin, variable.text, variable.length_bytes) == 0 &&
           memcmp(header.text + begin + variable.length_bytes, asked, sizeof(asked) - 1) == 0;
}

/* "for p in model.parameters(): p.grad.zero_()", over one row or two, or three with "if p.grad is not None:". */
static bool read_loop(const struct source *code, int32_t row, struct clear *clear)
{
    struct word statement;
    struct clause loop, asked;
    size_t begin = sizeof("for ") - 1;
    if (!suite_statement(code, row, &statement, &clear->indent, &clear->last) || clear->last != row ||
        statement.length_bytes < begin || memcmp(statement.text, "for ", begin) != 0 ||
        !read_clause(code, statement, row, clear->indent, &loop))
        return false;
    struct word variable = word_name_at(statement.text + begin, word_end(loop.header));
    const char *in = word_end(variable);
    if (word_end(loop.header) - in < 4 || memcmp(in, " in ", 4) != 0)
        return false;
    clear->owner = of_all_parameters(word_trimmed(in + 4, word_end(loop.header)));
    if (read_clause(code, loop.body, loop.row, loop.indent, &asked) && asks_for_gradient(asked.header, variable))
        loop = asked;
    clear->arguments = done_by(loop.body, variable);
    clear->row = row;
    clear->line = clear->last = loop.row;
    return clear->owner.length_bytes > 0 && clear->arguments.length_bytes > 0 && variable.length_bytes > 0 &&
           word_mentions(clear->owner, variable) == 0 && suite_ends(code, loop.row, clear->indent);
}

bool clear_read(const struct source *code, int32_t row, struct clear *clear)
{
    return read_call(code, row, clear) || read_loop(code, row, clear);
}

bool clear_at(const struct source *code, int32_t line, struct clear *clear)
{
    for (int32_t row = line; row > 0 && line - row < CLEAR_ROWS_MAX; row--)
        if (clear_read(code, row, clear) && clear->line == line)
            return true;
    return false;
}

/* "SGD(model.parameters(), ...)": the model whose parameters the call takes first; empty: it takes something else. */
static struct word model_taken(struct word value)
{
    struct word function, arguments, items[WORDS_MAX], keyword, first, none = {value.text, 0};
    size_t count = word_call(value, &function, &arguments) ? word_split(arguments, ',', items, WORDS_MAX) : 0;
    if (count == 0 || count > WORDS_MAX)
        return none;
    first = items[0];
    if (word_assigned(items[0], &keyword, &first) && !word_is(keyword, "params"))
        return none;
    return of_all_parameters(first);
}

/* Statements that give a name a value: how often, and the last of them. */
struct given {
    size_t count, parts; /* parts: "model.head = ..." */
    int32_t row;
    struct word value;
};

static void note_given(struct given *given, struct word statement, struct word name, int32_t row)
{
    struct word target, value;
    if (!word_assigned(statement, &target, &value)) {
        given->parts += word_gives(statement, name); /* "for opt in opts:" */
        return;
    }
    bool is_whole = word_equal(target, name);
    given->count += is_whole;
    given->parts += !is_whole && word_mentions(target, name) > 0;
    given->row = is_whole ? row : given->row;
    given->value = is_whole ? value : given->value;
}

static struct given given_to(const struct source *code, struct word name)
{
    struct given given = {.value = {code->text, 0}};
    struct word text, items[WORDS_MAX];
    size_t indent = 0;
    int32_t last = 0;
    for (int32_t row = 1; suite_row(code, row, &text, &indent); row++) {
        if (memmem(text.text, text.length_bytes, name.text, name.length_bytes) == NULL)
            continue;
        bool is_one =
            suite_statement(code, row, &text, &indent, &last); /* else several, or the row of one that began above */
        size_t count =
            is_one || memchr(text.text, ';', text.length_bytes) == NULL ? 0 : word_split(text, ';', items, WORDS_MAX);
        if (is_one)
            note_given(&given, text, name, row);
        for (size_t i = 0; count != SIZE_MAX && i < count; i++)
            note_given(&given, items[i], name, row);
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
    int32_t function = scope_function(code, cleared), maker = scope_function(code, made);
    if (maker == function || (is_of_self(one) && is_of_self(other)))
        return true;
    return maker == 0 && suite_statement(code, function, &header, &indent, &last) && word_mentions(header, one) == 0 &&
           word_mentions(header, other) == 0;
}

/* "self.model = model" beside "self.opt = SGD(model.parameters())": is `taken` the model where the optimizer is made of it? */
static bool is_other_name(const struct source *code, const struct given *made, const struct given *of,
                          struct word taken)
{
    struct word text;
    size_t indent = 0;
    int32_t from = made->row < of->row ? made->row : of->row, to = made->row < of->row ? of->row : made->row;
    if (of->count != 1 || !word_equal(of->value, taken) ||
        scope_function(code, made->row) != scope_function(code, of->row) || given_to(code, taken).parts > 0)
        return false;
    for (int32_t row = from; row < to && suite_row(code, row, &text, &indent); row++)
        if (word_gives(text, taken))
            return false;
    return true;
}

/* Is the optimizer made of all parameters of the model, by the only statement that gives it a value, and are these all there will be? */
static bool is_made_of(const struct source *code, struct word optimizer, struct word model, int32_t cleared)
{
    struct given made = given_to(code, optimizer), of = given_to(code, model);
    struct word taken = made.count == 1 ? model_taken(made.value) : (struct word){optimizer.text, 0};
    return taken.length_bytes > 0 && made.parts == 0 && of.count <= 1 && of.parts == 0 &&
           (word_equal(taken, model) || is_other_name(code, &made, &of, taken)) &&
           mean_the_same(code, made.row, cleared, optimizer, model);
}

static bool names(const struct source *code, const char *what)
{
    return memmem(code->text, code->length_bytes, what, strlen(what)) != NULL;
}

/* "model.append(layer)": parameters of the one that the other does not have, perhaps. */
static bool may_grow(const struct source *code, struct word owner)
{
    static const char *const growing[] = {"append", "extend", "insert", "register_module", "register_parameter"};
    for (const char *at = code->text, *end = code->text + code->length_bytes;
         (at = memmem(at, (size_t)(end - at), owner.text, owner.length_bytes)) != NULL; at += owner.length_bytes) {
        struct word name = word_name_at(at, end), last = word_last_part(name);
        if (last.text == at + owner.length_bytes + 1 && WORD_IS_ONE_OF(last, growing))
            return true;
    }
    return names(code, "add_param_group") || names(code, "add_module") || names(code, "setattr");
}

bool clear_same(const struct source *code, const struct clear *one, const struct clear *other)
{
    if (!word_equal(one->arguments, other->arguments))
        return false;
    return word_equal(one->owner, other->owner) || (!may_grow(code, one->owner) && !may_grow(code, other->owner) &&
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
        return method.length_bytes > 0 && word_end(method)[-1] == '_' && !word_is(word_last_part(method), "zero_");
    }
    size_t length = 0;
    const char *sign = word_assignment(rest, &length);
    if (sign == NULL || (sign > rest.text && *rest.text != '['))
        return false;
    return !word_is(word_trimmed(sign + length, word_end(rest)), "None");
}

const char *clear_behind_grad(const char *at, const char *end)
{
    while ((at = memmem(at, (size_t)(end - at), ".grad", 5)) != NULL) {
        at += 5;
        if (at == end || (!word_char(*at) && *at != '('))
            return at;
    }
    return NULL;
}

bool clear_stored_by_hand(const struct source *code)
{
    struct word text;
    size_t indent = 0;
    for (int32_t row = 1; suite_row(code, row, &text, &indent); row++)
        for (const char *at = text.text; (at = clear_behind_grad(at, word_end(text))) != NULL;)
            if (stores(at, word_end(text)))
                return true;
    return false;
}

bool clear_gives_anew(struct word text, struct word owner)
{
    struct word root = owner;
    const char *dot = memchr(owner.text, '.', owner.length_bytes);
    if (dot != NULL)
        root.length_bytes = (size_t)(dot - owner.text);
    return word_gives(text, owner) || (!word_is(root, "self") && word_gives(text, root));
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
           is_made_of(code, clear->owner, function, clear->row) || is_of_torch(given_to(code, function).value);
}

bool clear_is_schedule(const struct source *code, struct word name)
{
    struct given given = given_to(code, name);
    struct word function, arguments;
    return given.count == 1 && given.parts == 0 && word_call(given.value, &function, &arguments) &&
           memmem(function.text, function.length_bytes, "lr_scheduler.", 13) != NULL;
}

size_t clear_other_calls(const struct source *code, struct word text, const struct clear *clear, struct word *first)
{
    size_t count = 0;
    for (const char *at = text.text; at < word_end(text);) {
        struct word name = word_name_at(at, word_end(text));
        const char *behind = word_end(name);
        bool called = name.length_bytes > 0 && behind < word_end(text) && *behind == '(';
        size_t dot = called && name.text > text.text && name.text[-1] == '.';
        struct word call = {name.text - dot, dot + name.length_bytes + 1};
        if (called && !is_forward(code, name, clear) &&
            (handed_calls_others(call) || code_defines(code, word_last_part(name)) || behind[-1] == '_')) {
            *first = count == 0 ? name : *first;
            count++;
        }
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return count;
}
