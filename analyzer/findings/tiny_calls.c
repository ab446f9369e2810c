/*
 * Claim: a loop, or a comprehension, takes arrays apart and works on one element, or one short row, at a time, where whole arrays, or slices of
 * them, can be worked on at once.
 * Evidence: the source text of the loop, whose instructions subscript with what counts up, or name what is taken out of an
 * array; samples: these instructions are in NumPy's or PyTorch's libraries, and nearly all of the loop's time is theirs and the
 * interpreter's between them. How long the calls take is not measured one by one: the interpreter needs some 0.1 us a line,
 * so that calls are tiny where its part of the time is not. A function of the program's own that is called for each, and only
 * computes a value of it (formula.h), is the loop's own work.
 * Traps: a loop over batches or epochs (long calls: the interpreter's part is small; layers and steps are Python functions of
 * their own); a comprehension over a list of arrays (nothing is subscripted, the list is the interpreter's); recurrences, in
 * which a round reads what an earlier one stored, by that name or as a view of the same array (no slice exists); loops that end
 * early or write files; loops of a few rounds, over what is small; lists.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/finding.h"
#include "findings/sites.h"
#include "findings/walks.h"
#include "model/select.h"
#include "show/page.h"

#define KIND "tiny_calls"
#define SAMPLES_MIN 10u /* of a loop */
#define ARRAY_MIN 3u    /* of them, in the arrays' libraries */
#define OWN_SHARE 0.8   /* of the loop's time: its own instructions, not functions that it calls */
#define ELEMENT_SHARE 0.5
/*
 * The least part of the time that the interpreter has: NumPy needs 0.2 us and more for an element, 1 us for arithmetic on a short row, PyTorch
 * 2 us, and 20 us where a tensor says which (of such small calls none may give whole batches: they make objects)...
 */
#define INTERPRETER_SHARE_ARRAY 0.10
#define INTERPRETER_SHARE_SMALL_ARRAY 0.05
#define INTERPRETER_SHARE_TENSOR 0.05
#define INTERPRETER_SHARE_SMALL_TENSOR 0.01
#define SURE_Z 1.645 /* ... with 95 % certainty: what the samples of a loop of batches say by chance is less */

/* The least share that `part` of `whole` samples may stand for (Wilson's interval). */
static double least_share(uint64_t part, uint64_t whole)
{
    double n = (double)whole, share = (double)part / n, z = SURE_Z;
    return (share + z * z / (2 * n) - z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n);
}

static bool is_of_tensors(const struct walk *walk)
{
    return 2 * walk->tensor > walk->array;
}

/* All but whether it is worth telling. */
static bool is_tiny(const struct walk *walk)
{
    double own = (double)(walk->interpreter + walk->native);
    bool small = walk->objects <= walk->all;
    double of_tensor = small ? INTERPRETER_SHARE_SMALL_TENSOR : INTERPRETER_SHARE_TENSOR;
    double of_array = small ? INTERPRETER_SHARE_SMALL_ARRAY : INTERPRETER_SHARE_ARRAY;
    double least = is_of_tensors(walk) ? of_tensor : of_array;
    return !walk->text.carried && (walk->within == NULL || walk->of_both >= ARRAY_MIN) && !walk_may_remember(walk) &&
           !walk->text.few && walk->all >= SAMPLES_MIN && walk->array >= ARRAY_MIN &&
           (walk->proved > 0 || walk->header_array >= WALK_ITEMS_MIN) && own >= OWN_SHARE * (double)walk->all &&
           (double)walk->element >= ELEMENT_SHARE * (double)walk->native &&
           least_share(walk->interpreter, walk->all) >= least;
}

/* Of the line: what was spent in such a loop. The loop's finding stands where most of that is, what the line calls included. */
static void add_line(struct spot *spot)
{
    struct walk *walk = spot->walk;
    struct line *line = spot->line;
    if (line == NULL)
        return;
    line->element_samples += spot->interpreter + spot->native;
    line->element_ns += spot->ns + spot->called_ns;
    if (!spot_is_element(spot) || spot->header || spot->called ||
        (walk->line != NULL && walk->line->element_ns > line->element_ns))
        return;
    if (walk->line != line || spot->node_ns > 0) {
        walk->node = spot->node;
        walk->process = spot->process;
    }
    walk->line = line;
}

static char *percent_of(uint64_t part, uint64_t whole)
{
    return page_percent(100 * (double)part / (double)whole);
}

/* What becomes of the function that is called for each: "relu() must then take whole arrays: np.where() in place of `if`". */
static char *called_text(const struct walk *walk)
{
    bool is_lambda = walk->called != NULL && strcmp(walk->called, "<lambda>") == 0, tensors = is_of_tensors(walk);
    if (walk->called == NULL)
        return NULL;
    const char *chooses = !walk->formula.chooses ? ""
                          : tensors              ? "torch.where() in place of `if`"
                                                 : "np.where() in place of `if`";
    const char *math = !walk->formula.uses_math ? ""
                       : tensors                ? "PyTorch's functions in place of math's"
                                                : "NumPy's functions in place of math's";
    const char *colon = *chooses != '\0' || *math != '\0' ? ": " : "",
               *comma = *chooses != '\0' && *math != '\0' ? ", " : "";
    return memory_print("%s%s, which is called for each, must then take whole arrays%s%s%s%s.",
                        is_lambda ? "The lambda" : walk->called, is_lambda ? "" : "()", colon, chooses, comma, math);
}

