#include "findings/below.h"

#include <stdlib.h>

#include "base/memory.h"

static void add_share(struct below *below, struct line *line, uint64_t ns)
{
    size_t i = 0;
    while (i < below->share_count && below->shares[i].line != line)
        i++;
    if (i == below->share_count) {
        below->shares = memory_grow(below->shares, below->share_count, &below->share_capacity, sizeof(*below->shares));
        below->shares[below->share_count++] = (struct below_share){.line = line};
    }
    below->shares[i].ns += ns;
}

void below_add(struct model *model, struct below *below, struct process *process, uint32_t frame, uint32_t leaf,
               const struct db_node *record)
{
    struct line *line = lines_of_leaf(model, process, leaf);
    below->samples += record->samples;
    below->ns += record->cpu_ns;
    if (time_kind_of(process, record, model_node(process, leaf)) != TIME_NATIVE)
        below->python += record->samples;
    if (line != NULL)
        add_share(below, line, record->cpu_ns);
    if (record->cpu_ns >= below->heaviest_ns) {
        below->heaviest_ns = record->cpu_ns;
        below->frame = frame;
        below->process = process;
    }
}

void below_free(struct below *below)
{
    free(below->shares);
}

double below_charge(const struct below *below, const struct line *line)
{
    double own_s = 0;
    for (size_t i = 0; i < below->share_count; i++) {
        double seconds = (double)below->shares[i].ns * 1e-9;
        below->shares[i].line->taken_apart_s += seconds;
        below->shares[i].line->taken_apart_at = line;
        own_s += below->shares[i].line == line ? seconds : 0;
    }
    return own_s;
}
