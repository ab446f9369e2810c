/*
 * Claim: the line puts all in order, and only a few from one end of the result are used: what finds those need not sort the rest. Likewise
 * it shuffles all, and draws a few by that.
 * Evidence: the text. The call is one of NumPy's or PyTorch's that sort, or permute, into a new object, and a slice from an end to a count
 * is all that is taken: in the same expression ("np.argsort(d)[:, :k]"), so that nothing else can see the result; or by every mention of
 * the names it is given to that may see it. That the count is small is told by the text too, or by the objects that are made of what is
 * taken (few_told.h). np.random.choice(n, k, replace=False) permutes all n by itself. The time below the call is sampled. The waste is an
 * upper bound: a partition takes a part of it.
 * Traps: the rest that is used (another slice of the name, trimmed means "[k:-k]", "[1:]"); halves and splits (a count is a number or a
 * name, no calculation); several quantiles of one result (one that is calculated is taken where the sort stands); a name for nearly all of
 * it, where also sampled stores of the sort, many of which a later call loads, unmake the claim; small results (no object, no time); names
 * of objects ("self.order"), which others may read.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/count_told.h"
#include "findings/expression.h"
#include "findings/few_told.h"
#include "findings/sites.h"
#include "model/select.h"
#include "python/words.h"
#include "show/page.h"

#define RESULTS_MIN 4u
#define LOADED_MIN 4u /* sampled stores... */
/*
 * ... one in so many of which may be loaded. Most are overwritten by the sort itself: of a result that is used as a whole one in 3 to 8
 * is loaded, beside busy processes one in 14; of one of which a few are taken one in 50 or none (NumPy's and PyTorch's sorts of 150
 * rows of 1,000).
 */
#define LOADED_OF 24u
#define WASTE_PERCENT 0.5
#define CHOSEN_FEW_BYTES 64u /* one of so many: of 8 bytes each, of an eighth a shuffle is no slower */
#define LOOKS_MAX 4000000u

/* What the site's call puts in order. */
enum whole { WHOLE_NOT, WHOLE_SORTED, WHOLE_PERMUTED, WHOLE_CHOSEN };

