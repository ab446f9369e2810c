/*
 * Claim: the line sorts, and only a few from one end of the result are used: what finds those need not sort the rest.
 * Evidence: the text. The call is one of NumPy's or PyTorch's that sort into a new object, and a slice from an end to a count is all that
 * is taken: in the same expression ("np.argsort(d)[:, :k]"), so that nothing else can see the result; or by every mention of
 * the names it is given to that may see it. That the count is small is told by the text too, or by the objects that are made of what is
 * taken (few_told.h). The time below the call is sampled. The waste is an upper bound: a partition takes a part of it.
 * Traps: the rest that is used (another slice of the name, trimmed means "[k:-k]", "[1:]"); halves and splits (a count is a number or a
 * name, no calculation); several quantiles of one result (one that is calculated is taken where the sort stands); a name for nearly all of it, where also sampled stores of the sort, many of which a
 * later call loads, unmake the claim; small results (no object, no time); names of objects ("self.order"), which others may read.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/expression.h"
#include "findings/few_told.h"
#include "findings/sites.h"
#include "model/select.h"
#include "model/source.h"
#include "python/code_facts.h"
#include "python/fresh.h"
#include "python/name_uses.h"
#include "python/part_taken.h"
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
#define LOOKS_MAX 4000000u

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static bool is_sort(struct model *model, const struct site *site)
{
    static const char *const names[] = {"sort", "argsort", "msort"};
    uint32_t frame = callers_frame(model, site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(names) / sizeof(names[0]); i++)
        if (operation_is_named(&operation, names[i]))
            return true;
    return false;
}

/* Is nothing there but what gives all of it: "[::-1]", ".values"? "[0]" may be a row. */
static bool is_all(const char *from, const char *to)
{
    static const char *const all[] = {"[::-1]", "[:, ::-1]", ".values", ".indices", " "};
    while (from < to) {
        size_t length = 0;
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && length == 0; i++)
            length = strncmp(from, all[i], strlen(all[i])) == 0 ? strlen(all[i]) : 0;
        if (length == 0)
            return false;
        from += length;
    }
    return true;
}

/* "int(order[0])", "float(values[0])": a number, and no row. */
static bool is_made_number(const char *from, const char *text)
{
    static const char *const calls[] = {"int(", "float("};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        size_t length = strlen(calls[i]);
        if ((size_t)(from - text) > length && memcmp(from - length, calls[i], length) == 0 &&
            !word_char(from[-(ptrdiff_t)length - 1]))
            return true;
    }
    return false;
}

/* Adds what begins at `from` and is sliced `behind` it; false where it is no slice that may be few, or there is no room. */
static bool add_use(struct taken *taken, const char *from, const char *behind, bool once)
{
    const char *slice, *end, *rest, *last = NULL;
    bool is_flat = taken->of == PART_OF_ARRAY && is_made_number(from, taken->text);
    enum part_of of = is_flat ? PART_OF_FLAT : taken->of;
    if (taken->count == TAKEN_MAX)
        return false;
    enum part part = part_taken(behind, of, &slice, &end);
    if (part != PART_FEW && !(part == PART_ONE && once))
        return false;
    bool goes_on = part_taken(end, PART_OF_ARRAY, &rest, &last) == PART_ALL && is_all(end, last);
    taken->uses[taken->count++] = (struct taken_use){.whole = {from, (size_t)((goes_on ? last : end) - from)},
                                                     .slice = {slice, (size_t)(end - slice)},
                                                     .of_all = is_all(behind, slice)};
    return true;
}

/* Of a result's name: is a few what may be taken of it? */
static bool gives_few(const char *at, void *state)
{
    return add_use(state, at, word_end(word_name_at(at, at + strlen(at))), false);
}

static bool is_axis(struct word text, long *axis)
{
    char number[4] = {0};
    if (text.length_bytes == 0 || text.length_bytes >= sizeof(number))
        return false;
    memcpy(number, text.text, text.length_bytes);
    char *end = NULL;
    *axis = strtol(number, &end, 10);
    return *end == '\0' && end != number;
}

/* "np.sort(x, 1)" takes what it sorts first, and the axis behind; "x.sort(1)", whose arguments begin at `open`, the axis. */
static size_t place_of_axis(struct word call, const char *open)
{
    struct word function = word_name_at(call.text, word_end(call));
    return word_end(function) == open && fresh_is_module(function) ? 1 : 0;
}

