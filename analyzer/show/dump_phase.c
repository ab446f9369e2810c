/* The phase of a raw record: of the context that it names (of two accesses the second's), or that its site has. */
#include "show/dump.h"

/* Where the context was not recorded, no sign of a phase was. */
static enum phase phase_of_node(const struct process *process, uint32_t id)
{
    const struct node *node = id != 0 ? model_node(process, id) : NULL;
    return node != NULL ? node_phase(process, node) : PHASE_OTHER;
}

static enum phase phase_of_site(const struct process *process, uint32_t id)
{
    const struct db_site *site = run_record(process->run, DB_KIND_SITE, id);
    return phase_of_node(process, site != NULL ? site->node : 0);
}

enum phase dump_phase(const struct process *process, enum db_kind kind, uint64_t id, const void *record)
{
    switch (kind) {
    case DB_KIND_NODE:
        return phase_of_node(process, (uint32_t)id);
    case DB_KIND_PAIR:
        return phase_of_node(process, ((const struct db_pair *)record)->second_node);
    case DB_KIND_COUNTER:
        return phase_of_node(process, ((const struct db_counter *)record)->node);
    case DB_KIND_SITE:
        return phase_of_node(process, ((const struct db_site *)record)->node);
    case DB_KIND_LINK:
        return phase_of_site(process, ((const struct db_link *)record)->second_site);
    case DB_KIND_CONTENT:
        return phase_of_site(process, ((const struct db_content *)record)->site);
    case DB_KIND_HEAT:
        return phase_of_site(process, ((const struct db_heat *)record)->site);
    case DB_KIND_NEIGHBOUR:
        return phase_of_site(process, ((const struct db_neighbour *)record)->site);
    default:
        return PHASE_COUNT;
    }
}
