#include "findings/finish.h"

#include <math.h>
#include <string.h>

#include "findings/sites.h"
#include "findings/statement.h"
#include "model/source.h"
#include "python/only_makes.h"
#include "python/scope.h"
#include "python/suite.h"

static double own_seconds(const struct line *line)
{
    return (double)times_total(&line->times) * 1e-9;
}

/* Are what is made at the place, of one size at least, mostly equal to what was made before, and new no more often than the others? */
static bool is_equal(const struct place *place, const struct site *second)
{
    for (const struct site *site = place->sites; site != NULL; site = site->next)
        if (site->record->examined > 0 && site_new(site) <= site_new(second) &&
            (double)site->record->replicas + (double)site->linked >= (double)site->record->examined / 2)
            return true;
    return false;
}

static bool is_one_instruction(const struct line_span *one, const struct line_span *other)
{
    return one->line == other->line && one->column == other->column && one->end_line == other->end_line &&
           one->end_column == other->end_column;
}

/* ... on each way to its instruction: what is stored into it behind the line may be the same on one of them alone. */
static bool is_made_again(const struct line *line, const struct place *of, const struct site *second)
{
    for (const struct place *place = line->places; place != NULL; place = place->next)
        if (is_one_instruction(&place->span, &of->span) && !is_equal(place, second))
            return false;
    return true;
}

void finish_find(struct model *model, const struct finding *finding, struct changed *changed)
{
    const struct site *second = finding->second;
    changed_find(changed, model, second->process, lines_frame_of_leaf(model, second->process, second->record->node));
    for (const struct place *place = finding->line->places; place != NULL; place = place->next) {
        const struct site *site = place->sites;
        if (changed->count > 0 || changed->column_count > 0 || changed->handed.length_bytes > 0)
            return;
        if (site != second && is_made_again(finding->line, place, second))
            changed_find(changed, model, site->process, lines_frame_of_leaf(model, site->process, site->record->node));
    }
}

static bool is_among(const struct line *line, const struct changed *changed)
{
    for (size_t i = 0; i < changed->count; i++)
        if (line->number == changed->lines[i] && strcmp(line->file, changed->file) == 0)
            return true;
    return false;
}

double finish_seconds(const struct model *model, const struct changed *changed)
{
    double seconds = 0;
    for (size_t i = 0; i < model->line_total; i++)
        if (is_among(model->lines[i], changed))
            seconds += own_seconds(model->lines[i]);
    return seconds;
}

/* Does the line make other results as well, at places that no claim holds of? */
static bool makes_others(const struct line *line)
{
    for (const struct place *place = line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL && !place->claimed; site = site->next)
            if (site_new(site) > 1)
                return true;
    return false;
}

static double equal_share(const struct finding *finding)
{
    return finding->whole > 0 ? (double)finding->part / (double)finding->whole : 0;
}

/* "k" of "np.add(x, y, out=k[i:j])"; empty: there is none. */
static struct word out_of_call(struct word text)
{
    static const char key[] = "out=";
    const char *at = memmem(text.text, text.length_bytes, key, sizeof(key) - 1);
    struct word none = {text.text, 0};
    return at != NULL ? word_name_at(at + sizeof(key) - 1, word_end(text)) : none;
}

/* What the statement stores into; empty where it only counts or names something ("k += m"). False: that is not known. */
static bool stored_by(struct word text, struct word *name)
{
    struct word targets[WORDS_MAX];
    size_t length = 0;
    const char *sign = word_assignment(text, &length);
    *name = out_of_call(text);
    if (sign == NULL || name->length_bytes > 0)
        return name->length_bytes > 0;
    struct word target = word_trimmed(text.text, sign);
    *name = word_name_at(target.text, sign);
    bool is_name = name->length_bytes > 0 && word_equal(*name, target);
    bool calls = memchr(sign, '(', (size_t)(word_end(text) - sign)) != NULL;
    name->length_bytes = is_name && !calls ? 0 : name->length_bytes;
    return word_split(target, ',', targets, WORDS_MAX) == 1;
}

