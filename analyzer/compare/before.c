#include "compare/before.h"

#include <math.h>

#include "compare/length.h"
#include "compare/untold.h"

#define UNSEEN_SHARE 0.1 /* of the objects made again: where nobody looked at so few, these were not among them */
#define CHANCE_SHARE 0.1 /* what was found and repeats so much less is still there */

const struct profile_line *before_line(const struct match *match, const struct profile_finding *finding)
{
    if (match->base_lines[finding->line] != SIZE_MAX)
        return &match->base->lines[match->base_lines[finding->line]];
    for (size_t i = 0; i < match->base->finding_count && !match->known[finding->line]; i++)
        if (match->base->findings[i].id == finding->id)
            return finding_line(match->base, &match->base->findings[i]);
    return NULL;
}

struct repeated before_firm(const struct repeated *there)
{
    struct repeated firm = *there;
    if (there->firm_births > 0) {
        firm.births = there->firm_births;
        firm.bytes = there->firm_bytes;
    }
    return firm;
}

static void add_repeated(struct repeated *sum, const struct match *match, const struct profile_finding *finding,
                         const struct profile_line *other)
{
    bool same_text = finding_line(match->now, finding)->text == other->text;
    struct repeated repeated = line_repeated_before(other, finding, same_text);
    profile_add(&sum->births, repeated.births);
    profile_add(&sum->unseen, repeated.unseen);
    sum->objects += repeated.objects;
    sum->bytes += repeated.bytes;
    sum->most_bytes += repeated.most_bytes;
    sum->plateau = sum->plateau || repeated.plateau;
    profile_add(&sum->firm_births, repeated.firm_births);
    sum->firm_bytes += repeated.firm_bytes;
    sum->plateau_bytes_each = fmax(sum->plateau_bytes_each, repeated.plateau_bytes_each);
}

static bool stands_at(const struct profile_line *line, struct match_place place)
{
    return place.line > 0 && line->file == place.file && line->number == place.line;
}

/*
 * Is a line of the baseline one of the rows of the statement in which a line stands that is unedited and made nothing there? CPython up to 3.9
 * counts a chain of methods over several rows at its first, later ones each at its own.
 */
static bool shares_statement(const struct match *match, size_t line, const struct profile_line *other)
{
    const struct profile_line *now = &match->now->lines[line];
    const struct profile_file *file = &match->now->files[now->file];
    if (file->statements == NULL || !match_is_unedited(match, now) || match->base_lines[line] != SIZE_MAX)
        return false;
    int32_t first = file->statements[now->number - 1];
    for (int32_t row = first; (size_t)row <= file->line_count && file->statements[row - 1] == first; row++)
        if (stands_at(other, match_place(match, now->file, row)))
            return true;
    return false;
}

/* How much of the statement's waste was at which of its rows cannot be told. */
static void add_statement(struct repeated *sum, const struct match *match, const struct profile_finding *finding)
{
    for (size_t i = 0; match->base->lines != NULL && i < match->base->line_count; i++)
        if (shares_statement(match, finding->line, &match->base->lines[i]))
            add_repeated(sum, match, finding, &match->base->lines[i]);
    sum->most_bytes = sum->births > 0 ? INFINITY : 0;
}

/*
 * What the line repeated in the baseline. Whether a package's line or the user line that calls it leads depends on the time
 * the user line takes: where nothing is found at the line itself, what was charged to the others counts, all lines of the package together.
 */
static struct repeated repeated_before(const struct match *match, const struct profile_finding *finding,
                                       const struct profile_line *before)
{
    struct repeated sum = {0};
    if (before != NULL)
        add_repeated(&sum, match, finding, before);
    const struct profile_line *line = finding_line(match->now, finding);
    struct match_place here = match_place(match, line->file, line->number),
                       caller = match_place(match, line->caller_file, line->caller_number);
    const struct profile *base = match->base;
    const bool is_found = sum.births > 0;
    for (size_t i = 0; base->lines != NULL && i < base->line_count && !is_found; i++) {
        const struct profile_line *other = &base->lines[i];
        bool called = here.line > 0 && other->caller_number == here.line && other->caller_file == here.file;
        if (called || stands_at(other, caller))
            add_repeated(&sum, match, finding, other);
    }
    if (sum.births == 0)
        add_statement(&sum, match, finding);
    return sum;
}

/*
 * What each birth made again in the baseline, at most: what repeats in part there may be counted now or not, as data have
 * it, so that the mean over all is no bound.
 */
