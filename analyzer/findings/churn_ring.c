#include "findings/churn_ring.h"

#include <string.h>

#include "findings/kept_ways.h"
#include "findings/statement.h"
#include "python/code_facts.h"
#include "python/handed.h"
#include "python/mention.h"
#include "python/name_uses.h"
#include "python/scope.h"
#include "python/suite.h"

#define NAMES_MAX 16u
#define TARGETS_MAX 8u

/* A name that stands for what the line made, or for a list of it, from a statement's row on. */
struct holder {
    struct word name;
    int32_t row;
};

struct ring {
    const struct source *code;
    int32_t row, header; /* of the statement that makes them, and of the suite that it stands in */
    struct holder holders[NAMES_MAX];
    size_t count, own; /* the first ones are the statement's own */
    bool returned;     /* ... each of them, to the caller */
    bool shown;        /* ... some of them */
};

/* Is it run wherever what is made is made, and as often? */
static bool is_beside(const struct ring *ring, int32_t row)
{
    return row > 0 && scope_header(ring->code, row) == ring->header;
}

static bool is_plain(struct word word)
{
    for (size_t i = 0; i < word.length_bytes; i++)
        if (!word_char(word.text[i]))
            return false;
    return word.length_bytes > 0;
}

/* Once. An object's attribute anybody may keep, in other files as well. */
static bool add_holder(struct ring *ring, struct word name, int32_t row)
{
    for (size_t i = 0; i < ring->count; i++)
        if (word_equal(ring->holders[i].name, name))
            return true;
    if (!is_plain(name) || ring->count == NAMES_MAX)
        return false;
    ring->holders[ring->count++] = (struct holder){name, row};
    return true;
}

/* "previous = w", "for w in ws:" */
static bool share(struct ring *ring, struct word targets, int32_t row)
{
    struct word items[TARGETS_MAX];
    size_t count = is_beside(ring, row) ? word_split(targets, ',', items, TARGETS_MAX) : SIZE_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (!add_holder(ring, items[i], row))
            return false;
    return count != SIZE_MAX && count > 0;
}

/* "signals.append(w)" */
static bool append(struct ring *ring, struct word function, struct word statement, int32_t row)
{
    static const char method[] = ".append";
    size_t length = sizeof(method) - 1;
    if (function.length_bytes <= length || memcmp(word_end(function) - length, method, length) != 0 ||
        statement.text != function.text || !is_beside(ring, row))
        return false;
    function.length_bytes -= length;
    return add_holder(ring, function, row);
}

/* "np.maximum(w, 0.0, out=w)", "above *= np.greater(w, 0.0, out=active)": what an array's function makes is kept by no name. */
static bool is_dropped(struct word statement, struct word called)
{
    struct word function, arguments;
    size_t length = 0;
    const char *sign = word_assignment(statement, &length);
    if (sign == NULL)
        return word_call(statement, &function, &arguments) && handed_is_of_arrays(function);
    return length > 1 && called.length_bytes > 0 && handed_is_of_arrays(called);
}

/* Does what a statement makes of them leave their order as it is? */
static bool take(struct ring *ring, const struct mention *mention, struct word statement, int32_t row)
{
    switch (mention->kind) {
    case MENTION_READ:
    case MENTION_STORED:
    case MENTION_GIVEN:
        return true;
    case MENTION_SHARED:
        return share(ring, mention->targets, row);
    case MENTION_RETURNED:
        ring->shown = true;
        return true;
    case MENTION_HANDED:
        return append(ring, mention->function, statement, row) || is_dropped(statement, mention->function);
    default:
        return is_dropped(statement, mention->function);
    }
}

struct visit {
    struct ring *ring;
    bool is_own; /* the name of the statement that makes them */
};

