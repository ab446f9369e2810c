#include "findings/inputs_cache.h"

#include <stdlib.h>

#include "base/memory.h"

struct inputs_cache {
    struct code_index **codes; /* each by itself: regions point at them */
    size_t code_count, code_capacity;
    struct region **regions;
    size_t region_count, region_capacity;
};

static struct inputs_cache *cache_of(struct model *model)
{
    if (model->inputs == NULL)
        model->inputs = memory_zeroed(1, sizeof(*model->inputs));
    return model->inputs;
}

const struct code_index *inputs_cache_code(struct model *model, const struct source *code)
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

struct region *inputs_cache_region(struct model *model, struct region_span loop)
{
    struct inputs_cache *cache = cache_of(model);
    for (size_t i = 0; i < cache->region_count; i++) {
        const struct region_span *own = &cache->regions[i]->loop;
        if (own->code == loop.code && own->first == loop.first && own->last == loop.last && own->def == loop.def)
            return cache->regions[i];
    }
    struct region *region = memory_zeroed(1, sizeof(*region));
    region_begin(region, loop);
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
    free(cache->codes);
    free(cache->regions);
    free(cache);
    model->inputs = NULL;
}
