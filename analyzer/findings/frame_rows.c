#include "findings/frame_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "findings/sites.h"
#include "findings/walks.h"
#include "show/page.h"

#define KIND "tiny_calls"
#define SAMPLES_MIN 10u
#define ROW_BY_ROW "Goes through a data frame row by row"
#define STORE_ADVICE "Keep the values in a list or an array, and make that a column once, behind the loop."

enum frame_act frame_act_of(const struct code *code)
{
    static const struct {
        const char *file, *function;
        enum frame_act act;
    } acts[] = {{"/pandas/core/frame.py", "iterrows", FRAME_ITERATES},
                {"/pandas/core/frame.py", "apply", FRAME_APPLIES},
                {"/pandas/core/indexing.py", "__getitem__", FRAME_TAKES},
                {"/pandas/core/indexing.py", "__setitem__", FRAME_STORES},
                {"/pandas/core/series.py", "__getitem__", FRAME_SERIES},
                {"/pandas/core/generic.py", "__getattr__", FRAME_SERIES},
                {"/pandas/core/generic.py", "get", FRAME_SERIES},
                {"/pandas/core/base.py", "__iter__", FRAME_SERIES},
                {"/pandas/core/reshape/concat.py", "concat", FRAME_JOINS}};
    const struct word function = word_last_part((struct word){code->function, strlen(code->function)});
    for (size_t i = 0; code->owner == OWNER_FOUNDATION && i < sizeof(acts) / sizeof(acts[0]); i++)
        if (word_is(function, acts[i].function) && strstr(code->file, acts[i].file) != NULL)
            return acts[i].act;
    return FRAME_OTHER;
}

/* "x[i]", "x.loc[i, 'a']": what stands in the brackets that it ends with; empty: it ends otherwise. */
static struct word index_of(struct word text)
{
    const char *end = word_end(text);
    for (const char *at = text.text; at < end;) {
        const char *behind = word_skip_quiet(at, end);
        if (behind > at || (*at != '[' && *at != '(' && *at != '{')) {
            at = behind > at ? behind : at + 1;
            continue;
        }
        struct word inner = word_in_bracket(at, end);
        if (*at == '[' && word_end(inner) + 1 == end)
            return inner;
        at = word_end(inner) < end ? word_end(inner) + 1 : end;
    }
    return (struct word){text.text, 0};
}

/* A label that the loop takes: what it counts, or of "for i in df.index"; what a function was handed is one. */
static bool is_label(const struct loop_text *loop, bool is_function, struct word item)
{
    struct word name = word_name_at(item.text, word_end(item));
    bool takes_labels = word_is(word_last_part(word_name_at(loop->iterable.text, word_end(loop->iterable))), "index");
    if (name.length_bytes == 0 || memchr(item.text, ':', item.length_bytes) != NULL)
        return false;
    bool is_plain = word_equal(name, item) || strchr("+-", *word_skip_blanks(word_end(name), word_end(item))) != NULL;
    return is_plain &&
           (words_hold(&loop->indices, name) || ((takes_labels || is_function) && words_hold(&loop->items, name)));
}

static bool is_of_label(const struct loop_text *loop, bool is_function, struct word text)
{
    struct word items[WORDS_MAX], index = index_of(word_trimmed(text.text, word_end(text)));
    size_t count = word_split(index, ',', items, WORDS_MAX);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (is_label(loop, is_function, items[i]))
            return true;
    return false;
}

static bool iterates(const struct loop_text *loop, const char *method)
{
    return memmem(loop->iterable.text, loop->iterable.length_bytes, method, strlen(method)) != NULL;
}

bool frame_gives_rows(const struct loop_text *loop)
{
    return iterates(loop, ".itertuples(") || iterates(loop, ".iterrows(");
}

/* "row['a']" of "for i, row in df.iterrows()" */
static bool is_of_iterrows(const struct loop_text *loop, struct word text)
{
    return iterates(loop, "iterrows") && words_hold(&loop->items, word_name_at(text.text, word_end(text)));
}

