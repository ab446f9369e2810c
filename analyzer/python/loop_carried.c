#include "python/loop_carried.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "python/code_facts.h"
#include "python/given_first.h"
#include "python/single_row.h"

/* Stores with reads, and bytes of the body that are read for them: bounds what a hostile text costs. */
#define COMPARED_MAX 8192u
#define COMPARED_BYTES_MAX (1u << 20)

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
static bool is_own_element(const struct loop_text *loop, const struct loop_use *store)
{
    struct word items[WORDS_MAX];
    size_t count = word_split(store->index, ',', items, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (counts_elements(loop, items[i]))
            return true;
    return words_hold(&loop->items, store->name) || words_hold(&loop->elements, store->name);
}

static bool asks_size(struct word name)
{
    static const char *const facts[] = {"shape", "size", "ndim"};
    struct word last = word_last_part(name);
    return last.text != name.text && WORD_IS_ONE_OF(last, facts);
}

/* "flat" of "flat.item(i)". */
static struct word owner_of(const struct loop_use *use)
{
    struct word last = word_last_part(use->name);
    bool is_method = use->called && last.text > use->name.text;
    return is_method ? (struct word){use->name.text, (size_t)(last.text - use->name.text) - 1} : use->name;
}

/* What the names of a loop are looked at for: its text, and how much more of that may be read. */
struct body {
    const struct source *code;
    const struct loop_text *loop;
    const struct loop_uses *uses;
    const struct aliases *aliases;
    struct word text;
    size_t bytes_left;
};

/* Is what a name stands for given in each round, before the place of that use? */
static bool is_given_first(struct body *body, struct word name, const struct loop_use *use)
{
    const size_t bytes = (size_t)(use->name.text - body->text.text);
    if (use->statement == 0 || bytes > body->bytes_left) /* in the header, before all */
        return false;
    body->bytes_left -= bytes;
    return given_first(body->text, name, use->name.text);
}

/* "w" of "w.data", "h" of "h.flat": the same memory. */
static struct word memory_of(struct word name)
{
    static const char *const same[] = {"data", "flat", "T"};
    struct word last = word_last_part(name);
    while (last.text > name.text && WORD_IS_ONE_OF(last, same)) {
        name.length_bytes = (size_t)(last.text - name.text) - 1;
        last = word_last_part(name);
    }
    return name;
}

static struct word object_of(struct word attribute)
{
    struct word last = word_last_part(attribute);
    size_t length = last.text > attribute.text ? (size_t)(last.text - attribute.text) - 1 : 0;
    return (struct word){attribute.text, length};
}

/* "s.last", where "st.last" is stored and "s = st": the same attribute by another name. */
static bool is_attribute_of_alias(const struct aliases *aliases, struct word stored, struct word read)
{
    struct word object = object_of(stored), other = object_of(read);
    return object.length_bytes > 0 && other.length_bytes > 0 &&
           word_equal(word_last_part(stored), word_last_part(read)) && aliases_share(aliases, object, other);
}

/* "self.previous", of a file that has a function of that name, beside "self._previous = ...": a property is what it returns. */
static bool is_property(struct body *body, struct word stored, const struct loop_use *read)
{
    struct word object = object_of(stored);
    if (read->called || object.length_bytes == 0 || !word_equal(object, object_of(read->name)))
        return false;
    if (body->code->length_bytes > body->bytes_left)
        return true;
    body->bytes_left -= body->code->length_bytes;
    return code_defines(body->code, word_last_part(read->name));
}

/* "v" of "v = x[i]", which is given nothing else: is it the round's own element, into which the store is, too? */
static bool is_the_element(struct body *body, const struct loop_use *store, const struct loop_use *read)
{
    const struct loop_uses *uses = body->uses;
    const struct word name = owner_of(read);
    size_t views = 0, given = 0;
    for (size_t i = 0; i < uses->view_count; i++) {
        const struct loop_view *view = &uses->views[i];
        if (!word_equal(view->name, name))
            continue;
        if (!word_equal(view->array, store->name) || !word_equal(view->index, store->index))
            return false;
        views++;
    }
    for (size_t i = 0; i < uses->count; i++) {
        const struct loop_use *use = &uses->uses[i];
        bool is_given = use->stored && !use->added && !use->within && use->index.length_bytes == 0;
        given += is_given && word_equal(use->name, name);
    }
    return views > 0 && views == given && is_own_element(body->loop, store) && is_given_first(body, name, read);
}

/* "x[t, n]", "x[t + 1, n]", where the loop counts by n: each round has elements of its own, be they others than that. */
static bool are_of_one_round(const struct loop_text *loop, struct word index, struct word other)
{
    struct word items[WORDS_MAX], others[WORDS_MAX];
    size_t count = word_split(index, ',', items, WORDS_MAX), other_count = word_split(other, ',', others, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && count == other_count && i < count; i++)
        if (word_equal(items[i], others[i]) && word_equal(word_name_at(items[i].text, word_end(items[i])), items[i]) &&
            words_hold(&loop->indices, items[i]))
            return true;
    return false;
}

/* Does `read` take what `store` leaves for a later round? */
static bool reads_earlier(struct body *body, const struct loop_use *store, const struct loop_use *read)
{
    const bool is_element = store->index.length_bytes > 0;
    const struct word memory = memory_of(store->name);
    if (!word_is_part_of(read->name, memory)) {
        if (is_element)
            return !asks_size(read->name) && aliases_share(body->aliases, store->name, owner_of(read)) &&
                   !is_the_element(body, store, read);
        bool is_other =
            is_attribute_of_alias(body->aliases, store->name, read->name) || is_property(body, store->name, read);
        return is_other || (word_is_part_of(memory, read->name) && /* "f(s)", and "s.x = ..." */
                            !is_given_first(body, store->name, read));
    }
    if (is_element) /* y[i] = f(y[i]) is one element's own */
        return !are_of_one_round(body->loop, store->index, read->index) &&
               (!word_equal(store->index, read->index) || !is_own_element(body->loop, store));
    return !is_given_first(body, store->name, read);
}

/*
 * Of one element, or name, that all rounds store into: are those no sums alone, whose order does not matter? "s *= 0.9" and "s += x[i]" are
 * not, where the round has not given it anew.
 */
static bool mixes(struct body *body, const struct loop_use *store, const struct loop_use *other)
{
    if (!store->added || (store->summed && other->summed) || !word_is_part_of(other->name, store->name))
        return false;
    if (store->index.length_bytes > 0)
        return !is_own_element(body->loop, store);
    return store != other && other->index.length_bytes == 0 && !is_given_first(body, store->name, store);
}

static bool reads_what_was_left(const struct source *code, const struct loop_text *loop, const struct loop_uses *uses,
                                const struct aliases *aliases, struct word text)
{
    unsigned compared = 0;
    struct body body = {code, loop, uses, aliases, text, COMPARED_BYTES_MAX};
    if (uses->full || uses->acts || aliases->full)
        return true;
    for (size_t i = 0; i < uses->count; i++) {
        const struct loop_use *store = &uses->uses[i];
        if (!store->stored || words_hold(&loop->indices, store->name))
            continue;
        for (size_t j = 0; j < uses->count; j++) {
            const struct loop_use *other = &uses->uses[j];
            if (++compared > COMPARED_MAX ||
                (other->stored ? mixes(&body, store, other) : reads_earlier(&body, store, other)))
                return true;
        }
    }
    return false;
}

/* Does an index say which element by data, so that two rounds may mean the same one? */
static bool is_by_data(const struct loop_text *loop, const struct loop_uses *uses, struct word index)
{
    struct loop_uses names = {.count = 0};
    loop_uses_read(&names, index, 0, false, false);
    for (size_t i = 0; i < names.count; i++) {
        const struct loop_use *name = &names.uses[i];
        bool made = words_hold(&loop->items, name->name) || words_hold(&loop->elements, name->name);
        for (size_t j = 0; j < uses->count && !made; j++)
            made = uses->uses[j].stored && word_equal(uses->uses[j].name, name->name) &&
                   !words_hold(&loop->indices, name->name);
        if (made || name->index.length_bytes > 0 || name->called)
            return true;
    }
    return false;
}

static bool is_read(const struct loop_uses *uses, struct word name)
{
    for (size_t i = 0; i < uses->count; i++)
        if (!uses->uses[i].stored && word_is_part_of(uses->uses[i].name, name))
            return true;
    return false;
}

void loop_carried_read_scattered(struct loop_text *loop, const struct loop_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        const struct loop_use *store = &uses->uses[i];
        if (!store->stored || store->index.length_bytes == 0 || !is_by_data(loop, uses, store->index))
            continue;
        bool taken = is_read(uses, store->name);
        loop->scattered = loop->scattered || (store->summed && !taken);
        loop->carried = loop->carried || taken || (store->added && !store->summed);
    }
}

