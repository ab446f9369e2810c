#include "compare/length.h"

#include <math.h>

bool length_is_same(const struct match *match, uint64_t births)
{
    double most = match->scales.most_before;
    return !match->scales.other_length && most > 1 && most >= SET_UP_PART * (double)births;
}

/* By all lines that make enough, or by those of them that no new row calls. */
static double most_results(const struct match *match, double births, bool called_anew)
{
    double most = 0;
    for (size_t i = 0; i < match->now->line_count; i++) {
        const struct scale *scale = &match->scales.of[i];
        if (scale->before > 1 && scale->before >= SET_UP_PART * births && (called_anew || scale->anew <= 0))
            most = fmax(most, scale->results);
    }
    return most;
}

double length_factor(const struct match *match, uint64_t births)
{
    return length_is_same(match, births) ? 1 : most_results(match, (double)births, true);
}

/* Are all rows of the baseline's files still there, as they were? */
static bool is_only_added_to(const struct match *match)
{
    for (size_t file = 0; file < match->now->file_count; file++) {
        struct match_place place, last = {0};
        size_t kept = 0;
        for (int32_t row = 1; match_has_file(match, file) && (size_t)row <= match->now->files[file].line_count; row++)
            if (match_row_is_unedited(match, file, row, &place)) {
                last = place;
                kept++;
            }
        if (match_has_file(match, file) && (kept == 0 || kept < match->base->files[last.file].line_count))
            return false;
    }
    return true;
}

double length_factor_beside(const struct match *match, double before, double old)
{
    double length = most_results(match, before, false);
    if (length > 0)
        return length;
    return before > 1 && old >= before / (1 + LENGTH_DIFFERS) && is_only_added_to(match) ? old / before : 0;
}

bool length_is_more_at(const struct match *match, size_t line)
{
    double factor = match->scales.of[line].results;
    for (size_t i = 0; i < match->now->line_count && factor > 1 + LENGTH_DIFFERS; i++)
        if (i != line && !lengths_differ(match->scales.of[i].results, factor))
            return true;
    return false;
}

bool length_is_other_throughout(const struct match *match, double births)
{
    for (size_t i = 0; i < match->now->line_count; i++) {
        double factor = length_of_unedited(match, i);
        if (factor > 0 && !lengths_differ(factor, 1) && match->scales.of[i].before >= SET_UP_PART * births)
            return false;
    }
    return true;
}

double length_of_unedited(const struct match *match, size_t line)
{
    const struct scale *scale = &match->scales.of[line];
    return scale->before > 1 ? scale->results : 0;
}

double length_of_line(const struct match *match, size_t line)
{
    uint64_t before = line_results(&match->base->lines[match->base_lines[line]]);
    return before > 0 ? (double)line_results(&match->now->lines[line]) / (double)before : 0;
}

/* In two dimensions, as distances of all to all, a buffer grows as the product of two others. */
bool data_is_larger_by(const struct match *match, size_t line, double factor)
{
    double most = 1, second = 1;
    if (factor <= 1 + LENGTH_DIFFERS || !match_is_unedited(match, &match->now->lines[line]))
        return false;
    for (size_t i = 0; i < match->now->line_count; i++) {
        double larger = i != line ? match->scales.of[i].bytes_each : 0;
        second = fmax(second, fmin(larger, most));
        most = fmax(most, larger);
    }
    return most > 1 + LENGTH_DIFFERS && most * second * (1 + LENGTH_DIFFERS) >= factor;
}

double data_factor(const struct match *match)
{
    double most = match->scales.most_bytes_each;
    return most > 1 + LENGTH_DIFFERS ? most : 1;
}

bool data_is_larger(const struct match *match, size_t line)
{
    return data_is_larger_by(match, line, match->scales.of[line].bytes_each);
}
