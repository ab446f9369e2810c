#include "findings/inputs_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "findings/imported_files.h"

#define FILES_MAX 24u /* of a program's own; a region has room for those of a site's way as well */

/* The program's own files: those of which code was seen to make something, and what these import. */
struct program {
    struct process *process;
    const char *files[FILES_MAX];
    size_t count;
};

struct inputs_cache {
    struct program *programs;
    size_t program_count, program_capacity;
    struct code_index **codes; /* each by itself: regions point at them */
    size_t code_count, code_capacity;
    struct region **regions;
    size_t region_count, region_capacity;
    struct inputs_memo memo;
};

static struct inputs_cache *cache_of(struct model *model)
{
    if (model->inputs == NULL)
        model->inputs = memory_zeroed(1, sizeof(*model->inputs));
    return model->inputs;
}

static struct code_index *index_of(struct model *model, const struct source *code)
{
    struct inputs_cache *cache = cache_of(model);
    for (size_t i = 0; i < cache->code_count; i++)
        if (cache->codes[i]->code == code)
            return cache->codes[i];
    struct code_index *index = memory_zeroed(1, sizeof(*index));
    code_index_read(index, code);
    cache->codes = memory_grow(cache->codes, cache->code_count, &cache->code_capacity, sizeof(struct code_index *));
    cache->codes[cache->code_count++] = index;
    return index;
}

struct inputs_memo *inputs_cache_memo(struct model *model)
{
    return &cache_of(model)->memo;
}

const struct code_index *inputs_cache_code(struct model *model, const struct source *code)
{
    return index_of(model, code);
}

static void see(struct model *model, const struct code *code)
{
    const char *dot = strrchr(code->function, '.'), *name = dot != NULL ? dot + 1 : code->function;
    const struct source *text = source_code(model, code->file);
    if (text->text != NULL)
        code_index_see(index_of(model, text), (struct word){name, strlen(name)});
}

static void add_file(struct program *program, const char *file)
{
    for (size_t i = 0; i < program->count; i++)
        if (program->files[i] == file)
            return;
    if (program->count < FILES_MAX)
        program->files[program->count++] = file;
}

/* The frames from where an object was made outwards, up to those that were met before. */
static void see_way(struct model *model, struct program *program, uint32_t node_id, bool *met)
{
    const struct run_table *table = &program->process->run->tables[DB_KIND_NODE];
    const struct db_node *record = run_record(program->process->run, DB_KIND_NODE, node_id);
    for (; record != NULL && !met[run_index(table, node_id)];
         record = run_record(program->process->run, DB_KIND_NODE, node_id)) {
        met[run_index(table, node_id)] = true;
        const struct code *code = record->frame == DB_FRAME_PYTHON
                                      ? model_code(model, program->process, (uint32_t)(record->value >> 32))
                                      : NULL;
        if (code != NULL && code->owner == OWNER_USER) {
            add_file(program, code->file);
            see(model, code);
        }
        node_id = record->parent;
    }
}

/* What they import may change things, too, and make nothing itself. */
static void add_imported(struct model *model, struct program *program)
{
    const struct source *found[FILES_MAX];
    for (size_t i = 0; i < program->count && program->count < FILES_MAX; i++) {
        const struct source *code = source_code(model, program->files[i]);
        size_t count = code->text != NULL ? imported_files(model, index_of(model, code), found, FILES_MAX) : 0;
        for (size_t k = 0; k < count; k++)
            add_file(program, found[k]->path);
    }
}

static int file_order(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/*
 * Of what was made, not of what was sampled, which differs from run to run: a finding would come and go with it.
 */
static const struct program *program_of(struct model *model, struct process *process)
{
    struct inputs_cache *cache = cache_of(model);
    struct run_cursor cursor = {0};
    for (size_t i = 0; i < cache->program_count; i++)
        if (cache->programs[i].process == process)
            return &cache->programs[i];
    struct program program = {.process = process};
    bool *met = memory_zeroed(run_capacity(&process->run->tables[DB_KIND_NODE]), sizeof(*met));
    for (const struct db_site *site; (site = run_next(&process->run->tables[DB_KIND_SITE], &cursor)) != NULL;)
        see_way(model, &program, site->node, met);
    free(met);
    qsort(program.files, program.count, sizeof(program.files[0]), file_order);
    add_imported(model, &program);
    cache->programs =
        memory_grow(cache->programs, cache->program_count, &cache->program_capacity, sizeof(*cache->programs));
    cache->programs[cache->program_count] = program;
    return &cache->programs[cache->program_count++];
}

static void add_program(struct model *model, struct process *process, struct region *region)
{
    const struct program *program = program_of(model, process);
    for (size_t i = 0; i < program->count; i++) {
        const struct source *code = source_code(model, program->files[i]);
        if (code->text != NULL)
            region_add_code(region, inputs_cache_code(model, code));
    }
}

struct region *inputs_cache_region(struct model *model, struct process *process, struct region_span loop)
{
    struct inputs_cache *cache = cache_of(model);
    for (size_t i = 0; i < cache->region_count; i++) {
        const struct region_span *own = &cache->regions[i]->loop;
        if (own->code == loop.code && own->first == loop.first && own->last == loop.last && own->def == loop.def)
            return cache->regions[i];
    }
    struct region *region = memory_zeroed(1, sizeof(*region));
    region_begin(region, loop);
    add_program(model, process, region);
    cache->regions = memory_grow(cache->regions, cache->region_count, &cache->region_capacity, sizeof(struct region *));
    cache->regions[cache->region_count++] = region;
    return region;
}

void inputs_cache_free(struct model *model)
{
    struct inputs_cache *cache = model->inputs;
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->code_count; i++) {
        code_index_free(cache->codes[i]);
        free(cache->codes[i]);
    }
    for (size_t i = 0; i < cache->region_count; i++) {
        region_free(cache->regions[i]);
        free(cache->regions[i]);
    }
    inputs_memo_free(&cache->memo);
    free(cache->programs);
    free(cache->codes);
    free(cache->regions);
    free(cache);
    model->inputs = NULL;
}
