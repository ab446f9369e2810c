#include "findings/changed.h"
#include "findings/claim_sorts.h"
#include "findings/finding.h"
#include "findings/finish.h"
#include "findings/inputs_cache.h"
#include "findings/operand_time.h"
#include "findings/sites.h"
#include "findings/whole_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* In this order: a rule may see what those before it found. */
static void (*const rules[])(struct model *model) = {
    rule_replica,
    rule_one_of_round,
    finish_add,
    rule_repeated,
    rule_decomposed,
    rule_constant,
    rule_growing,
    rule_churn,
    rule_dead_store,
    rule_covered_fill,
    rule_stored_again,
    rule_cleared_twice,
    rule_cleared_before_call,
    rule_reduced_again,
    rule_sorted,
    rule_tiny_calls,
    rule_array_list,
    rule_idle,
};

struct finding *finding_add(struct model *model, struct line *line, const char *kind, const char *category)
{
    struct finding *finding = memory_zeroed(1, sizeof(*finding));
    line->found = true;
    *finding = (struct finding){.kind = kind, .category = category, .line = line, .span = line->span};
    model->findings =
        memory_grow(model->findings, model->finding_count, &model->finding_capacity, sizeof(struct finding *));
    return model->findings[model->finding_count++] = finding;
}

const struct line *finding_line_beside(const struct model *model, const struct line *line, int32_t row)
{
    for (size_t i = 0; i < model->line_total; i++)
        if (model->lines[i]->number == row && strcmp(model->lines[i]->file, line->file) == 0)
            return model->lines[i];
    return NULL;
}

bool finding_is_told_better(const struct model *model, const struct line *line, double seconds)
{
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == line && model->findings[i]->waste_s >= seconds)
            return true;
    return false;
}

bool finding_has_line(const struct line *line)
{
    return line->found;
}

void finding_set_context(struct model *model, struct finding *finding)
{
    uint64_t most_ns = 0;
    for (size_t i = 0; i < model->process_count; i++) {
        struct process *process = &model->processes[i];
        struct run_cursor cursor = {0};
        for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;)
            if (record->cpu_ns > most_ns && lines_of_leaf(model, process, (uint32_t)cursor.id) == finding->line) {
                most_ns = record->cpu_ns;
                finding->process = process;
                finding->node = (uint32_t)cursor.id;
            }
    }
}

/* By waste; equal ones by what a second run of the program has as well. */
static int finding_order(const void *left, const void *right)
{
    const struct finding *a = *(struct finding *const *)left, *b = *(struct finding *const *)right;
    if (a->waste_s < b->waste_s || a->waste_s > b->waste_s)
        return a->waste_s > b->waste_s ? -1 : 1;
    if (a->waste_bytes != b->waste_bytes)
        return a->waste_bytes > b->waste_bytes ? -1 : 1;
    int order = strcmp(a->line->file, b->line->file);
    if (order == 0)
        order = a->line->number - b->line->number;
    return order != 0 ? order : strcmp(a->kind, b->kind);
}

/* What is told of the line's waste in one way; the greatest of them is its own. */
static double *waste_of_kind(struct line *line, const char *kind)
{
    if (strcmp(kind, "churn") == 0)
        return &line->allocated_s;
    return strstr(kind, "_store") != NULL ? &line->stored_s : &line->computed_again_s;
}

static void charge_line(struct model *model, const struct finding *finding)
{
    if (strcmp(finding->kind, "tiny_calls") == 0)
        return; /* that rule charges all lines of its loops */
    double *line_s = waste_of_kind(finding->line, finding->kind);
    *line_s = fmax(*line_s, finding->waste_s - finding->beside_s - finding->apart_s);
    finish_charge(model, finding);
    operand_time_charge(model, finding);
}

void findings_make(struct model *model)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        rules[i](model);
    for (size_t i = 0; i < model->finding_count; i++)
        charge_line(model, model->findings[i]);
    if (model->finding_count == 0)
        return;
    qsort(model->findings, model->finding_count, sizeof(struct finding *), finding_order);
    findings_identify(model);
    whole_calls_find(model);
}

/* By what is freed here. */
static void lengthen(char **text, char *more)
{
    char *whole = memory_print("%s%s", *text, more);
    free(*text);
    free(more);
    *text = whole;
}

/* What other parts of the line ask for. */
static void say_beside(struct model *model, struct finding *finding)
{
    for (struct finding *beside = finding->beside; beside != NULL; beside = beside->beside) {
        char *what = say_what(model, beside);
        beside->say(model, beside);
        lengthen(&finding->claim, memory_print(" Beside it %s: %s", what, beside->claim));
        lengthen(&finding->advice, memory_print(" Of %s: %s", what, beside->advice));
        free(what);
    }
}

void findings_say(struct model *model)
{
    for (size_t i = 0; i < model->finding_count; i++) {
        struct finding *finding = model->findings[i];
        finding->say(model, finding);
        lengthen(&finding->claim, say_parts(model, finding));
        say_beside(model, finding);
        lengthen(&finding->advice, whole_call_say(model, finding));
    }
}

/* The waste of lines is told anew; what a loop's lines lose by it goes with the loop's finding. */
static void forget_waste(const struct model *model, struct line *line)
{
    bool told = false;
    for (size_t i = 0; line->taken_apart_at != NULL && i < model->finding_count; i++)
        told = told || (model->findings[i]->line == line->taken_apart_at &&
                        strcmp(model->findings[i]->kind, "tiny_calls") == 0);
    line->stored_s = line->computed_again_s = line->allocated_s = 0;
    line->wasteful = false;
    line->taken_apart_s = told ? fmin(line->taken_apart_s, (double)times_total(&line->times) * 1e-9) : 0;
    line->taken_apart_at = told ? line->taken_apart_at : NULL;
}

static void finding_free(struct finding *finding)
{
    claim_beside_free(finding->beside);
    free(finding->called);
    free(finding->instead);
    free(finding->claim);
    free(finding->advice);
    free(finding);
}

void findings_restrict(struct model *model)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->finding_count; i++)
        if (finding_phase(model->findings[i]) == model->phase)
            model->findings[kept++] = model->findings[i];
        else
            finding_free(model->findings[i]);
    model->finding_count = kept;
    for (size_t i = 0; i < model->line_total; i++)
        forget_waste(model, model->lines[i]);
    for (size_t i = 0; i < model->finding_count; i++)
        charge_line(model, model->findings[i]);
}

void findings_free(struct model *model)
{
    changed_free(model);
    inputs_cache_free(model);
    operand_times_free(model);
    for (size_t i = 0; i < model->finding_count; i++)
        finding_free(model->findings[i]);
    free(model->findings);
}