/* "h, h[1:]", "h, later": is one a view of the other? */
static bool zips_one(const struct aliases *aliases, struct word arguments)
{
    struct word items[WORDS_MAX];
    size_t count = word_split(arguments, ',', items, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (aliases_share(aliases, word_name_at(items[i].text, word_end(items[i])),
                              word_name_at(items[k].text, word_end(items[k]))))
                return true;
    return count == SIZE_MAX;
}

/* Does the header go through one array twice at once, as far as is known: "zip(h, h[1:])", "enumerate(zip(h, later))", "pairwise(h)"? */
static bool may_overlap(const struct loop_text *loop, const struct aliases *aliases)
{
    const char *end = word_end(loop->iterable);
    struct word name = word_name_at(loop->iterable.text, end);
    bool enumerates = word_is(name, "enumerate"), is_call = word_end(name) < end && *word_end(name) == '(';
    if (enumerates && is_call) {
        const char *inner = word_skip_blanks(word_end(name) + 1, end);
        name = word_name_at(inner, end);
        is_call = word_end(name) < end && *word_end(name) == '(';
    }
    if (name.length_bytes == 0 || !is_call)
        return false;
    return word_is(name, "zip") ? zips_one(aliases, word_in_bracket(word_end(name), end)) : loop->items.count >= 2;
}

/* "for a, b in zip(h, h[1:]): b[:] = f(a)": an item that is stored into, of an array that is gone through twice. */
static bool stores_into_overlap(const struct loop_text *loop, const struct loop_uses *uses,
                                const struct aliases *aliases)
{
    bool overlaps = may_overlap(loop, aliases);
    for (size_t i = 0; overlaps && i < uses->count; i++)
        if (uses->uses[i].stored && words_hold(&loop->items, uses->uses[i].name))
            return true;
    return false;
}

/* Is it, by whatever name, what the header goes through? */
static bool is_walked(const struct loop_text *loop, const struct aliases *aliases, struct word name)
{
    struct loop_uses *walked = memory_zeroed(1, sizeof(*walked));
    bool is_it = false;
    loop_uses_read(walked, loop->iterable, 0, false, false);
    for (size_t i = 0; i < walked->count && !is_it; i++)
        is_it = !walked->uses[i].called &&
                (word_is_part_of(name, walked->uses[i].name) || aliases_share(aliases, name, walked->uses[i].name));
    free(walked);
    return is_it;
}

/* "for i, row in enumerate(y): row += y[i - 1]": an item is stored into, and what it is an item of is asked for by an index. */
static bool stores_into_items_of_read(const struct loop_text *loop, const struct loop_uses *uses,
                                      const struct aliases *aliases)
{
    bool stores = false, reads = false;
    for (size_t i = 0; i < uses->count && !stores; i++) {
        const struct loop_use *use = &uses->uses[i];
        stores = use->stored && words_hold(&loop->items, use->name) &&
                 (use->added || use->within || use->index.length_bytes > 0);
    }
    for (size_t i = 0; stores && i < uses->count && !reads; i++)
        reads = uses->uses[i].index.length_bytes > 0 && is_walked(loop, aliases, uses->uses[i].name);
    return reads;
}

/* "for i, x in enumerate(xs): xs[i] = f(x)": a round stores into the element that it has taken. */
static bool is_taken_element(const struct loop_text *loop, const struct loop_use *store, const struct loop_use *walked)
{
    struct word items[WORDS_MAX];
    size_t count = word_split(store->index, ',', items, WORDS_MAX);
    return loop->walks_whole && word_equal(store->name, walked->name) && count > 0 && count != SIZE_MAX &&
           words_hold(&loop->indices, items[0]) &&
           word_equal(word_name_at(items[0].text, word_end(items[0])), items[0]);
}

/* "for i, x in enumerate(xs[:-1]): xs[i + 1] += x": what is gone through is stored into, so that a later round takes it. */
static bool stores_into_walked(const struct loop_text *loop, const struct loop_uses *uses,
                               const struct aliases *aliases)
{
    struct loop_uses *walked = memory_zeroed(1, sizeof(*walked));
    bool stores = false;
    loop_uses_read(walked, loop->iterable, 0, false, false);
    for (size_t i = 0; i < walked->count && !stores; i++) {
        const struct loop_use *of = &walked->uses[i];
        bool is_counted = of->name.text - loop->iterable.text >= 4 && memcmp(of->name.text - 4, "len(", 4) == 0;
        for (size_t k = 0; !of->called && !is_counted && !asks_size(of->name) && k < uses->count && !stores; k++) {
            const struct loop_use *store = &uses->uses[k];
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
    if (word_split(item, ':', &whole, 1) == 1 || single_row_is_slice(loop, item))
        return false;
    struct loop_uses names = {.count = 0};
    loop_uses_read(&names, item, 0, false, false);
    for (size_t i = 0; i < names.count; i++)
        if (names.uses[i].index.length_bytes > 0 || words_hold(&loop->indices, names.uses[i].name))
            return true;
    return false;
}

/* "np.flatnonzero(x[i])", "x[y[i] > 0]": as long as data say. */
static bool selects(const struct loop_use *use)
{
    static const char *const functions[] = {"flatnonzero", "nonzero",   "argwhere", "unique",
                                            "intersect1d", "setdiff1d", "compress", "masked_select"};
    const struct word index = use->index;
    if (use->called && WORD_IS_ONE_OF(word_last_part(use->name), functions))
        return true;
    for (const char *at = index.text; index.length_bytes > 0 && at < word_end(index); at++)
        if (*at == '<' || *at == '>' || (*at == '=' && at[1] == '='))
            return true;
    return false;
}

bool loop_carried_has_pieces(const struct loop_text *loop, const struct loop_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        struct word items[WORDS_MAX];
        size_t count = word_split(uses->uses[i].index, ',', items, WORDS_MAX);
        if (count == SIZE_MAX || selects(&uses->uses[i]))
            return true;
        for (size_t k = 0; k < count; k++)
            if (is_piece(loop, items[k]))
                return true;
    }
    return false;
}

bool loop_carried_any(const struct source *code, const struct loop_text *loop, const struct loop_uses *uses,
                      const struct aliases *aliases, struct word body)
{
    return reads_what_was_left(code, loop, uses, aliases, body) || stores_into_overlap(loop, uses, aliases) ||
           stores_into_items_of_read(loop, uses, aliases) || stores_into_walked(loop, uses, aliases) ||
           loop_carried_has_pieces(loop, uses);
}
