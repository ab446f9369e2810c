#include "findings/settled.h"

#include <string.h>

#include "findings/expression.h"
#include "findings/operand.h"
#include "findings/sites.h"

#define SITES_MAX 16u

/* The frame of the program's or a package's own code, below which the object was made. */
static uint32_t frame_of(struct model *model, const struct site *site)
{
    return objects_caller_frame(model, site->process, site->record->node);
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

/* Both frames in one execution of one function? Asked first: it is cheap, and true of few. */
static bool are_together(const struct process *process, uint32_t one, uint32_t other)
{
    const struct db_node *a = run_record(process->run, DB_KIND_NODE, one),
                         *b = run_record(process->run, DB_KIND_NODE, other);
    return one != other && a != NULL && b != NULL && a->parent == b->parent && a->value >> 32 == b->value >> 32;
}

/* The site, its operands, theirs, and so on: as far as there is room. */
struct chain {
    const struct site *sites[SITES_MAX];
    size_t count;
};

static void add(struct chain *chain, const struct site *site)
{
    for (size_t i = 0; i < chain->count; i++)
        if (chain->sites[i] == site)
            return;
    if (chain->count < SITES_MAX)
        chain->sites[chain->count++] = site;
}

/*
 * Adds the operands of `result`. True: one of them changed while it did not. Only what the code itself makes: functions of
 * NumPy that are written in Python make iterators and the like below one instruction of the program.
 */
static bool add_operands(struct model *model, struct chain *chain, const struct site *result)
{
    struct process *process = result->process;
    uint32_t user = frame_of(model, result);
    struct operation operation = operation_at(model, process, user);
    size_t count = takes_shape_only(&operation) ? 0 : run_capacity(&process->run->tables[DB_KIND_SITE]);
    for (size_t i = 0; i < count; i++) {
        const struct site *operand = &process->sites[i];
        const struct node *node = operand->record != NULL ? model_node(process, operand->record->node) : NULL;
        if (node == NULL || operand == result || !are_together(process, user, node->python) ||
            !is_operand(model, process, node->python, user))
            continue;
        if (site_new(operand) > site_new(result))
            return true;
        add(chain, operand);
    }
    return false;
}

bool site_is_settled(struct model *model, const struct site *site)
{
    struct chain chain = {.sites = {site}, .count = 1};
    for (size_t i = 0; i < chain.count; i++)
        if (add_operands(model, &chain, chain.sites[i]))
            return true;
    return false;
}