/* "df.loc[len(df)] = row" */
static bool adds_row(struct word text)
{
    static const char length[] = "len(";
    struct word index = index_of(word_trimmed(text.text, word_end(text)));
    return index.length_bytes >= sizeof(length) - 1 && memcmp(index.text, length, sizeof(length) - 1) == 0;
}

bool frame_act_is_of_row(enum frame_act act, struct word text, struct word target, const struct loop_text *loop,
                         enum frame_place place)
{
    if (act == FRAME_APPLIES)
        return memmem(text.text, text.length_bytes, "axis=1", 6) != NULL ||
               memmem(text.text, text.length_bytes, "axis=\"columns\"", 14) != NULL ||
               memmem(text.text, text.length_bytes, "axis='columns'", 14) != NULL;
    if (loop == NULL || act == FRAME_OTHER)
        return false;
    if (act == FRAME_ITERATES || place == FRAME_IN_HEADER)
        return act == FRAME_ITERATES && place == FRAME_IN_HEADER;
    if (act == FRAME_JOINS)
        return place == FRAME_IN_BODY && target.length_bytes > 0 && word_mentions(text, target) > 0;
    if (act == FRAME_STORES && adds_row(text))
        return true;
    return (act == FRAME_SERIES && is_of_iterrows(loop, text)) || is_of_label(loop, place == FRAME_IN_ITEM, text);
}

static const char *function_of(enum frame_act act)
{
    switch (act) {
    case FRAME_ITERATES:
        return "below iterrows(), which makes a Series of each row";
    case FRAME_APPLIES:
        return "in making a Series of each row, and in taking it apart";
    case FRAME_STORES:
        return "in stores of one row or cell each";
    case FRAME_JOINS:
        return "below pd.concat(), which copies all that it has so far";
    default:
        return "in subscripts that take one row or cell each";
    }
}

static const char *advice_of(enum frame_act act, bool is_item)
{
    if (is_item)
        return "Take the columns out once, where the data set is made (df[\"a\"].to_numpy(), or torch.tensor() of "
               "that), "
               "and index these here.";
    switch (act) {
    case FRAME_ITERATES:
        return "Let one call work on whole columns; what must stay a loop is quicker over zip(df[\"a\"], df[\"b\"]) or "
               "df.itertuples().";
    case FRAME_APPLIES:
        return "Let one call work on whole columns (np.where() in place of `if`); what must stay Python is quicker as "
               "a comprehension over zip(df[\"a\"], df[\"b\"]).";
    case FRAME_STORES:
        return STORE_ADVICE;
    case FRAME_JOINS:
        return "Append the parts to a list, and join them once behind the loop; of rows, make a list of dictionaries a "
               "data frame there.";
    default:
        return "Let one call work on whole columns; what must stay a loop is quicker over what df[\"a\"].tolist() or "
               ".to_numpy() makes of each column once, before it.";
    }
}

static void say_in(struct finding *finding, const char *done, const char *where)
{
    char *samples = page_count(finding->whole);
    char *part = page_percent(100 * (double)finding->part / (double)finding->whole);
    finding->claim = memory_print("%s: of %s samples %s, %s lie %s.", done, samples, where, part, finding->called);
    finding->advice = memory_print("%s", finding->instead);
    free(samples);
    free(part);
}

static void say_call(struct model *model, struct finding *finding)
{
    (void)model;
    say_in(finding, ROW_BY_ROW, "below this call");
}

static void say_item(struct model *model, struct finding *finding)
{
    char *samples = page_count(finding->part);
    (void)model;
    finding->claim = memory_print("Takes one row or cell out of a data frame for each item: %s samples lie in that, "
                                  "which makes a Series, or looks the labels up anew.",
                                  samples);
    finding->advice = memory_print("%s", finding->instead);
    free(samples);
}

static void say_loop_of(struct model *model, struct finding *finding, const char *done)
{
    char *loop = say_loop(model, finding), *where = memory_print("in %s", loop);
    say_in(finding, done, where);
    free(loop);
    free(where);
}

static void say(struct model *model, struct finding *finding)
{
    say_loop_of(model, finding, ROW_BY_ROW);
}