/* "k[i] = x; k[j] = y" */
static bool stores_into_one(const struct source *code, int32_t row)
{
    struct word rest, statement, first = {0}, name;
    rest.text = source_line(code, row, &rest.length_bytes);
    while (rest.text != NULL && word_next_statement(&rest, &statement)) {
        if (!stored_by(word_trimmed(statement.text, word_end(statement)), &name) ||
            (first.length_bytes > 0 && name.length_bytes > 0 && !word_equal(name, first)))
            return false;
        first = name.length_bytes > 0 ? name : first;
    }
    return first.length_bytes > 0;
}

/* "a[k], b[k] = x, y", "fill(a); fill(b)": it may finish another buffer as well. */
static bool serves_others(struct model *model, const struct line *line)
{
    struct word statement, items[WORDS_MAX];
    size_t indent = 0, length = 0;
    int32_t last = 0;
    const struct source *code = source_code(model, line->file);
    if (code->text == NULL)
        return true;
    if (!suite_statement(code, line->number, &statement, &indent, &last))
        return !stores_into_one(code, line->number);
    const char *sign = word_assignment(statement, &length);
    return sign != NULL && word_split(word_trimmed(statement.text, sign), ',', items, WORDS_MAX) != 1;
}

/* What the line takes, by the share, less what findings of its own say of it. */
static double left_of(const struct model *model, const struct line *line, double share)
{
    double seconds = own_seconds(line) * share;
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == line)
            seconds -= model->findings[i]->waste_s - model->findings[i]->beside_s - model->findings[i]->apart_s;
    return fmax(seconds, 0);
}

/* Does the function make the buffer, by its text, and nothing else? */
static bool is_for_buffer(struct model *model, const struct finding *finding)
{
    const struct site *site = finding->second;
    const struct source *code = source_code(model, finding->line->file);
    int32_t def = code->text != NULL ? scope_function(code, finding->line->number) : 0;
    struct word name = {0};
    name.text = statement_target(model, site->process, lines_frame_of_leaf(model, site->process, site->record->node),
                                 &name.length_bytes);
    return def > 0 && name.text != NULL && name.length_bytes > 0 && function_only_makes_one(code, def, name);
}

static void charge_to(const struct model *model, struct finding *finding, struct line *line, double *sum_s)
{
    line->finishes = finding->line;
    *sum_s += left_of(model, line, equal_share(finding));
    finding->waste_samples += line->times.samples;
}

/* What the function does besides, as what is stored into the buffer has to be computed. */
static void add_function(struct model *model, struct finding *finding)
{
    for (size_t i = 0; i < model->line_total; i++) {
        struct line *line = model->lines[i];
        bool is_of_function = line->file == finding->line->file && line->function == finding->line->function;
        if (is_of_function && line != finding->line && line->finishes == NULL)
            charge_to(model, finding, line, &finding->around_s);
    }
}

static void add_to(struct model *model, struct finding *finding)
{
    struct changed changed;
    finish_find(model, finding, &changed);
    for (size_t i = 0; changed.count > 0 && i < model->line_total; i++) {
        struct line *line = model->lines[i];
        bool is_of_function = line->file == finding->line->file && line->function == finding->line->function;
        if (line != finding->line && line->finishes == NULL && is_of_function && is_among(line, &changed) &&
            !serves_others(model, line))
            charge_to(model, finding, line, &finding->beside_s);
    }
    if (changed.count > 0 && is_for_buffer(model, finding))
        add_function(model, finding);
    finding->beside_s += finding->around_s;
    finding->waste_s += finding->beside_s;
}

void finish_add(struct model *model)
{
    for (size_t i = 0; i < model->finding_count; i++) {
        struct finding *finding = model->findings[i];
        if (strcmp(finding->kind, "replica") == 0 && finding->second != NULL && !finding->part_of_call &&
            !makes_others(finding->line))
            add_to(model, finding);
    }
}

void finish_charge(struct model *model, const struct finding *finding)
{
    for (size_t i = 0; finding->beside_s > 0 && i < model->line_total; i++) {
        struct line *line = model->lines[i];
        if (line->finishes == finding->line)
            line->computed_again_s = fmax(line->computed_again_s, own_seconds(line) * equal_share(finding));
    }
}