/* "np.sort(x, axis=1)", "x.sort(1)": the number that is told; the last axis else. False: it is told by a name. */
static bool axis_of(struct word call, long *axis, bool *told)
{
    struct word items[WORDS_MAX];
    const char *open = memchr(call.text, '(', call.length_bytes), *end = call.text + call.length_bytes;
    while (open != NULL && word_in_bracket(open, end).text + word_in_bracket(open, end).length_bytes + 1 < end)
        open = memchr(open + 1, '(', (size_t)(end - open - 1)); /* of the last call */
    size_t count = open != NULL ? word_split(word_in_bracket(open, end), ',', items, WORDS_MAX) : 0;
    long found;
    *axis = -1;
    *told = false;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        size_t length = 0;
        const char *sign = word_assignment(items[i], &length);
        struct word value = items[i], key = {items[i].text, 0};
        if (sign != NULL) {
            key = word_trimmed(items[i].text, sign);
            value = word_trimmed(sign + length, items[i].text + items[i].length_bytes);
        }
        bool named = word_is(key, "axis") || word_is(key, "dim");
        if ((named || (sign == NULL && i < 2)) && is_axis(value, &found)) {
            *axis = found;
            *told = true;
        } else if ((named || (sign == NULL && i == place_of_axis(call, open))) && !word_is(value, "None")) {
            return false;
        }
    }
    return count != SIZE_MAX;
}

/* "np.sort(x.ravel())" */
static bool is_flat(struct word call)
{
    static const char *const flat[] = {".ravel()", ".flatten()", ".reshape(-1)"};
    for (size_t i = 0; i < sizeof(flat) / sizeof(flat[0]); i++)
        if (memmem(call.text, call.length_bytes, flat[i], strlen(flat[i])) != NULL)
            return true;
    return false;
}

/*
 * Counted from the last axis: is the one that is sliced it? The result may have more than the subscript has items. Where somebody says
 * "axis=-1" it has, and so it may for NumPy's functions and "[:, :k]".
 */
static bool is_axis_open(struct word call, long axis, bool told, const struct part_slice *read)
{
    struct word function = word_name_at(call.text, word_end(call));
    bool is_numpys = word_is_part_of(function, (struct word){"np", 2}) ||
                     word_is_part_of(function, (struct word){"numpy", strlen("numpy")});
    return axis < 0 && (told || (is_numpys && read->items > 1)) && !is_flat(call);
}

/* Are the few taken along the axis that was sorted? Rows of a batch whose columns are sorted are whole. */
static bool is_along_axis(struct word call, struct taken *taken)
{
    bool told = false;
    long axis = -1;
    if (!axis_of(call, &axis, &told))
        return false;
    for (size_t i = 0; i < taken->count; i++) {
        struct part_slice read;
        struct word slice = taken->uses[i].slice;
        if (!part_slice_read(slice.text, word_end(slice), &read))
            return false;
        bool has_dots = memmem(slice.text, slice.length_bytes, "...", 3) != NULL;
        long place = axis >= 0 ? axis : (long)read.items + axis;
        if (has_dots ? axis == 0 || axis < -1 : place != (long)read.place)
            return false;
        if (!has_dots && told && axis < 0 && read.items == 1 && !is_flat(call))
            return false; /* rows of what is sorted along them */
        taken->is_open = taken->is_open || (!has_dots && is_axis_open(call, axis, told, &read));
        taken->uses[i].of_all = taken->uses[i].of_all && (!told || is_flat(call)); /* there are further axes, perhaps */
    }
    return taken->count > 0;
}

/* "kind='stable'": a partition does not keep the order of equal ones. */
static bool is_stable(struct model *model, struct process *process, uint32_t frame)
{
    size_t length = 0;
    const char *text = operation_text(model, process, frame, &length);
    return text == NULL || memmem(text, length, "stable", 6) != NULL || memmem(text, length, "mergesort", 9) != NULL;
}

/* Of "order = np.argsort(d)" and "values, order = torch.sort(d)": the statement from `line` to the call at `call`. */
static bool names_give_few(struct model *model, const struct code *code, const struct line_span *span, const char *line,
                           const char *call, struct taken *taken)
{
    const struct source *source = source_code(model, code->file);
    if (taken->of == PART_OF_TUPLE && memchr(line, ',', (size_t)(call - line)) != NULL)
        taken->of = PART_OF_ARRAY;
    for (const char *at = skip_blanks(line);; at = skip_blanks(at + 1)) {
        struct word name = {at, 0};
        while (word_char(at[name.length_bytes]))
            name.length_bytes++;
        if (name.length_bytes == 0 || isdigit((unsigned char)*at) ||
            !name_uses_visit(source, span->line, span->end_line, name, gives_few, taken) ||
            code_is_in_strings(source_get(model, code->file), source, name))
            return false;
        at = skip_blanks(at + name.length_bytes);
        if (*at == '=')
            return skip_blanks(at + 1) == call && taken->count > 0;
        if (*at != ',')
            return false;
    }
}