static bool keeps_order(const char *at, void *state)
{
    static const char append_call[] = ".append(";
    const struct visit *visit = state;
    struct ring *ring = visit->ring;
    struct word statement, name;
    struct mention mention;
    int32_t row = 0;
    if (!mention_at(&mention, ring->code, at, &name, &statement, &row))
        return false;
    if (strncmp(word_end(name), append_call, sizeof(append_call) - 1) == 0 && statement.text == at)
        return true;
    if (mention.kind == MENTION_RETURNED && (is_beside(ring, row) || !visit->is_own)) {
        ring->returned = true;
        return true;
    }
    return take(ring, &mention, statement, row);
}

/* Is a pass of the suite left before its end? What it made is given to no other name then. */
static bool is_left(const struct ring *ring)
{
    static const char *const leaving[] = {"continue", "break", "return", "raise", "try", "except", "finally"};
    size_t own = 0, indent = 0;
    if (ring->count == ring->own)
        return false;
    code_row_text(ring->code, ring->row, &own);
    int32_t first = ring->header > 0 ? ring->header + 1 : 1;
    for (int32_t row = first; (size_t)row <= ring->code->line_count; row++) {
        struct word rest = code_row_text(ring->code, row, &indent), statement;
        if (rest.length_bytes > 0 && indent < own && row > ring->row)
            break;
        for (bool is_first = true; word_next_statement(&rest, &statement); is_first = false) {
            statement = word_trimmed(statement.text, word_end(statement));
            struct word word = word_name_at(statement.text, word_end(statement));
            bool is_last = word_is(word, "return") && is_first && indent == own;
            if (WORD_IS_ONE_OF(word, leaving) && !is_last)
                return true;
        }
    }
    return false;
}

/* Of the names that the statement gives, and of those that these are given to. */
static bool names_are_in_turn(struct ring *ring)
{
    for (size_t i = 0; i < ring->count; i++) {
        struct holder *holder = &ring->holders[i];
        struct visit visit = {ring, i < ring->own};
        int32_t first = 0, last = 0;
        if (!suite_rows(ring->code, 1, holder->row, &first, &last) ||
            !name_uses_visit(ring->code, first, last, holder->name, keeps_order, &visit))
            return false;
    }
    return !is_left(ring);
}

/* What the caller does with what it is returned. */
static bool begin_at_call(struct ring *ring, const struct kept_level *level)
{
    struct word statement;
    struct mention mention;
    int32_t row = 0;
    bool was_shown = ring->shown;
    *ring = (struct ring){.code = level->code, .row = level->row};
    if (level->code == NULL || !suite_statement_at(level->code, level->call.text, &statement, &row) || row == 0)
        return false;
    ring->header = scope_header(level->code, row);
    if (word_equal(statement, level->call))
        return true;
    mention_read(&mention, code_text(level->code), statement, level->call.text, word_end(level->call));
    if (mention.kind == MENTION_RETURNED)
        ring->returned = !was_shown;
    if (was_shown && mention.kind != MENTION_READ && mention.kind != MENTION_RETURNED)
        return false; /* kept, while the next call makes several */
    bool goes_on = take(ring, &mention, statement, row);
    ring->shown = was_shown && mention.kind == MENTION_RETURNED;
    ring->own = ring->count;
    return goes_on;
}

bool churn_is_in_turn(struct model *model, const struct site *site)
{
    uint32_t frame = model_node(site->process, site->record->node)->python;
    struct kept_ways ways;
    struct word name = {NULL, 0};
    if (site->record->most_alive < 2)
        return true;
    name.text = statement_target(model, site->process, frame, &name.length_bytes);
    kept_ways_find(&ways, model, site->process, frame);
    if (name.text == NULL || ways.count == 0 || ways.levels[0].code == NULL)
        return false;
    const struct kept_level *level = &ways.levels[0];
    struct ring ring = {.code = level->code, .row = level->row, .header = scope_header(level->code, level->row)};
    ring.own = 1;
    if (!add_holder(&ring, name, level->row))
        return false;
    for (size_t i = 1; names_are_in_turn(&ring); i++) {
        if (!ring.returned && !ring.shown)
            return true;
        if (i == ways.count || !begin_at_call(&ring, &ways.levels[i]))
            return false;
    }
    return false;
}
