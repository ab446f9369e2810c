/*
 * Claim: the line stores what another call has just stored there, and nobody reads it in between: one of the two will do.
 * Evidence: of the sampled stores that the line makes on one way into objects nearly all wrote the value that was there; where the
 * call before was seen, its stores came on another way (another line, or another call of the same function) and were dead: overwritten unread by
 * this line's. Gradients that are cleared twice are such. The waste is the native time of the line on that way.
 * Other threads' running leaves open whether a store is dead (idle workers spin), but not whether it wrote what was there. So where
 * the texts of both calls clear, this will do: every sampled store of the line found its value there; the other call's stores did
 * change what was there, so that what comes before that one changes more than a few elements; and what that one stored this
 * thread neither read nor changed before the line stored it again. Then the line alone may go, for another thread may read what
 * the other call stored.
 * Traps: zeros over zeros (a sparse result and a cleared buffer hold mostly the same: zeros count only where the texts of
 * both calls clear); one fill in a loop, over what sparse updates left alone (the same way: no evidence); a value
 * that is read in between (used: then the line restores what may have changed); fresh buffers (recycled memory holds what it
 * happens to hold); another thread, which may have read (undecided); needed clears with a backward pass through an embedding in between
 * (the later one finds zeros nearly everywhere, but whoever makes use of such a pass reads); a buffer that is cleared before each of
 * several sparse phases: the sampled elements are all others than those that change, so that each clear repeats the one before, round
 * and round, and none is told; clears of what overlaps only (two optimizers that share an encoder): what clears gradients must
 * by its text clear what the other clears; a few elements that a function, or another name, changes or reads between the two.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/expression.h"
#include "findings/same_clear.h"
#include "findings/sites.h"
#include "findings/ways.h"
#include "model/select.h"
#include "model/source.h"
#include "show/page.h"

#define EVIDENCE_MIN 16u
#define AGAIN_MIN 4u /* of it, pairs that name both calls */
/* Of zeros that come upon another call's, both of which clear by their texts, and nothing else was seen there. */
#define CLEARED_EVIDENCE_MIN 3u
#define CLEARED_AGAIN_MIN 2u
/* Of the other call's sampled stores one in so many changed what was there: gradients are often zero in part. */
#define CHANGED_OF_ALL 4u
#define OTHER_OF_AGAIN 50u /* one store in so many may have changed something, or followed something else */
#define WASTE_PERCENT 0.5
#define ROUND_MAX 16u /* ways that repeat each other's stores in turn, and more */

/* Stores of one line on one way. */
struct restored {
    struct line *line, *before; /* `before`: whose stores it repeats most often at once */
    struct process *process;
    uint32_t first_node, second_node; /* of those */
    uint64_t same, same_zero;         /* sampled stores of the value that was there; zeros among them */
    uint64_t again, again_zero;       /* pairs with an unread store of another way, of the same value */
    uint64_t other, undecided, most;
    const struct restored *by; /* the way of `first_node` */
    bool mixed;                /* there are others */
    uint64_t found;   /* of the undecided: of the value that a clear of another way stored, unread by this thread */
    uint64_t changed; /* sampled stores of another value than was there */
    uint64_t strayed; /* pairs of its stores with what does not clear next, for all this thread knows */
    uint64_t ns, samples;
};

struct search {
    struct model *model;
    struct map map;
    struct restored **all;
    size_t count, capacity;
    struct map clearing; /* frames whose calls clear, or do not, by process */
};

static struct restored *restored_of(struct search *search, struct process *process, uint32_t node_id)
{
    struct line *line = lines_of_leaf(search->model, process, node_id);
    const struct node *node = model_node(process, node_id);
    if (line == NULL || node == NULL || node->in_import)
        return NULL;
    struct map_key key = {(uintptr_t)line, node->way, (uintptr_t)process};
    struct restored *restored = map_get(&search->map, key);
    if (restored != NULL)
        return restored;
    restored = memory_zeroed(1, sizeof(*restored));
    restored->line = line;
    restored->process = process;
    map_put(&search->map, key, restored);
    search->all = memory_grow(search->all, search->count, &search->capacity, sizeof(struct restored *));
    return search->all[search->count++] = restored;
}

/* "buffer[:] = 0": behind the subscript a number, and nothing else. */
static bool is_number_stored(const char *text, size_t length)
{
    const char *at = text + length;
    at += strspn(at, " \t");
    if (*at != '=' || at[1] == '=')
        return false;
    at += 1 + strspn(at + 1, " \t");
    size_t digits = strspn(at, "0123456789.-+e");
    at += digits;
    at += strspn(at, " \t\r");
    return digits > 0 && (*at == '\0' || *at == '\n' || *at == '#');
}

static bool frame_clears(struct model *model, struct process *process, uint32_t frame)
{
    static const char *const names[] = {"fill", "fill_", "zero_", "zero_grad", "_foreach_zero_"};
    struct operation operation = operation_at(model, process, frame);
    size_t length = 0;
    const char *text = operation_text(model, process, frame, &length);
    if (operation.kind == OPERATION_SUBSCRIPT)
        return is_number_stored(text, length);
    for (size_t i = 0; operation.kind == OPERATION_CALL && i < sizeof(names) / sizeof(names[0]); i++)
        if (operation_is_named(&operation, names[i]))
            return true;
    return false;
}

