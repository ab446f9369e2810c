#include "findings/elided.h"

#include "findings/beyond.h"

static uint32_t frames_beyond(const struct site *site)
{
    return site->record->unlike >> DB_OVERWRITTEN_SHIFT;
}

bool site_is_elided_below(struct model *model, const struct site *site)
{
    return frames_beyond(site) > 0 && beyond_frame(model, site, frames_beyond(site)) == 0;
}

bool site_is_elided_within(struct model *model, const struct site *site)
{
    uint32_t line = lines_frame_of_leaf(model, site->process, site->record->node);
    return site_is_elided_below(model, site) ||
           (frames_beyond(site) > 0 && beyond_frame(model, site, frames_beyond(site)) == line);
}