static void say_with(struct model *model, struct finding *finding, const char *instead)
{
    char *loop = say_loop(model, finding);
    char *samples = page_count(finding->whole);
    char *calls = percent_of(finding->part, finding->whole);
    const char *lists =
        finding->in_place ? "" : "; what must stay a loop is quicker over what tolist() makes of the array once";
    finding->claim = memory_print("Works on one element or short row at a time: of %s samples in %s, %s lie in "
                                  "calls for a single one of them, and in the interpreter between these.",
                                  samples, loop, calls);
    finding->advice = memory_print("%s in place of %s%s.%s%s", instead, loop, lists, finding->called != NULL ? " " : "",
                                   finding->called != NULL ? finding->called : "");
    free(loop);
    free(samples);
    free(calls);
}

static void say(struct model *model, struct finding *finding)
{
    say_with(model, finding, "Let one call work on the whole array, or on a slice of it,");
}

/* "for n in ...: last = 0.0; for t in ...: last = x[t, n] + 0.9 * last": each t can be of all n at once. */
static void say_swapped(struct model *model, struct finding *finding)
{
    char *inner = say_place(model, finding->line->file, finding->swapped_inner),
         *outer = say_place(model, finding->line->file, finding->swapped_outer);
    say(model, finding);
    free(finding->advice);
    finding->advice =
        memory_print("A round of the loop at %s needs what those before left, one of the loop around it "
                     "at %s does not: keep the inner loop alone, and let each of its rounds work on a "
                     "whole row or column, with what it carries on in an array.%s%s",
                     inner, outer, finding->called != NULL ? " " : "", finding->called != NULL ? finding->called : "");
    free(inner);
    free(outer);
}

/* An assignment to z[where] counts an element once that comes twice. */
static void say_scattered(struct model *model, struct finding *finding)
{
    say_with(
        model, finding,
        "Let np.bincount() (of single elements), a product with a matrix that is 1 where each belongs (of rows or "
        "columns) or np.add.at() (slow before NumPy 1.25), which count an element that comes twice as the loop does "
        "(z[where] += does not), work on the whole array");
}

static void say_scattered_tensor(struct model *model, struct finding *finding)
{
    say_with(
        model, finding,
        "Let index_put_() with accumulate=True, index_add_() or torch.bincount(), which count an element that comes "
        "twice as the loop does (z[where] += does not), work on the whole tensor");
}

/* "for row in x: row += 1": lists would have the sums, and not the array. */
static bool stores_into_items(const struct loop_text *text)
{
    for (size_t i = 0; i < text->stored.count; i++)
        if (words_hold(&text->items, text->stored.words[i]))
            return true;
    return false;
}

static void set_words(struct finding *finding, const struct walk *walk)
{
    free(finding->called);
    finding->called = called_text(walk);
    finding->in_place = stores_into_items(&walk->text);
    finding->swapped_outer = walk->within != NULL ? walk->header : 0;
    finding->swapped_inner = walk->within != NULL ? walk->within->header : 0;
    finding->say = walk->within != NULL    ? say_swapped
                   : !walk->text.scattered ? say
                   : is_of_tensors(walk)   ? say_scattered_tensor
                                           : say_scattered;
}

/* What another loop on the same line claims already; NULL where none does. */
static struct finding *claimed_beside(const struct model *model, const struct walk *walk)
{
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == walk->line && strcmp(model->findings[i]->kind, KIND) == 0)
            return model->findings[i];
    return NULL;
}

static void claim_walk(struct model *model, struct walk *walk)
{
    struct finding *finding = claimed_beside(model, walk);
    double seconds = (double)walk->ns * 1e-9;
    if (finding == NULL)
        finding = finding_add(model, walk->line, KIND, "slice under-utilisation");
    if (seconds > finding->waste_s) {
        finding->process = walk->process;
        finding->node = walk->node;
        set_words(finding, walk);
    }
    finding->waste_s += seconds;
    finding->part += walk->interpreter + walk->element;
    finding->whole += walk->all;
    walk->claimed = true;
}

/* What is made again there is not to be taken apart better, but not to be made, unless that is the lesser part. */
static bool is_told_better(const struct model *model, const struct walk *walk)
{
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == walk->line && strcmp(model->findings[i]->kind, KIND) != 0 &&
            model->findings[i]->waste_s >= (double)walk->ns * 1e-9)
            return true;
    return false;
}

/* The whole loop goes, lines that only fetch an element or count included. */
static void charge_spot(const struct spot *spot)
{
    if (spot->walk == NULL || !spot->walk->claimed || spot->line == NULL)
        return;
    spot->line->taken_apart_s += (double)spot->ns * 1e-9;
    spot->line->taken_apart_at = spot->walk->line;
}

void rule_tiny_calls(struct model *model)
{
    struct walks walks;
    walks_find(&walks, model);
    for (size_t i = 0; i < walks.spot_count; i++)
        if (walks.spots[i]->walk != NULL && is_tiny(walks.spots[i]->walk))
            add_line(walks.spots[i]);
    for (size_t i = 0; i < walks.walk_count; i++)
        if (walks.walks[i]->line != NULL && !is_told_better(model, walks.walks[i]))
            claim_walk(model, walks.walks[i]);
    for (size_t i = 0; i < walks.spot_count; i++)
        charge_spot(walks.spots[i]);
    row_calls_claim(model, &walks);
    frame_rows_claim(model, &walks);
    vectorized_claim(model, &walks);
    walks_free(&walks);
}
