#include "findings/settled.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/expression.h"
#include "findings/far.h"
#include "findings/loop_feeds.h"
#include "findings/operand.h"
#include "findings/rhythm.h"
#include "findings/sites.h"
#include "findings/size_rounds.h"

#define SITES_MAX 16u
#define MAKERS_KEPT 64u
/* Of results: a size goes with the content (what a mask selects), and each by itself looks as if it stayed. */
#define SIZES_MANY 2u
#define RARE_PART 4u /* of a result's births: what is made there more seldom is a library's, as OpenBLAS's own buffer */

/* The frame of the program's or a package's own code, below which the object was made. */
static uint32_t frame_of(const struct site *site)
{
    return callers_frame(site->process, site->record->node);
}

static bool ends_in(const struct operation *operation, const char *end)
{
    size_t length = strlen(end);
    return operation->length_bytes > length &&
           memcmp(operation->name + operation->length_bytes - length, end, length) == 0;
}

static bool takes_shape_only(const struct operation *operation)
{
    static const char *const begins[] = {"new_", "empty", "zeros", "ones"};
    if (operation->kind != OPERATION_CALL)
        return false;
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (operation->length_bytes >= strlen(begins[i]) && memcmp(operation->name, begins[i], strlen(begins[i])) == 0)
            return true;
    return ends_in(operation, "_like") || ends_in(operation, "_as");
}