static enum whole whole_of(struct model *model, const struct site *site)
{
    static const char *const sorts[] = {"sort", "argsort", "msort"}, *const shuffles[] = {"permutation", "randperm"};
    uint32_t frame = callers_frame(site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    struct word name = {operation.name, operation.length_bytes};
    if (operation.kind != OPERATION_CALL)
        return WHOLE_NOT;
    if (WORD_IS_ONE_OF(word_last_part(name), sorts))
        return WHOLE_SORTED;
    return WORD_IS_ONE_OF(word_last_part(name), shuffles) ? WHOLE_PERMUTED
           : word_is(word_last_part(name), "choice")      ? WHOLE_CHOSEN
                                                          : WHOLE_NOT;
}

/* "np.random.choice(n, k, replace=False)": how many; empty for another call. A Generator's, which draws no more than these, has another name. */
static struct word chosen_count(struct model *model, struct process *process, uint32_t frame)
{
    struct word call, function, arguments, items[WORDS_MAX], count = {NULL, 0};
    bool replaces = true;
    call.text = operation_text(model, process, frame, &call.length_bytes);
    if (call.text == NULL || !word_call(call, &function, &arguments) ||
        !(word_is(function, "np.random.choice") || word_is(function, "numpy.random.choice")))
        return count;
    size_t all = word_split(arguments, ',', items, WORDS_MAX);
    for (size_t i = 0; all != SIZE_MAX && i < all; i++) {
        size_t length = 0;
        const char *sign = word_assignment(items[i], &length);
        struct word key = sign != NULL ? word_trimmed(items[i].text, sign) : (struct word){NULL, 0};
        struct word value = sign != NULL ? word_trimmed(sign + length, word_end(items[i])) : items[i];
        if (i == 1 && sign == NULL)
            count = value;
        if (word_is(key, "size"))
            count = value;
        replaces = replaces && !(word_is(key, "replace") && word_is(value, "False"));
    }
    return replaces ? (struct word){NULL, 0} : count;
}

static bool are_few_chosen(struct model *model, const struct site *site, uint32_t frame)
{
    struct word count = chosen_count(model, site->process, frame);
    uint64_t told = count.length_bytes > 0 ? count_told(model, site->process, frame, count) : COUNT_OPEN;
    return told != COUNT_OPEN && told <= site->record->size_bytes / CHOSEN_FEW_BYTES;
}

/* "5", "4000, 60", "len(x)", "x.shape[0]", "x.shape" of "n, d = x.shape": numbers, and no array that is shuffled itself. */
static bool is_of_numbers(struct word value)
{
    static const char *const facts[] = {"shape", "size"}, *const counting[] = {"len", "range"};
    struct word function, arguments, name = word_name_at(value.text, word_end(value));
    if (word_call(value, &function, &arguments))
        return WORD_IS_ONE_OF(function, counting);
    const char *at = value.text;
    if (name.length_bytes > 0 && !isdigit((unsigned char)*name.text)) {
        if (word_last_part(name).text == name.text || !WORD_IS_ONE_OF(word_last_part(name), facts))
            return false;
        at = word_end(name);
    }
    for (const char *first = at; first < word_end(value); first++)
        if (!isdigit((unsigned char)*first) && strchr("_,() []-", *first) == NULL)
            return false;
    return value.length_bytes > 0;
}

/* Does all of the file that gives it a value give it numbers? */
static bool is_number_by_name(const struct source *code, struct word name)
{
    struct word rest = {code->text, code->length_bytes}, statement, target, value;
    bool is_given = false;
    while (word_next_statement(&rest, &statement)) {
        statement = word_trimmed(statement.text, word_end(statement));
        if (word_mentions(statement, name) == 0 || !word_gives(statement, name))
            continue;
        if (!word_assigned(statement, &target, &value) || !is_of_numbers(value))
            return false;
        is_given = true;
    }
    return is_given;
}

/* "rng.permutation(n)" makes indices of 8 bytes; of an array it shuffles rows, of which nobody knows here how long they are. */
static bool is_permuted_count(struct model *model, struct process *process, uint32_t frame)
{
    const struct source *source = NULL;
    struct word call, function, arguments;
    call.text = operation_code(model, process, frame, &call.length_bytes, &source);
    if (call.text == NULL || !word_call(call, &function, &arguments))
        return false;
    arguments = word_trimmed(arguments.text, word_end(arguments));
    return word_is(word_last_part(function), "randperm") || is_of_numbers(arguments) ||
           is_number_by_name(source, arguments);
}

/* "kind='stable'": a partition does not keep the order of equal ones. */
static bool is_stable(struct model *model, struct process *process, uint32_t frame)
{
    size_t length = 0;
    const char *text = operation_text(model, process, frame, &length);
    return text == NULL || memmem(text, length, "stable", 6) != NULL || memmem(text, length, "mergesort", 9) != NULL;
}

static bool taken_of(struct model *model, struct process *process, uint32_t frame, enum whole whole,
                     struct taken *taken)
{
    if (whole == WHOLE_SORTED)
        return !is_stable(model, process, frame) && taken_of_call(model, process, frame, TAKEN_ALONG_AXIS, taken);
    return is_permuted_count(model, process, frame) && taken_of_call(model, process, frame, TAKEN_ALONG_ROWS, taken);
}

/*
 * Of the sort's sampled stores, were many loaded by the next call? What is taken is loaded at once and seen, what is not is overwritten a
 * step later, and few watches wait so long: so not of those alone whose fate is known. What the sort itself loads is no use, nor is
 * what a function of NumPy's loads that copies in one native call and sorts the copy in the next.
 */
static bool is_read(const struct site *site)
{
    uint32_t caller = callers_frame(site->process, site->record->node);
    const struct run_table *table = &site->process->run->tables[DB_KIND_PAIR];
    uint64_t loaded = 0, sampled = 0;
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(table, &cursor)) != NULL;) {
        if (record->first_access != DB_ACCESS_STORE || objects_site_of_pair(site->process, record) != site)
            continue;
        bool is_load = record->second_access == DB_ACCESS_LOAD && record->scope == DB_SCOPE_ACROSS &&
                       callers_frame(site->process, record->second_node) != caller;
        loaded += is_load ? record->count : 0;
        sampled += record->second_access == DB_ACCESS_NONE ? record->count : 0;
    }
    return loaded >= LOADED_MIN && loaded * LOADED_OF > sampled;
}

/* Of a line's places: those that carry the claim. */
struct sorted {
    const struct site *site; /* with most bytes */
    struct finding_object object;
    uint64_t results, samples;
    bool known; /* all of them were looked at */
    double waste_s;
};

static double bytes_of(const struct site *site)
{
    return (double)site_results(site) * (double)site->record->size_bytes;
}

static bool is_of_few(struct model *model, const struct site *site, uint64_t *looks)
{
    struct taken taken;
    uint32_t frame = callers_frame(site->process, site->record->node);
    enum whole whole = site_results(site) > 0 ? whole_of(model, site) : WHOLE_NOT;
    if (whole == WHOLE_CHOSEN)
        return are_few_chosen(model, site, frame);
    return whole != WHOLE_NOT && taken_of(model, site->process, frame, whole, &taken) && !is_read(site) &&
           few_is_told(model, site, frame, &taken, looks);
}

static bool add_site(struct model *model, struct sorted *sorted, const struct site *site, uint64_t *looks)
{
    if (!is_of_few(model, site, looks))
        return false;
    sorted->results += site_results(site);
    sorted->known = sorted->known && site_results_are_known(site);
    sorted->object.sizes++;
    if (sorted->site != NULL && bytes_of(sorted->site) >= bytes_of(site))
        return true;
    sorted->site = site;
    sorted->object.size_bytes = site->record->size_bytes;
    sorted->object.made = sorted->object.equal = site_results(site);
    sorted->object.examined = site->record->examined;
    sorted->object.about = !site_results_are_known(site);
    return true;
}

/* Native time below the instruction that called the sort; 0 where it was told for another size. */
static uint64_t sort_ns(struct model *model, const struct site *site)
{
    return caller_take(callers_get(model, site->process, site->record->node));
}

