#include "findings/rhythm.h"

#include <string.h>

#include "findings/loop.h"
#include "findings/settled.h"
#include "findings/sites.h"

#define AGAIN_MIN 3u /* of each content, so many times at least */
#define CONTENTS_MIN                                                                                                   \
    8u /* of fewer the distances may have such a divisor by chance: of six, one time in three thousand */
#define LONG_CONTENTS_MIN                                                                                              \
    4u /* three distances: one time in forty thousand they have so long a divisor, or a longer one */

uint64_t site_rhythm(const struct site *site)
{
    return site->record->new_step;
}

bool site_rhythm_is_whole(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t first = (uint64_t)record->new_last - record->new_first - (site_new(site) - 2) * record->new_step;
    return first <= record->new_step; /* a program may begin anywhere in its first round */
}

/* Where births are passed over, that is three quarters of them at most since the last that was looked at. */
static bool goes_on(const struct db_site *record)
{
    return record->looked_at < record->births ? record->new_last >= record->births / 4
                                              : record->births - record->new_last < 2 * (uint64_t)record->new_step;
}

static bool is_in_rhythm(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t contents = site_new(site),
             least = record->new_step >= RHYTHM_LONG_BIRTHS ? LONG_CONTENTS_MIN : CONTENTS_MIN;
    return contents >= least && site_new_of_burst(site) == 1 && record->new_step > AGAIN_MIN &&
           record->replicas >= AGAIN_MIN * contents && site_equals_last(site) && goes_on(record);
}

uint64_t site_rhythm_contents(const struct site *site)
{
    return is_in_rhythm(site) ? site->record->births / site->record->new_step + 2 : 0;
}

/* PyTorch's layers call each other once each, whatever is in them: when they make something new the program says. */
static bool is_layer(const struct code *code)
{
    return code->owner == OWNER_FOUNDATION &&
           (strstr(code->file, "/torch/nn/modules/") != NULL || strstr(code->file, "/torch/nn/functional.py") != NULL);
}

/* Made by the user's own code, or by layers that it calls; not by what else that calls. */
static bool is_own(struct model *model, const struct site *site)
{
    struct code *code = NULL;
    const struct node *node = model_node(site->process, site->record->node);
    if (node == NULL)
        return false;
    const struct db_node *record = run_record(site->process->run, DB_KIND_NODE, node->python);
    return record != NULL && model_position(model, site->process, record, &code).line > 0 && code != NULL &&
           (code->owner == OWNER_USER || (is_layer(code) && node->package_frame == 0));
}

/* All but one: the first may be of what is there at the beginning. Of few contents all. */
static bool has_digits(const struct site *site)
{
    return site_new(site) < CONTENTS_MIN ? site_new_are_digits(site) : site_new_has_digits(site);
}

bool site_repeats_in_rhythm(struct model *model, const struct site *site)
{
    return is_in_rhythm(site) && has_digits(site) && is_own(model, site) &&
           loop_around(model, site->process, site->record->node, false).file != NULL && !site_is_settled(model, site);
}