static void say_joined(struct model *model, struct finding *finding)
{
    say_loop_of(model, finding, "Makes a data frame anew, to add a little to it");
}

static bool is_beside(const struct spot *spot, const struct spot *other)
{
    return spot == other || (spot->walk != NULL && spot->walk == other->walk);
}

/* The heaviest of what one loop does with data frames, and how many samples lie in all that. */
static const struct spot *heaviest_beside(const struct walks *walks, const struct spot *spot, uint64_t *samples)
{
    const struct spot *heaviest = spot;
    *samples = 0;
    for (size_t i = 0; i < walks->spot_count; i++) {
        const struct spot *other = walks->spots[i];
        if (!is_beside(spot, other))
            continue;
        *samples += other->rows.below.samples;
        heaviest = other->rows.below.ns > heaviest->rows.below.ns ? other : heaviest;
    }
    return heaviest;
}

/* The heaviest of those beside it that store, or that do not; NULL: there are none. */
static const struct spot *heaviest_of(const struct walks *walks, const struct spot *spot, bool stores)
{
    const struct spot *heaviest = NULL;
    for (size_t i = 0; i < walks->spot_count; i++) {
        const struct spot *other = walks->spots[i];
        if (is_beside(spot, other) && other->rows.below.samples > 0 && (other->rows.act == FRAME_STORES) == stores &&
            (heaviest == NULL || other->rows.below.ns > heaviest->rows.below.ns))
            heaviest = other;
    }
    return heaviest;
}

/* What a loop stores into a column it may take out of it later: of one that does both, both is told, whichever is heavier. */
static char *instead_of(const struct walks *walks, const struct spot *heaviest, bool is_item)
{
    const struct spot *other = heaviest_of(walks, heaviest, false);
    bool stores = heaviest_of(walks, heaviest, true) != NULL;
    return memory_print("%s%s", advice_of(other != NULL ? other->rows.act : FRAME_STORES, is_item),
                        other != NULL && stores ? " Of what it stores: " STORE_ADVICE : "");
}

static void charge(const struct walks *walks, const struct spot *heaviest, struct finding *finding)
{
    double own_s = 0;
    for (size_t i = 0; i < walks->spot_count; i++) {
        struct spot *spot = walks->spots[i];
        if (!is_beside(heaviest, spot))
            continue;
        finding->waste_s += (double)spot->rows.below.ns * 1e-9;
        own_s += below_charge(&spot->rows.below, finding->line);
        spot->rows.is_told = true;
    }
    finding->beside_s = finding->waste_s - own_s;
}

static void claim(struct model *model, const struct walks *walks, const struct spot *spot)
{
    uint64_t samples = 0;
    const struct spot *heaviest = heaviest_beside(walks, spot, &samples);
    const struct frame_rows *rows = &heaviest->rows;
    struct line *line = samples >= SAMPLES_MIN ? lines_get(model, rows->below.process, rows->below.frame) : NULL;
    if (line == NULL || finding_is_told_better(model, line, (double)rows->below.ns * 1e-9))
        return;
    bool joins = rows->act == FRAME_JOINS;
    struct finding *finding =
        finding_add(model, line, joins ? "churn" : KIND, joins ? "API misuse" : "slice under-utilisation");
    finding->process = rows->below.process;
    finding->node = rows->below.frame;
    finding->called = memory_print("%s", function_of(rows->act));
    bool is_item = heaviest->walk == NULL && rows->act != FRAME_APPLIES;
    finding->instead = instead_of(walks, heaviest, is_item);
    finding->part = samples;
    finding->whole = rows->act == FRAME_APPLIES || heaviest->walk == NULL ? rows->all : heaviest->walk->all;
    finding->say = joins ? say_joined : is_item ? say_item : rows->act == FRAME_APPLIES ? say_call : say;
    charge(walks, heaviest, finding);
}

void frame_rows_claim(struct model *model, const struct walks *walks)
{
    for (size_t i = 0; i < walks->spot_count; i++)
        if (walks->spots[i]->rows.below.samples > 0 && !walks->spots[i]->rows.is_told)
            claim(model, walks, walks->spots[i]);
}
