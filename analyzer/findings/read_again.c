#include "findings/read_again.h"

#include <string.h>

#include "findings/expression.h"
#include "findings/far.h"
#include "findings/sites.h"
#include "model/frames.h"
#include "python/words.h"

#define TIMES_MIN 10u         /* each came: a data set that is read anew in a few epochs is ordinary */
#define ROOM_MAX_BYTES 0x1p28 /* of all: what stands in files may be more than memory holds */

static bool is_reader(struct word name)
{
    static const char *const names[] = {"load", "read", "readinto", "fromfile", "read_array"};
    return WORD_IS_ONE_OF(word_last_part(name), names);
}

/* NpzFile["x"] reads, too. */
static bool is_reading(const struct frame *frame)
{
    static const char *const others[] = {"NpzFile.__getitem__", "array_fromfile", "PyArray_FromFile"};
    if (frame->function == NULL)
        return false;
    const struct word name = {frame->function, strlen(frame->function)};
    return (frame->kind == FRAME_PYTHON && is_reader(name)) || WORD_IS_ONE_OF(name, others);
}

/* In foundations' code, the standard library's and native code, which was called by what is none of these. */
static bool functions_read(struct model *model, const struct site *site)
{
    struct context context;
    bool reads = false, goes_on = true;
    context_expand(&context, model, site->process, site->record->node);
    for (size_t i = context.count; goes_on && i-- > 0;) {
        const struct frame *frame = &context.frames[i];
        goes_on = frame->kind != FRAME_PYTHON || frame->owner == OWNER_FOUNDATION || frame->owner == OWNER_STDLIB;
        reads = reads || (goes_on && is_reading(frame));
    }
    context_free(&context);
    return reads;
}

static bool text_reads(struct model *model, const struct site *site)
{
    uint32_t frame = callers_frame(site->process, site->record->node);
    struct operation operation = operation_at(model, site->process, frame);
    return operation.kind == OPERATION_CALL && is_reader((struct word){operation.name, operation.length_bytes});
}

uint64_t site_read_again(struct model *model, const struct site *site)
{
    const struct db_site *record = site->record;
    bool is_far = site_repeats_far(site);
    uint64_t seen = is_far ? record->far_contents : site_new(site),
             again = is_far ? site_far_replicas(site) : record->replicas,
             contents = is_far ? site_far_round(site) : seen;
    if (seen == 0 || again < seen * (TIMES_MIN - 1) || (double)contents * (double)record->size_bytes > ROOM_MAX_BYTES)
        return 0;
    return text_reads(model, site) || functions_read(model, site) ? contents : 0;
}
