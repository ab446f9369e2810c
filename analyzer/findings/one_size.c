#include "findings/one_size.h"

#include "findings/far.h"
#include "findings/libraries.h"
#include "findings/one_of_round.h"
#include "findings/size_rounds.h"

#define BIRTHS_MIN 8u /* of each other size */

static bool stays(struct model *model, const struct sized *sized)
{
    const struct site *site = sized->site;
    bool stays = site_new(site) == 1 && site->record->constant == 0 && site_period(site) == 1;
    return sized->carries && site_size_takes_turns(site) && (stays || site_staying_of_round(site) > 0) &&
           !site_repeats_far(site) && site_is_called_by_line(model, site);
}

static bool is_other_size(const struct sized *sized)
{
    return !sized->carries && !sized->has_own_size && site_size_takes_turns(sized->site) &&
           sized->site->record->births >= BIRTHS_MIN;
}

/* Is there one that stays among those of the call, and is all else of other sizes? Not more than one content is of no size. */
static bool has_one_size(struct model *model, const struct own_sizes *sizes, size_t first, size_t end)
{
    bool any = false, differs = false;
    for (size_t i = first; i < end; i++) {
        const struct sized *sized = &sizes->sites[i];
        if (stays(model, sized))
            any = true;
        else if (sizes->rule->differing(sized->site) > 0 && !is_other_size(sized))
            differs = true;
    }
    return any && !differs;
}

static bool differs(const struct own_sizes *sizes, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (!sizes->sites[i].carries && sizes->rule->differing(sizes->sites[i].site) > 0)
            return true;
    return false;
}

void one_size_find(struct model *model, struct own_sizes *sizes)
{
    if (sizes->rule->first == NULL)
        return;
    for (size_t first = 0, end; first < sizes->count; first = end) {
        end = own_sizes_end_of_call(sizes, first);
        if (differs(sizes, first, end) && !has_one_size(model, sizes, first, end))
            return;
    }
    for (size_t i = 0; i < sizes->count; i++)
        sizes->sites[i].is_apart = is_other_size(&sizes->sites[i]) && sizes->rule->differing(sizes->sites[i].site) > 0;
}