/* Does the call that makes a node's stores clear or fill, by what the text says? */
static bool is_clearing(struct model *model, struct process *process, uint32_t node_id)
{
    return frame_clears(model, process, callers_frame(process, node_id));
}

/* The same, of which each frame has many pairs. */
static bool clears(struct search *search, struct process *process, uint32_t node_id)
{
    static bool answers[] = {false, true};
    uint32_t frame = callers_frame(process, node_id);
    struct map_key key = {(uintptr_t)process, frame, 0};
    const bool *answer = map_get(&search->clearing, key);
    if (answer == NULL) {
        bool *found = &answers[frame_clears(search->model, process, frame)];
        map_put(&search->clearing, key, found);
        answer = found;
    }
    return *answer;
}

/* The sampled store alone: did it write what was there? */
static void add_store(struct search *search, struct process *process, const struct db_pair *record)
{
    struct restored *restored = restored_of(search, process, record->first_node);
    if (restored == NULL)
        return;
    bool same = (record->flags & DB_PAIR_SAME_VALUE) != 0;
    restored->same += same ? record->count : 0;
    restored->same_zero += same && (record->flags & DB_PAIR_ZERO) != 0 ? record->count : 0;
    restored->other += same ? 0 : record->count;
    restored->changed += same ? 0 : record->count;
}

/* What is proved goes before what is not. */
static void name_first(struct restored *restored, struct restored *first, const struct db_pair *record, bool proved)
{
    restored->mixed |= restored->by != NULL && restored->by != first;
    if (proved && restored->again == 0)
        restored->most = 0;
    if (record->count <= restored->most || (!proved && restored->again > 0))
        return;
    restored->most = record->count;
    restored->before = first->line;
    restored->by = first;
    restored->first_node = record->first_node;
    restored->second_node = record->second_node;
}

/* A store that came upon what an earlier call had stored. Is that repeated, unread as far as this thread knows? */
static bool add_pair(struct search *search, struct process *process, const struct db_pair *record,
                     struct restored *first)
{
    struct restored *restored = restored_of(search, process, record->second_node);
    if (restored == NULL)
        return false;
    bool used = (record->flags & DB_PAIR_USED) != 0, slept = (record->flags & DB_PAIR_SLEPT) != 0 && !used;
    bool zero = (record->flags & DB_PAIR_ZERO) != 0;
    bool other_way = model_node(process, record->first_node)->way != model_node(process, record->second_node)->way;
    bool repeats = !used && first != NULL && other_way && (record->flags & DB_PAIR_SAME_VALUE) != 0;
    bool cleared = repeats && clears(search, process, record->first_node);
    if ((record->flags & DB_PAIR_UNPROVED) != 0 || slept) {
        bool found = repeats && !slept && cleared;
        restored->undecided += record->count;
        restored->found += found ? record->count : 0;
        if (found)
            name_first(restored, first, record, false);
        return found;
    }
    if (!repeats || (zero && !cleared)) {
        restored->other += record->count;
        return false;
    }
    name_first(restored, first, record, true);
    restored->again += record->count;
    restored->again_zero += zero ? record->count : 0;
    return cleared;
}

static void add_pairs(struct search *search, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_pair *record; (record = run_next(&process->run->tables[DB_KIND_PAIR], &cursor)) != NULL;) {
        if (record->first_access != DB_ACCESS_STORE || record->address_class != DB_CLASS_OBJECT ||
            model_node(process, record->first_node) == NULL || model_node(process, record->second_node) == NULL)
            continue;
        if (record->second_access == DB_ACCESS_NONE) {
            add_store(search, process, record);
            continue;
        }
        struct restored *way = restored_of(search, process, record->first_node);
        bool again = record->second_access == DB_ACCESS_STORE && record->scope == DB_SCOPE_ACROSS &&
                     record->relation == DB_RELATION_SAME && add_pair(search, process, record, way);
        if (way != NULL && !again && record->relation != DB_RELATION_RECYCLED)
            way->strayed += record->count;
    }
}

static void add_times(struct search *search, struct process *process)
{
    struct run_cursor cursor = {0};
    for (const struct db_node *record; (record = run_next(&process->run->tables[DB_KIND_NODE], &cursor)) != NULL;) {
        const struct node *node = &process->nodes[cursor.index];
        struct line *line = record->samples > 0 ? lines_of_leaf(search->model, process, (uint32_t)cursor.id) : NULL;
        struct restored *restored =
            line != NULL ? map_get(&search->map, (struct map_key){(uintptr_t)line, node->way, (uintptr_t)process})
                         : NULL;
        if (restored == NULL || time_kind_of(process, record, node) != TIME_NATIVE)
            continue;
        restored->ns += record->cpu_ns;
        restored->samples += record->samples;
    }
}

