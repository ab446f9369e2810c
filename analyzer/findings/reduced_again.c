/*
 * Claim: the line computes a number, or a few, of an array that stays the same in each round of a loop: once would do.
 * Evidence: the text (the instruction's call is a known reduction of one array, which nothing changes while the loop runs: reduction.h,
 * kept.h), and sampled loads: nearly all that the call makes of the array, and all that the line makes of it from one execution to
 * the next, find the value that the line's last load found there. The result is too small to be an object, so that nothing is known of its
 * content. The waste is the native time of the instruction but for one execution's share. Draws by probabilities (rng.choice(n, p=x)) begin
 * with the sums of these, which are the same again.
 * Traps: the epoch, the gather (each batch is other rows: no plain name that stays), the weights (stored into), the window (pairs within
 * a call), the plateau (values that happen to stay: the text must say that they do), zeros that meet zeros; stores of the line into
 * the array; another array of the same place (recycled memory); an array that a function, or another name, changes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "findings/expression.h"
#include "findings/kept.h"
#include "findings/kept_attribute.h"
#include "findings/kept_setting.h"
#include "findings/sites.h"
#include "findings/statement.h"
#include "model/select.h"
#include "model/share.h"
#include "python/code_facts.h"
#include "python/name_read.h"
#include "python/reduction.h"
#include "python/suite.h"
#include "show/page.h"

#define AGAIN_MIN 16u       /* loads of the line that found what another execution of it had */
#define AGAIN_LOW 0.8       /* ... the least part of all such that chance leaves them */
#define CALLED_MIN 8u       /* of these, loads of the call itself... */
#define OTHER_OF_CALLED 10u /* ... of which one in so many may have found something else, or nothing of the line's */
#define WRITTEN_OF_AGAIN 50u
#define SITES_MAX 8u
#define FRAMES_MAX 64u
#define WASTE_PERCENT 0.5

/* An instruction on one way, and the time below it. */
struct call {
    struct line *line;
    struct process *process;
    uint32_t frame; /* Python, on the line */
    uint32_t node;  /* of most of the time */
    uint64_t ns, node_ns, samples;
};

/* What its line's loads of the array found. */
struct loads {
    uint32_t sites[SITES_MAX]; /* of the arrays that it loads */
    size_t site_count;
    uint64_t called, called_other; /* of the call: what the line had loaded before, unchanged; all else */
    uint64_t again, other;         /* of the line: what an execution before had; changed since */
    uint64_t written;              /* stores into it */
};

struct search {
    struct model *model;
    struct map map;
    struct call **calls;
    size_t count, capacity;
};

static struct call *call_of(struct search *search, struct process *process, struct line *line, uint32_t frame)
{
    struct map_key key = {(uintptr_t)line, model_node(process, frame)->way, (uintptr_t)process};
    struct call *call = map_get(&search->map, key);
    if (call != NULL)
        return call;
    call = memory_zeroed(1, sizeof(*call));
    *call = (struct call){.line = line, .process = process, .frame = frame};
    map_put(&search->map, key, call);
    search->calls = memory_grow(search->calls, search->count, &search->capacity, sizeof(struct call *));
    return search->calls[search->count++] = call;
}

static void add_times(struct search *search, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        uint32_t id = (uint32_t)cursor.id;
        if (record->samples == 0 || node->in_import || time_kind_of(process, record, node) != TIME_NATIVE)
            continue;
        uint32_t frame = lines_leaf(process, id) == id ? lines_frame_of_leaf(search->model, process, id) : 0;
        struct line *line = frame != 0 ? lines_of_leaf(search->model, process, id) : NULL;
        if (line == NULL || !line->own)
            continue;
        struct call *call = call_of(search, process, line, frame);
        call->ns += record->cpu_ns;
        call->samples += record->samples;
        call->node = record->cpu_ns >= call->node_ns ? id : call->node;
        call->node_ns = record->cpu_ns >= call->node_ns ? record->cpu_ns : call->node_ns;
    }
}

/* The way to a node's user frame, without the instruction there: executions of one line that it leads to. */
static uint64_t way_to(const struct process *process, uint32_t frame)
{
    const struct db_node *record = run_record(process->run, DB_KIND_NODE, frame);
    const struct node *parent = record != NULL ? model_node(process, record->parent) : NULL;
    return parent != NULL ? parent->way : 0;
}