/* Of a call into a package, of whose time the sort may be little, only its part counts. */
static void add_place(struct model *model, struct sorted *sorted, struct place *place, uint64_t *looks)
{
    uint64_t sum = 0;
    bool any = false;
    for (const struct site *site = place->sites; site != NULL; site = site->next) {
        if (!add_site(model, sorted, site, looks))
            continue;
        any = true;
        sum += sort_ns(model, site);
    }
    double part = place->native_ns > 0 ? (double)sum / (double)place->native_ns : 1;
    if (any) {
        sorted->waste_s += (double)place->ns * 1e-9 * part;
        sorted->samples += (uint64_t)((double)place->samples * part);
    }
}

static bool is_worth_it(const struct model *model, const struct sorted *sorted)
{
    double least = sorted->samples > 0 ? fmax(0, 1 - 2 / sqrt((double)sorted->samples)) : 0;
    return sorted->results >= RESULTS_MIN && model_percent(model, sorted->waste_s * least) >= WASTE_PERCENT;
}

/* Of one element, or of a few: "[-1]", "[:5]". Fresh memory. */
static char *say_sorted(struct word slice, const char *printable)
{
    bool is_element = memchr(slice.text, ':', slice.length_bytes) == NULL;
    char *rows = slice.length_bytes > 0 && memchr(slice.text, ',', slice.length_bytes) == NULL
                     ? memory_print(" If the array has more than one dimension, %s takes %s.", printable,
                                    is_element ? "a whole row: sort it alone" : "whole rows: sort these alone")
                     : memory_print("%s", "");
    char *text = memory_print(
        "%s%s",
        is_element ? "What finds one need not sort the rest: at an end min(), max(), argmin() and argmax(), "
                     "elsewhere kthvalue() of PyTorch, partition() and argpartition() of NumPy. Of equal ones, and "
                     "of NaN, they may take others."
                   : "What finds a few need not sort the rest: topk() of PyTorch, argpartition() or "
                     "partition() of NumPy; sort what they give where its order matters. Of equal ones "
                     "they may take others, and of rows of less than some hundred elements NumPy's are no "
                     "quicker.",
        rows);
    free(rows);
    return text;
}

static char *say_shuffled(void)
{
    return memory_print("Draw no more than these: choice(n, k, replace=False) of a Generator of NumPy's "
                        "(np.random.default_rng()) touches no others; torch.randint(n, (k,)) is PyTorch's, where one "
                        "may come twice. Other ones are drawn than now.");
}

static void say(struct model *model, struct finding *finding)
{
    struct taken taken = {.count = 0};
    const struct site *site = finding->second;
    uint32_t frame = callers_frame(site->process, site->record->node);
    enum whole whole = whole_of(model, site);
    bool told = whole != WHOLE_CHOSEN && taken_of(model, site->process, frame, whole, &taken);
    char *made = say_made(&finding->object, whole == WHOLE_SORTED ? "sorting" : "shuffling all"),
         *others = say_others(&finding->object);
    struct word last = told                    ? taken.uses[taken.count - 1].slice
                       : whole == WHOLE_CHOSEN ? chosen_count(model, site->process, frame)
                                               : (struct word){"few", 0};
    char *slice = last.length_bytes > 0 ? text_printable(last.text, last.length_bytes) : memory_print("few");
    finding->claim = memory_print("%s%s, and of each only %s is taken.", made, others, slice);
    finding->advice = whole == WHOLE_SORTED ? say_sorted(last, slice) : say_shuffled();
    free(made);
    free(others);
    free(slice);
}

/* What other findings leave of the line's time: they are of other ways to it, or other parts. */
static double time_left(const struct model *model, const struct line *line)
{
    double left_s = (double)times_total(&line->times) * 1e-9;
    for (size_t i = 0; line->found && i < model->finding_count; i++)
        left_s -= model->findings[i]->line == line ? model->findings[i]->waste_s : 0;
    return fmax(left_s, 0);
}

static void claim_line(struct model *model, struct line *line, const struct sorted *sorted)
{
    struct finding *finding = finding_add(model, line, "dead_store", FINDING_SORTED);
    finding->waste_s = sorted->waste_s;
    finding->span = sorted->site->place->span;
    finding->part = finding->whole = sorted->results;
    finding->exact = sorted->known;
    finding->first = finding->second = sorted->site;
    finding->object = sorted->object;
    finding->say = say;
}

void rule_sorted(struct model *model)
{
    uint64_t looks = LOOKS_MAX;
    for (size_t i = 0; i < model->line_total; i++) {
        struct line *line = model->lines[i];
        struct sorted sorted = {.known = true};
        double line_s = (double)times_total(&line->times) * 1e-9;
        if (model_percent(model, line_s) < WASTE_PERCENT)
            continue;
        for (struct place *place = line->places; place != NULL; place = place->next)
            if (!place->claimed)
                add_place(model, &sorted, place, &looks);
        sorted.waste_s = fmin(sorted.waste_s, time_left(model, line));
        if (sorted.site != NULL && is_worth_it(model, &sorted))
            claim_line(model, line, &sorted);
    }
}