static double waste_s(const struct restored *restored)
{
    return (double)restored->ns * 1e-9;
}

static bool is_dead(const struct restored *restored)
{
    uint64_t evidence = restored->same + restored->again;
    bool cleared =
        restored->other == 0 && restored->again_zero >= CLEARED_AGAIN_MIN && evidence >= CLEARED_EVIDENCE_MIN;
    bool seen = restored->again >= AGAIN_MIN && evidence >= EVIDENCE_MIN;
    return (cleared || seen) && restored->other * OTHER_OF_AGAIN <= evidence && restored->undecided <= restored->again;
}

/* Did the line's clear find its value there each time, whatever other threads did? */
static bool is_found(struct model *model, const struct restored *restored)
{
    const struct restored *by = restored->by;
    uint64_t pairs = restored->again + restored->found, open = restored->undecided - restored->found;
    return by != NULL && !restored->mixed && restored->other == 0 && pairs >= AGAIN_MIN &&
           restored->same + pairs >= EVIDENCE_MIN && restored->same >= AGAIN_MIN && open <= pairs && by->strayed == 0 &&
           by->changed >= AGAIN_MIN && by->changed * CHANGED_OF_ALL >= by->changed + by->same &&
           is_clearing(model, restored->process, restored->first_node) &&
           is_clearing(model, restored->process, restored->second_node);
}

/* Does each way repeat the stores of one before it, without an end? Then something changes in between that was not followed. */
static bool goes_round(const struct restored *restored)
{
    const struct restored *by = restored->by;
    for (unsigned i = 0; by != NULL && i < ROUND_MAX; i++)
        by = by->by;
    return by != NULL;
}

static bool holds(struct model *model, const struct restored *restored)
{
    uint64_t evidence = restored->same + restored->again, zeros = restored->same_zero + restored->again_zero;
    if ((!is_dead(restored) && !is_found(model, restored)) || goes_round(restored) ||
        same_clear(model, restored->process, restored->first_node, restored->second_node) == MEANWHILE_OPEN ||
        finding_has_line(restored->line))
        return false;
    double least = restored->samples > 0 ? fmax(0, 1 - 2 / sqrt((double)restored->samples)) : 0;
    return (evidence - zeros >= EVIDENCE_MIN || is_clearing(model, restored->process, restored->second_node)) &&
           model_percent(model, waste_s(restored) * least) >= WASTE_PERCENT;
}

/* `dead`: nobody had read what was there, which either of the two may then leave out. */
static void put(struct model *model, struct finding *finding, bool dead)
{
    struct ways_calls calls = ways_calls(model, finding->process, finding->first_node, finding->node);
    bool shared = finding->by == finding->line && calls.first_file != NULL;
    char *before = shared ? say_place(model, calls.first_file, calls.first)
                          : say_place(model, finding->by->file, finding->by->number);
    char *own = shared ? say_place(model, calls.second_file, calls.second) : memory_print("this one");
    char *whole = page_count(finding->whole), *again = page_count(finding->part);
    finding->claim = memory_print(
        "Of %s stores that were followed, %s wrote the value that was there, where they came after another: "
        "what %s had stored%s.",
        whole, again, before, dead ? ", unread until then" : "; whether other threads read it is open");
    bool in_round = same_clear(model, finding->process, finding->first_node, finding->node) == MEANWHILE_ROUND;
    const char *ends = in_round ? "; see that neither the first round nor what follows the last needs it" : "";
    finding->advice =
        dead ? memory_print("Leave one of the two out, %s or %s%s.", own, before, ends)
             : memory_print("Leave %s out and keep %s: what it stores was there each time that it was looked at%s.",
                            own, before, ends);
    char *all[] = {before, own, whole, again};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

static void say(struct model *model, struct finding *finding)
{
    put(model, finding, true);
}

static void say_found(struct model *model, struct finding *finding)
{
    put(model, finding, false);
}

static void claim(struct model *model, const struct restored *restored)
{
    struct finding *finding = finding_add(model, restored->line, "redundant_store", FINDING_REPEATED_CALL);
    bool dead = is_dead(restored);
    finding->waste_s = waste_s(restored);
    finding->part = restored->same + restored->again + (dead ? 0 : restored->found);
    finding->whole = finding->part + restored->other;
    finding->process = restored->process;
    finding->first_node = restored->first_node;
    finding->node = restored->second_node;
    finding->by = restored->before;
    finding->say = dead ? say : say_found;
}

void rule_stored_again(struct model *model)
{
    struct search search = {.model = model};
    for (size_t i = 0; i < model->process_count; i++)
        add_pairs(&search, &model->processes[i]);
    for (size_t i = 0; i < model->process_count && search.count > 0; i++)
        add_times(&search, &model->processes[i]);
    for (size_t i = 0; i < search.count; i++)
        if (holds(model, search.all[i]))
            claim(model, search.all[i]);
    for (size_t i = 0; i < search.count; i++)
        free(search.all[i]);
    free(search.all);
    map_free(&search.map);
    map_free(&search.clearing);
}