static bool is_of_line(struct model *model, const struct call *call, uint32_t node_id)
{
    return lines_of_leaf(model, call->process, node_id) == call->line &&
           way_to(call->process, lines_frame_of_leaf(model, call->process, node_id)) ==
               way_to(call->process, call->frame);
}

static bool is_of_call(struct model *model, const struct call *call, uint32_t node_id)
{
    uint32_t frame = lines_frame_of_leaf(model, call->process, node_id);
    const struct node *node = frame != 0 ? model_node(call->process, frame) : NULL;
    return node != NULL && node->way == model_node(call->process, call->frame)->way &&
           lines_of_leaf(model, call->process, node_id) == call->line;
}

/* The Python frames from the line's down to a node, the outermost last. */
static size_t frames_below(const struct call *call, uint32_t node_id, uint32_t frame, const struct db_node **frames)
{
    size_t count = 0;
    while (count < FRAMES_MAX) {
        const struct db_node *record = run_record(call->process->run, DB_KIND_NODE, node_id);
        if (record == NULL)
            return 0;
        if (record->frame == DB_FRAME_PYTHON)
            frames[count++] = record;
        if (node_id == frame)
            return count;
        node_id = record->parent;
    }
    return 0;
}

/* Must an execution of the line have ended between two of its accesses? The second's instruction is not behind the first's. */
static bool is_later_execution(struct model *model, const struct call *call, uint32_t first, uint32_t second)
{
    const struct db_node *before[FRAMES_MAX], *now[FRAMES_MAX];
    size_t count = frames_below(call, first, lines_frame_of_leaf(model, call->process, first), before);
    size_t now_count = frames_below(call, second, lines_frame_of_leaf(model, call->process, second), now);
    while (count > 0 && now_count > 0) {
        uint64_t value = before[--count]->value, later = now[--now_count]->value;
        if (value >> 32 != later >> 32)
            return false;
        if (value != later)
            return (uint32_t)value > (uint32_t)later;
    }
    return count == 0 && now_count == 0;
}

static bool has_site(const struct loads *loads, uint32_t site)
{
    for (size_t i = 0; i < loads->site_count; i++)
        if (loads->sites[i] == site)
            return true;
    return false;
}

/* Does the record tell of loads that follow each other, of an object, and what the first one saw? */
static bool is_told(const struct db_pair *record)
{
    return record->first_access == DB_ACCESS_LOAD && record->second_access == DB_ACCESS_LOAD &&
           record->address_class == DB_CLASS_OBJECT && record->scope == DB_SCOPE_ACROSS &&
           (record->flags & (DB_PAIR_UNSEEN | DB_PAIR_ZERO)) == 0;
}

static bool is_same(const struct db_pair *record)
{
    return record->relation == DB_RELATION_SAME && (record->flags & DB_PAIR_SAME_VALUE) != 0;
}

static void find_sites(struct loads *loads, struct model *model, const struct call *call)
{
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(&call->process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;)
        if (is_told(record) && loads->site_count < SITES_MAX && !has_site(loads, record->site) && is_same(record) &&
            is_of_call(model, call, record->second_node))
            loads->sites[loads->site_count++] = record->site;
}

static void add_load(struct loads *loads, struct model *model, const struct call *call, const struct db_pair *record)
{
    bool same = is_same(record), from_line = is_of_line(model, call, record->first_node);
    if (is_of_call(model, call, record->second_node)) {
        loads->called += same && from_line ? record->count : 0;
        loads->called_other += same && from_line ? 0 : record->count;
    }
    if (!from_line || !is_of_line(model, call, record->second_node))
        return;
    if (is_later_execution(model, call, record->first_node, record->second_node)) {
        loads->again += same ? record->count : 0;
        loads->other += same ? 0 : record->count;
    }
}

/* Into the array, by the line, or after a load of the line's. */
static bool is_written(struct model *model, const struct call *call, const struct db_pair *record)
{
    if (record->address_class != DB_CLASS_OBJECT || record->relation == DB_RELATION_RECYCLED)
        return false;
    if (record->first_access == DB_ACCESS_STORE)
        return is_of_line(model, call, record->first_node);
    return record->second_access == DB_ACCESS_STORE && is_of_line(model, call, record->first_node);
}