/* "x.sort()" and "torch.sort(x)" give the values and their order; what NumPy's functions and argsort() give is an array. */
static enum part_of gives_of(struct word call)
{
    struct word function, arguments;
    bool is_known = word_call(call, &function, &arguments);
    struct word module = word_first_part(function);
    bool is_array = word_is(module, "np") || word_is(module, "numpy") || word_is(word_last_part(function), "argsort");
    return !is_known || !is_array ? PART_OF_TUPLE : is_flat(call) ? PART_OF_FLAT : PART_OF_ARRAY;
}

/* What is taken of what the Python frame's call gives; false where it may be more than a few. */
static bool takes_few(struct model *model, struct process *process, uint32_t frame, struct taken *taken)
{
    struct code *code = NULL;
    size_t length = 0, last_length = 0;
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    if (record == NULL || record->frame != DB_FRAME_PYTHON)
        return false;
    struct line_span span = model_position(model, process, record, &code);
    if (code == NULL || span.column < 0 || span.end_column < 0)
        return false;
    const struct source *source = source_code(model, code->file);
    const char *first = source_line(source, span.line, &length),
               *last = source_line(source, span.end_line, &last_length), *slice, *end;
    if (first == NULL || last == NULL || (size_t)span.column > length || (size_t)span.end_column > last_length ||
        is_stable(model, process, frame))
        return false;
    struct word call = {first + span.column, (size_t)(last + span.end_column - first) - (size_t)span.column};
    *taken = (struct taken){.text = source->text, .of = gives_of(call)};
    switch (part_taken(word_end(call), taken->of, &slice, &end)) {
    case PART_FEW:
    case PART_ONE:
        return add_use(taken, call.text, word_end(call), true) && is_along_axis(call, taken);
    case PART_ALL:
        taken->of = end > word_end(call) && taken->of == PART_OF_TUPLE ? PART_OF_ARRAY : taken->of;
        end = skip_blanks(end);
        return (*end == '\n' || *end == '\r' || *end == '\0') &&
               names_give_few(model, code, &span, first, first + span.column, taken) && is_along_axis(call, taken);
    default:
        return false;
    }
}

/*
 * Of the sort's sampled stores, were many loaded by the next call? What is taken is loaded at once and seen, what is not is overwritten a
 * step later, and few watches wait so long: so not of those alone whose fate is known. What the sort itself loads is no use, nor is
 * what a function of NumPy's loads that copies in one native call and sorts the copy in the next.
 */
static bool is_read(struct model *model, const struct site *site)
{
    uint32_t caller = callers_frame(model, site->process, site->record->node);
    const struct run_table *table = &site->process->run->tables[DB_KIND_PAIR];
    uint64_t loaded = 0, sampled = 0;
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(table, &cursor)) != NULL;) {
        if (record->first_access != DB_ACCESS_STORE || objects_site_of_pair(site->process, record) != site)
            continue;
        bool is_load = record->second_access == DB_ACCESS_LOAD && record->scope == DB_SCOPE_ACROSS &&
                       callers_frame(model, site->process, record->second_node) != caller;
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

static bool add_site(struct model *model, struct sorted *sorted, const struct site *site, uint64_t *looks)
{
    struct taken taken;
    uint32_t frame = callers_frame(model, site->process, site->record->node);
    if (site_results(site) == 0 || !is_sort(model, site) || !takes_few(model, site->process, frame, &taken) ||
        is_read(model, site) || !few_is_told(model, site, frame, &taken, looks))
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

static void say(struct model *model, struct finding *finding)
{
    struct taken taken = {.count = 0};
    const struct site *site = finding->second;
    uint32_t frame = callers_frame(model, site->process, site->record->node);
    char *made = say_made(&finding->object, "sorting"), *others = say_others(&finding->object);
    bool told = takes_few(model, site->process, frame, &taken);
    struct word last = told ? taken.uses[taken.count - 1].slice : (struct word){"few", strlen("few")};
    char *slice = text_printable(last.text, last.length_bytes);
    bool is_element = memchr(last.text, ':', last.length_bytes) == NULL;
    char *rows = told && memchr(last.text, ',', last.length_bytes) == NULL
                     ? memory_print(" Of an array of rows %s takes %s.", slice,
                                    is_element ? "a whole row: sort it alone" : "whole rows: sort these alone")
                     : memory_print("%s", "");
    finding->claim = memory_print("%s%s, and of each only %s is taken.", made, others, slice);
    finding->advice = memory_print(
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
    free(made);
    free(others);
    free(slice);
}

static void claim_line(struct model *model, struct line *line, const struct sorted *sorted)
{
    double most_s = (double)times_total(&line->times) * 1e-9;
    struct finding *finding = finding_add(model, line, "dead_store", FINDING_SORTED);
    finding->waste_s = fmin(sorted->waste_s, most_s);
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
        if (sorted.site != NULL && is_worth_it(model, &sorted) && !finding_has_line(line))
            claim_line(model, line, &sorted);
    }
}
