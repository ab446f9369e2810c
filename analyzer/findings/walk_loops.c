#include "findings/walk_loops.h"

#include "base/memory.h"
#include "model/source.h"
#include "model/source_code.h"

/* `*is_new`: its text is to be read. */
static struct walk *walk_at(struct walks *walks, struct map *map, const char *file, int32_t line, int32_t column,
                            bool *is_new)
{
    struct map_key key = {(uintptr_t)file, (uint64_t)line, (uint64_t)(uint32_t)column};
    struct walk *walk = map_get(map, key);
    *is_new = walk == NULL;
    if (walk != NULL)
        return walk;
    walk = memory_zeroed(1, sizeof(*walk));
    map_put(map, key, walk);
    walks->walks = memory_grow(walks->walks, walks->walk_count, &walks->walk_capacity, sizeof(*walks->walks));
    return walks->walks[walks->walk_count++] = walk;
}

struct walk *walk_of_loop(struct walks *walks, struct map *map, struct model *model, const struct loop_body *body)
{
    bool is_new;
    struct walk *walk = walk_at(walks, map, body->code->file, body->first, -1, &is_new);
    if (is_new) {
        loop_text_read(&walk->text, source_joined(model, body->code->file), body->first, body->last);
        walk->file = body->code->file;
        walk->header = body->first;
    }
    return walk;
}

struct walk *walk_of_comprehension(struct walks *walks, struct map *map, const struct comprehension *comprehension)
{
    bool is_new;
    struct walk *walk =
        walk_at(walks, map, comprehension->code->file, comprehension->line, comprehension->column, &is_new);
    if (is_new)
        loop_text_read_comprehension(&walk->text, comprehension->element, comprehension->clauses);
    walk->text.carried = walk->text.carried || comprehension->ends_early;
    return walk;
}

struct walk *walk_free_of(struct walks *walks, struct map *map, struct model *model, struct walk *walk,
                          const struct loop_body *around)
{
    struct walk *outer = walk_of_loop(walks, map, model, around);
    if (outer->text.carried || outer->text.few || outer->text.scattered)
        return walk;
    outer->within = walk;
    return outer;
}