static void find_loads(struct loads *loads, struct model *model, const struct call *call)
{
    struct run_cursor cursor = {0};
    find_sites(loads, model, call);
    for (const struct db_pair *record;
         (record = run_next(&call->process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;) {
        if (!has_site(loads, record->site))
            continue;
        if (is_told(record))
            add_load(loads, model, call, record);
        else if (is_written(model, call, record))
            loads->written += record->count;
    }
}

static bool are_redundant(const struct loads *loads)
{
    struct estimate again = share_estimate_counts(loads->again, loads->again + loads->other, 0);
    return loads->again >= AGAIN_MIN && again.known && again.low >= AGAIN_LOW && loads->called >= CALLED_MIN &&
           loads->called_other * OTHER_OF_CALLED <= loads->called && loads->written * WRITTEN_OF_AGAIN <= loads->again;
}

/* Objects that differ are made below the call: what is computed is not the same. */
static bool makes_others(struct model *model, const struct call *call)
{
    uint64_t way = model_node(call->process, call->frame)->way, examined = 0, other = 0;
    for (const struct place *place = call->line->places; place != NULL; place = place->next)
        for (const struct site *site = place->sites; site != NULL; site = site->next) {
            const struct node *frame =
                site->process == call->process
                    ? model_node(call->process, lines_frame_of_leaf(model, call->process, site->record->node))
                    : NULL;
            if (frame == NULL || frame->way != way)
                continue;
            examined += site->record->examined;
            other += site_new(site);
        }
    return other > 1 + examined / 10;
}

/* What is left when it is done once: one execution is at most what lies between two such loads. */
static double waste_s(const struct call *call, const struct loads *loads)
{
    return (double)call->ns * 1e-9 * (1 - 1 / (double)loads->again);
}

static bool is_worth_it(const struct model *model, const struct call *call)
{
    double least = call->samples > 0 ? fmax(0, 1 - 2 / sqrt((double)call->samples)) : 0;
    return model_percent(model, (double)call->ns * 1e-9 * least) >= WASTE_PERCENT;
}

/* The instruction's text in code without strings; false where it is no reduction. */
static bool read_call(const struct kept_ways *ways, struct reduction *reduction)
{
    return ways->count > 0 && ways->levels[0].code != NULL && reduction_read(ways->levels[0].call, reduction);
}

/* Does an operator take the result at once? A name for it, or a list, may have it changed in place, or hold each round's. */
static bool is_taken(const struct kept_level *level)
{
    const char *start = level->code->text, *end = start + level->code->length_bytes;
    const char *before = level->call.text, *behind = word_skip_blanks(word_end(level->call), end);
    while (before > start && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    char left = before > start ? before[-1] : '\n', right = behind < end ? *behind : '\n';
    bool augments = behind + 1 < end && behind[1] == '=' && right != '<' && right != '>';
    return strchr("+-/%@*<>", left) != NULL || (strchr("+-*/%@<>", right) != NULL && !augments);
}

/* NumPy's single numbers are never changed in place, PyTorch's may be. */
static bool is_number(const struct kept_level *level, bool has_settings)
{
    static const char torch[] = "torch";
    return !has_settings && word_mentions(code_text(level->code), (struct word){torch, sizeof(torch) - 1}) == 0;
}

/* Is it given to a name of the function's own, of which nothing is changed in place, kept elsewhere or handed on? */
static bool is_named_to_read(struct model *model, struct process *process, uint32_t frame,
                             const struct kept_level *level)
{
    struct word name = {.length_bytes = 0};
    int32_t first, last;
    name.text = statement_target(model, process, frame, &name.length_bytes);
    return name.text != NULL && word_last_part(name).text == name.text &&
           suite_rows(level->code, 1, level->row, &first, &last) && name_is_only_read(level->code, first, last, name);
}

static bool is_kept(struct model *model, struct process *process, uint32_t frame, const struct kept_ways *ways,
                    const struct reduction *reduction, struct loop *loop)
{
    if (word_last_part(reduction->operand).text != reduction->operand.text)
        return kept_attribute(model, process, frame, ways, reduction->operand, loop);
    bool kept = kept_in_loop(ways, reduction->operand, loop);
    for (size_t i = 0; kept && i < reduction->names.count; i++)
        kept = kept_setting(ways, reduction->names.words[i], *loop);
    return kept;
}

static bool find_loop(struct model *model, struct process *process, uint32_t frame, struct reduction *reduction,
                      struct loop *loop)
{
    struct kept_ways ways;
    kept_ways_find(&ways, model, process, frame);
    return read_call(&ways, reduction) &&
           (reduction->draws || is_number(&ways.levels[0], reduction->has_settings) || is_taken(&ways.levels[0]) ||
            is_named_to_read(model, process, frame, &ways.levels[0])) &&
           (loop == NULL || is_kept(model, process, frame, &ways, reduction, loop));
}

/* NumPy's Generator and RandomState do just that, and draw as many numbers for it. */
static char *say_draw(const char *array, const char *place)
{
    return memory_print("Sum it up once, outside the loop at %s (sums = %s.cumsum(); sums /= sums[-1]), and draw with "
                        "sums.searchsorted(rng.random(size), side=\"right\"): the same numbers from the same "
                        "generator, as places in what is drawn from.",
                        place, array);
}

static void say(struct model *model, struct finding *finding)
{
    struct reduction reduction = {.operand = {"", 0}};
    struct loop loop = {.line = 0};
    uint32_t frame = lines_frame_of_leaf(model, finding->process, finding->node);
    bool told = find_loop(model, finding->process, frame, &reduction, &loop);
    char *array = text_printable(reduction.operand.text, reduction.operand.length_bytes),
         *again = page_count(finding->part), *whole = page_count(finding->whole);
    char *place = told ? say_place(model, loop.file, loop.line) : memory_print("?");
    finding->claim =
        memory_print("%s `%s` each time: %s of %s sampled loads found what the line had loaded before, "
                     "and by the text nothing changes `%s` while the loop runs.",
                     reduction.draws ? "Adds up the same" : "Computes the same of", array, again, whole, array);
    finding->advice = reduction.draws
                          ? say_draw(array, place)
                          : memory_print("Compute it once, outside the loop at %s, and keep the result.", place);
    char *all[] = {array, again, whole, place};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* The rule's own finding at the line; NULL: it has none. */
static struct finding *finding_at(const struct model *model, const struct line *line)
{
    for (size_t i = 0; i < model->finding_count; i++)
        if (model->findings[i]->line == line && model->findings[i]->say == say)
            return model->findings[i];
    return NULL;
}

/* Further calls of the line are in its seconds: what is said is of the one that takes most. */
static void claim(struct model *model, const struct call *call, const struct loads *loads)
{
    struct code *code = NULL;
    struct finding *finding = finding_at(model, call->line);
    if (finding != NULL) {
        finding->waste_s += waste_s(call, loads);
        return;
    }
    finding = finding_add(model, call->line, "redundant_load", FINDING_LOOP_INVARIANT);
    finding->span =
        model_position(model, call->process, run_record(call->process->run, DB_KIND_NODE, call->frame), &code);
    finding->waste_s = waste_s(call, loads);
    finding->part = loads->again;
    finding->whole = loads->again + loads->other;
    finding->process = call->process;
    finding->node = call->node;
    finding->say = say;
}

/* By what is quickest to tell first. */
static void look_at(struct model *model, const struct call *call)
{
    struct loads loads = {.site_count = 0};
    struct reduction reduction;
    struct loop loop;
    if (!is_worth_it(model, call) || (finding_has_line(call->line) && finding_at(model, call->line) == NULL) ||
        !find_loop(model, call->process, call->frame, &reduction, NULL))
        return;
    find_loads(&loads, model, call);
    if (are_redundant(&loads) && (reduction.draws || !makes_others(model, call)) &&
        find_loop(model, call->process, call->frame, &reduction, &loop))
        claim(model, call, &loads);
}

/* Of a line's calls that which takes most is told. */
static int call_order(const void *left, const void *right)
{
    const struct call *a = *(struct call *const *)left, *b = *(struct call *const *)right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

void rule_reduced_again(struct model *model)
{
    struct search search = {.model = model};
    for (size_t i = 0; i < model->process_count; i++)
        add_times(&search, &model->processes[i]);
    if (search.count > 0)
        qsort(search.calls, search.count, sizeof(struct call *), call_order);
    for (size_t i = 0; i < search.count; i++)
        look_at(model, search.calls[i]);
    for (size_t i = 0; i < search.count; i++)
        free(search.calls[i]);
    free(search.calls);
    map_free(&search.map);
}
