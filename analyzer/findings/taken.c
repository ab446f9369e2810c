#include "findings/taken.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "findings/expression.h"
#include "model/source.h"
#include "python/code_facts.h"
#include "python/fresh.h"
#include "python/name_uses.h"

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
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

static bool are_rows(const struct taken *taken)
{
    for (size_t i = 0; i < taken->count; i++) {
        struct part_slice read;
        struct word slice = taken->uses[i].slice;
        if (!part_slice_read(slice.text, word_end(slice), &read) || read.place != 0)
            return false;
    }
    return taken->count > 0;
}

static bool is_along(struct word call, enum taken_along along, struct taken *taken)
{
    return along == TAKEN_ALONG_ROWS ? are_rows(taken) : is_along_axis(call, taken);
}

bool taken_of_call(struct model *model, struct process *process, uint32_t frame, enum taken_along along,
                   struct taken *taken)
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
    if (first == NULL || last == NULL || (size_t)span.column > length || (size_t)span.end_column > last_length)
        return false;
    struct word call = {first + span.column, (size_t)(last + span.end_column - first) - (size_t)span.column};
    *taken = (struct taken){.text = source->text, .of = along == TAKEN_ALONG_ROWS ? PART_OF_ARRAY : gives_of(call)};
    switch (part_taken(word_end(call), taken->of, &slice, &end)) {
    case PART_FEW:
    case PART_ONE:
        return add_use(taken, call.text, word_end(call), true) && is_along(call, along, taken);
    case PART_ALL:
        taken->of = end > word_end(call) && taken->of == PART_OF_TUPLE ? PART_OF_ARRAY : taken->of;
        end = skip_blanks(end);
        return (*end == '\n' || *end == '\r' || *end == '\0') &&
               names_give_few(model, code, &span, first, first + span.column, taken) && is_along(call, along, taken);
    default:
        return false;
    }
}