static double most_each(const struct repeated *there)
{
    double firm = there->firm_births > 0 ? there->firm_bytes / (double)there->firm_births : 0;
    return fmax(there->most_bytes / (double)there->births, fmax(firm, there->plateau_bytes_each));
}

/*
 * Where runs are of other lengths means alone tell, and they are not of the same places: one that has not yet repeated nine
 * tenths is left out of a short run's. All that a line repeats which was not edited is counted on both sides, then.
 */
static bool repeats_alike(const struct match *match, const struct profile_line *before,
                          const struct profile_finding *finding, double factor)
{
    const struct profile_line *line = finding_line(match->now, finding);
    if (before == NULL || before->text != line->text)
        return false;
    struct repeated now = line_repeated_before(line, finding, true),
                    there = line_repeated_before(before, finding, true);
    return now.births > 0 && there.births > 0 &&
           now.most_bytes / (double)now.births <= factor * there.most_bytes / (double)there.births;
}

/*
 * At a line that was edited: several buffers that are joined to one are larger for each birth, and no more; a longer run makes as many
 * times more of them, and larger data as many times larger ones.
 */
static bool is_more_in_all(const struct match *match, const struct profile_line *before,
                           const struct profile_finding *finding, const struct repeated *now,
                           const struct repeated *there, double factor)
{
    double length = length_factor(match, there->births);
    if (match->known[finding->line] && !match_is_unedited(match, finding_line(match->now, finding)) && length > 0)
        return now->bytes > factor * length * data_factor(match) * there->most_bytes;
    if (length_is_same(match, 0))
        return now->bytes > factor * there->most_bytes;
    return !repeats_alike(match, before, finding, factor);
}

/*
 * Larger or not, is as large a part made again? Places that repeat in part thin out the baseline's mean, but are not in the finding's: it is
 * then against those that repeated throughout, as long as no more places do.
 */
static bool repeats_as_often(const struct match *match, const struct profile_finding *finding,
                             const struct repeated *now, const struct repeated *there, double factor)
{
    double firm_births = (double)there->firm_births * match->scales.of[finding->line].results;
    return now->objects / (double)now->births <= factor * there->objects / (double)there->births ||
           (double)now->births <= factor * firm_births;
}

enum judged before_judge(const struct match *match, const struct profile_line *before,
                         const struct profile_finding *finding, const struct repeated *now,
                         const struct gate_options *options, struct repeated *there)
{
    *there = repeated_before(match, finding, before);
    if (there->births == 0) {
        there->untold = untold_why(match, finding, now);
        bool unseen = there->unseen > 0 && (double)there->unseen >= UNSEEN_SHARE * now->objects;
        return unseen || there->untold != NULL ? JUDGED_UNTOLD : JUDGED_NEW;
    }
    double factor = 1 + options->increase_percent / 100;
    bool more = now->bytes / (double)now->births > factor * most_each(there) &&
                is_more_in_all(match, before, finding, now, there, factor);
    struct repeated firm = before_firm(there);
    double larger = now->bytes / (double)now->births / (firm.bytes / (double)firm.births);
    bool only_larger = (data_is_larger(match, finding->line) || data_is_larger_by(match, finding->line, larger)) &&
                       repeats_as_often(match, finding, now, there, factor);
    return more && !only_larger && !untold_by_length(match, finding) ? JUDGED_INCREASED : JUDGED_KNOWN;
}

/* Is `line` of the run that is judged the finding's, or the package's line or user line that may lead in its place? */
static bool stands_for(const struct match *match, const struct profile_finding *finding, size_t line)
{
    const struct profile_line *now = &match->now->lines[line], *base = finding_line(match->base, finding);
    struct match_place here = match_place(match, now->file, now->number),
                       caller = match_place(match, now->caller_file, now->caller_number);
    bool called = here.line > 0 && base->caller_number == here.line && base->caller_file == here.file;
    return match->base_lines[line] == finding->line || called || stands_at(base, caller) ||
           shares_statement(match, line, base);
}

bool before_is_still_there(const struct match *match, const struct profile_finding *finding)
{
    for (size_t i = 0; i < match->now->finding_count; i++)
        if (match->now->findings[i].id == finding->id)
            return true;
    uint64_t births = 0;
    for (size_t i = 0; i < match->now->line_count && births == 0; i++)
        if (stands_for(match, finding, i))
            births = line_repeated(&match->now->lines[i], finding->kind, DECIDES_SHARE - CHANCE_SHARE).births;
    return births > 0;
}
