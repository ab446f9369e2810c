/* Two accesses to the same bytes, each with the way there. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/frames.h"
#include "show/text_parts.h"
#include "symbols/demangle.h"

#define FRAMES_MAX 4u /* of the user's, and of packages */

struct chain {
    char *text;
};

static void chain_add(struct chain *chain, char *step)
{
    char *longer = chain->text != NULL ? memory_print("%s > %s", chain->text, step) : memory_print("%s", step);
    free(chain->text);
    free(step);
    chain->text = longer;
}

static char *python_step(const struct model *model, const struct frame *frame)
{
    char *path = text_path(model, frame->file), *function = text_printable(frame->function, strlen(frame->function));
    char *step = memory_print("%s:%d %s", path, frame->line, function);
    free(path);
    free(function);
    return step;
}

/* "_multiarray_umath" of "_multiarray_umath.cpython-311-x86_64-linux-gnu.so", "libopenblas" of "libopenblas.so.0". */
static char *library_name(const char *library)
{
    const char *end = library != NULL ? strstr(library, ".cpython-") : NULL;
    if (library == NULL)
        return memory_print("generated code");
    end = end != NULL ? end : strstr(library, ".so");
    return text_printable(library, end != NULL && end > library ? (size_t)(end - library) : strlen(library));
}

static char *native_step(const struct frame *frame)
{
    char *library = library_name(frame->library), *step;
    if (frame->function == NULL) {
        step = memory_print("[%s]", library);
    } else {
        const char *short_name = demangle_short(frame->function);
        char *name = text_printable(short_name, strlen(short_name));
        step = memory_print("%s [%s]", name, library);
        free(name);
    }
    free(library);
    return step;
}

static bool is_owned(const struct frame *frame, enum owner owner)
{
    return frame->kind == FRAME_PYTHON && frame->owner == owner;
}

/* Of the owner's Python frames from there on the innermost few. */
static void chain_innermost(struct chain *chain, const struct model *model, const struct context *context, size_t from,
                            enum owner owner)
{
    size_t count = 0;
    for (size_t i = from; i < context->count; i++)
        count += is_owned(&context->frames[i], owner);
    if (count > FRAMES_MAX)
        chain_add(chain, memory_print("..."));
    for (size_t i = from; i < context->count; i++)
        if (is_owned(&context->frames[i], owner) && count-- <= FRAMES_MAX)
            chain_add(chain, python_step(model, &context->frames[i]));
}

/* Python frames: the user's innermost few; below them those of packages, and what of a foundation's or the language's own is innermost. */
static void chain_python(struct chain *chain, const struct model *model, const struct context *context)
{
    size_t below = 0;
    const struct frame *innermost = NULL;
    for (size_t i = 0; i < context->count; i++) {
        below = is_owned(&context->frames[i], OWNER_USER) ? i + 1 : below;
        innermost = context->frames[i].kind == FRAME_PYTHON ? &context->frames[i] : innermost;
    }
    chain_innermost(chain, model, context, 0, OWNER_USER);
    chain_innermost(chain, model, context, below, OWNER_PACKAGE);
    if (innermost != NULL && innermost->owner != OWNER_USER && innermost->owner != OWNER_PACKAGE)
        chain_add(chain, python_step(model, innermost));
}

/* Of the native frames below the innermost Python frame, the interpreter's own left out: where it entered, the innermost
 * function with a name, and the library it was in where that is yet another. Behind a gap nobody knows what entered. */
static void chain_native(struct chain *chain, const struct context *context, bool entry_alone)
{
    const struct frame *entry = NULL, *named = NULL, *leaf = NULL;
    bool gap = false;
    size_t start = 0;
    for (size_t i = 0; i < context->count; i++)
        start = context->frames[i].kind == FRAME_PYTHON ? i + 1 : start;
    for (size_t i = start; i < context->count; i++) {
        const struct frame *frame = &context->frames[i];
        gap = gap || frame->kind == FRAME_GAP;
        if (frame->kind != FRAME_NATIVE || frame->interpreter)
            continue;
        leaf = frame;
        named = frame->function != NULL ? frame : named;
        entry = entry == NULL && !gap ? named : entry;
    }
    if (entry != NULL && (entry != named || entry_alone))
        chain_add(chain, native_step(entry));
    if (entry != NULL && entry_alone)
        return;
    if (gap)
        chain_add(chain, memory_print("..."));
    if (named != NULL)
        chain_add(chain, native_step(named));
    if (leaf != NULL && leaf->function == NULL && (named == NULL || named->library != leaf->library))
        chain_add(chain, native_step(leaf));
}

char *text_context(struct model *model, const struct process *process, uint32_t node, bool entry_alone)
{
    struct context context;
    struct chain chain = {0};
    context_expand(&context, model, (struct process *)(uintptr_t)process, node);
    chain_python(&chain, model, &context);
    if (chain.text == NULL)
        chain_add(&chain, memory_print("(%s)", context.thread));
    chain_native(&chain, &context, entry_alone);
    context_free(&context);
    return chain.text;
}

char *text_way(struct model *model, const struct process *process, uint32_t node)
{
    struct context context;
    struct chain chain = {0};
    context_expand_python(&context, model, (struct process *)(uintptr_t)process, node);
    chain_python(&chain, model, &context);
    context_free(&context);
    return chain.text != NULL ? chain.text : memory_print("(%s)", context.thread);
}

static void put_side(const struct page *page, const char *label, const char *text)
{
    char *head = memory_print("      %-7s", label);
    page_put(page, STYLE_DIM, head);
    page_wrap(page, 13, 15, text);
    free(head);
}

/* "2 MiB, allocated at train.py:31 make_mask"; nothing where that is not known. */
static void put_object(const struct page *page, const struct model *model, const struct site *site)
{
    if (site == NULL)
        return;
    const struct line *line = site->place->line;
    char *path = text_path(model, line->file), *function = text_printable(line->function, strlen(line->function));
    char *size = page_bytes(site->record->size_bytes);
    char *text = memory_print("%s, allocated at %s:%d %s", size, path, line->number, function);
    put_side(page, "object", text);
    char *all[] = {path, function, size, text};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

void text_pair(const struct page *page, struct model *model, const struct pair_group *group)
{
    static const char *const verdicts[SHARE_KINDS] = {
        "load of a value already loaded", "store of the value already there", "store overwritten before any load"};
    static const char *const scopes[] = {"", "within one native call", "between native calls", ""};
    char *count = page_count(group->count);
    const char *scope = scopes[group->scope], *phase = text_phase(model, group->phase);
    char *text = memory_print("%s time%s: %s%s%s%s%s%s%s", count, group->count == 1 ? "" : "s", verdicts[group->kind],
                              *scope ? ", " : "", scope, group->zero * 10 >= group->count * 9 ? ", zeros" : "",
                              group->relation == DB_RELATION_RECYCLED ? ", in recycled memory" : "",
                              phase != NULL ? "; in " : "", phase != NULL ? phase : "");
    fputs("    ", page->out);
    page_wrap(page, 4, 6, text);
    char *first = text_context(model, group->process, group->example->first_node, false);
    char *second = text_context(model, group->process, group->example->second_node, false);
    put_object(page, model, objects_site_of_pair(group->process, group->example));
    if (strcmp(first, second) == 0) {
        put_side(page, "both", first);
    } else {
        put_side(page, "first", first);
        put_side(page, "second", second);
    }
    free(count);
    free(text);
    free(first);
    free(second);
}
