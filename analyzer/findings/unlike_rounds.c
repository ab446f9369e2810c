#include "findings/unlike_rounds.h"

#include "findings/sites.h"

#define GROWN_OF_BIRTHS 4u /* two, and some more where a last round is new, or a loop around begins anew */
#define CONTENTS_MIN 8u
#define FEW_PART 16u /* of what is chosen from more, the history of 64 forgets some */
#define AGAIN_MIN 3u /* times in the mean, as of eight contents whose rounds become shorter by one each time */

/*
 * All births were looked at, or what changes later would not be seen. And where n rounds each bring one content more they have n * n / 2 births:
 * of inputs that changed in between, whole rounds are new, and there are more contents than that.
 */
bool site_rounds_grow(const struct site *site)
{
    const struct db_site *record = site->record;
    bool is_new_by_growth = site_new(site) * record->new_bursts <= GROWN_OF_BIRTHS * record->births;
    return db_rounds_grow(record->new_growing, record->new_other) && record->looked_at >= record->births &&
           is_new_by_growth && record->replicas >= site_new(site) && !site_repeats(site);
}

bool site_first_makes_all(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t contents = site_new(site);
    bool come_first = record->new_bursts == 1 && record->new_last != UINT32_MAX &&
                      record->new_last - record->new_first + 1 == contents;
    bool is_known = record->constant == 0 && record->undecided == 0 && (record->unlike & DB_UNLIKE_BEFORE) == 0;
    return contents >= CONTENTS_MIN && come_first && is_known && site_new_are_digits(site) &&
           record->replicas >= AGAIN_MIN * contents && site_period(site) == 0 && !site_repeats(site);
}

/* But for some that the history forgets. */
static bool are_about(uint64_t contents, uint64_t others)
{
    return contents <= others + others / 4 + 1;
}

/*
 * Are there as many contents as the far history saw in the first 256 births; or, where there is none, did all come in the first half of the run?
 * Others come later where inputs change, be it while births are passed over: then more of them come again than were seen to be new.
 */
static bool come_early(const struct site *site)
{
    const struct db_site *record = site->record;
    bool are_early = record->size_bytes >= DB_FAR_MIN_BYTES
                         ? record->far_bits == 0 && are_about(site_new(site), record->far_contents)
                         : record->new_last <= record->births / 2;
    return are_early && are_about(record->recurring, site_new(site));
}

bool site_takes_from_few(const struct site *site)
{
    const struct db_site *record = site->record;
    uint64_t contents = site_new(site);
    bool are_numbers = record->constant == 0 && site_new_has_digits(site);
    bool is_known = record->undecided == 0 && (record->unlike & DB_UNLIKE_BEFORE) == 0;
    bool come_all_again = (uint64_t)record->recurring * 4 >= contents * 3 && record->examined >= FEW_PART * contents;
    return are_numbers && is_known && come_all_again && come_early(site) && site_period(site) == 0 &&
           !site_repeats(site);
}

bool site_rounds_are_unlike(const struct site *site)
{
    return site_rounds_grow(site) || site_first_makes_all(site) || site_takes_from_few(site);
}