static int by_caller(const void *one, const void *other)
{
    const struct beside *a = one, *b = other;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static const struct db_node *frame_record(const struct process *process, uint32_t frame)
{
    return run_record(process->run, DB_KIND_NODE, frame);
}

/* Sites whose own code was called by the same frame lie side by side from then on. */
static void order_sites(struct process *process)
{
    size_t capacity = run_capacity(&process->run->tables[DB_KIND_SITE]);
    process->beside = memory_zeroed(capacity, sizeof(*process->beside));
    for (size_t i = 0; i < capacity; i++) {
        const struct site *site = &process->sites[i];
        uint32_t maker = site->record != NULL ? frame_of(site) : 0;
        const struct db_node *frame = maker != 0 ? frame_record(process, maker) : NULL;
        if (frame != NULL)
            process->beside[process->beside_count++] = (struct beside){frame->parent, (uint32_t)i, maker, 0};
    }
    qsort(process->beside, process->beside_count, sizeof(*process->beside), by_caller);
    for (size_t i = process->beside_count; i-- > 0;) {
        const struct beside *next = &process->beside[i + 1];
        bool goes_on = i + 1 < process->beside_count && next->caller == process->beside[i].caller &&
                       next->maker == process->beside[i].maker;
        process->beside[i].behind = goes_on ? next->behind : (uint32_t)i + 1;
    }
}

/* The first of those of `caller`; beside_count: none. */
static size_t first_beside(const struct process *process, uint32_t caller)
{
    size_t low = 0, high = process->beside_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (process->beside[middle].caller < caller)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Both frames in one execution of one function? Asked first: it is cheap, and true of few. */
static bool are_together(const struct process *process, uint32_t one, uint32_t other)
{
    const struct db_node *a = frame_record(process, one), *b = frame_record(process, other);
    return one != other && a != NULL && b != NULL && a->parent == b->parent && a->value >> 32 == b->value >> 32;
}

/* The site, its operands, theirs, and so on: as far as there is room. */
struct chain {
    const struct site *sites[SITES_MAX];
    size_t count;
};

/* Of one instruction once: its sizes have the same operands. */
static void add(struct chain *chain, const struct site *site)
{
    for (size_t i = 0; i < chain->count; i++)
        if (chain->sites[i]->python == site->python)
            return;
    if (chain->count < SITES_MAX)
        chain->sites[chain->count++] = site;
}

/* A mask that is all true for a while is of one value, which the recorder counts apart. */
static bool comes_again(const struct site *site)
{
    return site->record->replicas + site->record->constant > 0;
}

/* Of a site that is looked at now and then: as many of all births as of those seen. */
static double contents_of_all(const struct site *site)
{
    const struct db_site *record = site->record;
    return record->looked_at > 0 ? (double)site_new(site) / (double)record->looked_at * (double)record->births : 0;
}

/*
 * Contents of an instruction's results of all sizes, those of births that were passed over, too; 0: it has but a few. A buffer that a
 * library keeps to work in, for good, is none.
 */
static double contents_of_sizes(const struct site *site)
{
    double contents = 0;
    uint64_t sizes = 0;
    for (const struct site *other = site->place != NULL ? site->place->sites : NULL; other != NULL; other = other->next)
        if (other->record->examined > 0 && (other == site || other->record->live_at_end < other->record->births)) {
            uint64_t in_rhythm = site_rhythm_contents(other);
            contents += in_rhythm > 0 ? (double)in_rhythm : contents_of_all(other);
            contents += other->record->constant > 0 ? 1 : 0;
            sizes++;
        }
    return sizes >= SIZES_MANY ? contents : 0;
}

static bool has_size(const struct place *place, uint64_t size_bytes)
{
    for (const struct site *site = place->sites; site != NULL; site = site->next)
        if (site->record->size_bytes == size_bytes)
            return true;
    return false;
}

/*
 * Of a result whose instruction makes several sizes by turns: has the operand all of the others, and not this one? Then this one is made of
 * something else, as the first layer's of the data: "h = x", and "h = p @ h @ w" for each w.
 */
static bool is_of_other_sizes(const struct site *operand, const struct site *result)
{
    bool any = false;
    if (!site_size_takes_turns(result) || operand->place == NULL || result->place == NULL ||
        has_size(operand->place, result->record->size_bytes))
        return false;
    for (const struct site *other = result->place->sites; other != NULL; other = other->next) {
        bool is_workspace = other->record->examined == 0 || other->record->births < result->record->births / RARE_PART;
        if (is_workspace || other->record->size_bytes == result->record->size_bytes)
            continue;
        if (!has_size(operand->place, other->record->size_bytes))
            return false;
        any = true;
    }
    return any;
}

/* Are all of its contents, which come round, made for each result: the steps of a loop, of which the last gives it? */
static bool comes_round_within(const struct site *operand, const struct site *result)
{
    const struct db_site *record = operand->record;
    return record->period > 1 && site_repeats(operand) && !site_repeats_far(operand) &&
           record->births == (uint64_t)record->period * result->record->births;
}

/* Had it more contents? Where births are passed over, what is seen of it is held against what the result's rhythm, or its sizes, say of all. */
static bool changed_more(const struct site *operand, const struct site *result)
{
    double contents = contents_of_sizes(result), others;
    if (contents > 0) {
        others = contents_of_sizes(operand);
    } else {
        contents = (double)site_rhythm_contents(result);
        others = (double)site_rhythm_contents(operand);
    }
    if (contents <= 0)
        return site_new(operand) > site_new(result);
    return (others > 0 ? others : contents_of_all(operand)) > contents;
}

/* Answers for the frame `user`, by the frame that makes: an instruction may have thousands of sites, of as many sizes. */
struct makers {
    uint32_t user;
    const struct operand_frame *frame; /* the user's */
    struct {
        uint32_t maker;
        bool is_operand;
    } kept[MAKERS_KEPT];
};

static bool makes_operand(struct model *model, struct process *process, struct makers *makers, uint32_t maker)
{
    size_t at = maker % MAKERS_KEPT;
    if (makers->kept[at].maker != maker) {
        makers->kept[at].maker = maker;
        makers->kept[at].is_operand = are_together(process, makers->user, maker) &&
                                      operand_frame_takes(makers->frame, operand_frame_get(model, process, maker));
    }
    return makers->kept[at].is_operand;
}

/*
 * Adds the operands of `result`. True: one of them changed while it did not. Of what the code itself makes: functions of NumPy that are
 * written in Python make iterators and the like below one instruction of the program, which are new each time and say nothing. What comes
 * again of theirs leads to what it was made from.
 */
static bool add_operands(struct model *model, struct chain *chain, const struct site *result)
{
    struct process *process = result->process;
    uint32_t user = frame_of(result);
    struct operation operation = operation_at(model, process, user);
    const struct db_node *frame = frame_record(process, user);
    struct makers makers = {.user = user, .frame = operand_frame_get(model, process, user)};
    if (frame == NULL || takes_shape_only(&operation))
        return false;
    if (process->beside == NULL)
        order_sites(process);
    for (size_t i = first_beside(process, frame->parent);
         i < process->beside_count && process->beside[i].caller == frame->parent; i++) {
        const struct site *operand = &process->sites[process->beside[i].index];
        uint32_t maker = process->beside[i].maker;
        if (!makes_operand(model, process, &makers, maker)) {
            i = process->beside[i].behind - 1u; /* an instruction may have thousands of sizes */
            continue;
        }
        if (operand == result)
            continue;
        const bool by_itself = maker == operand->python;
        if (is_of_other_sizes(operand, result) || comes_round_within(operand, result))
            continue;
        if (by_itself && changed_more(operand, result))
            return true;
        if (by_itself ? operand->record->examined > 0
                      : comes_again(operand)) /* workspaces are no results: nothing changes less often than they */
            add(chain, operand);
    }
    return false;
}

/* By the text: of a number, or an array, that the loop changes in each round. */
static bool is_made_of_sums(struct model *model, const struct site *site)
{
    return loop_augments(model, site->process, frame_of(site));
}

bool site_is_settled(struct model *model, const struct site *site)
{
    struct chain chain = {.sites = {site}, .count = 1};
    for (size_t i = 0; i < chain.count; i++)
        if (comes_again(chain.sites[i]) &&
            (is_made_of_sums(model, chain.sites[i]) || add_operands(model, &chain, chain.sites[i])))
            return true; /* what is new each time it is made is no plateau: it is made more seldom than what it is made from */
    return false;
}
