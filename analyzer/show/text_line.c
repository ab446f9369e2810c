/* One ranked line: where, how much, its text, its time and its accesses. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/share.h"
#include "model/source.h"
#include "show/text_parts.h"

#define INDENT 4
#define LEFT_OUT "..."
#define BYTES_OF_COLUMN 4 /* of UTF-8, at most: no more are tried */
#define LEFT_PART 4 /* of a long line so much of the room, at most, is what stands before the part that is meant */

static void put_title(const struct page *page, const struct model *model, const struct line *line, size_t rank)
{
    double seconds = (double)times_total(&line->times) * 1e-9;
    char *path = text_path(model, line->file), *function = text_printable(line->function, strlen(line->function));
    char *time = page_seconds(seconds), *percent = page_percent(model_percent(model, seconds));
    char *cost = memory_print("%10s %6s", time, percent);
    size_t room = page->width - INDENT > strlen(cost) + 12 ? page->width - INDENT - strlen(cost) - 1 : 12;
    char *where = memory_print("%s:%d %s", path, line->number, function), *cut = text_cut(where, room);
    fprintf(page->out, "%2zu  ", rank);
    page_put(page, STYLE_TITLE, cut);
    fprintf(page->out, "%*s", (int)(room - text_columns(cut) + 1), "");
    page_put(page, STYLE_TITLE, cost);
    fputc('\n', page->out);
    char *all[] = {path, function, time, percent, cost, where, cut};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

/* Columns a prefix of the line takes once printable. */
static size_t prefix_columns(const char *text, size_t length_bytes)
{
    char *printable = text_printable(text, length_bytes);
    size_t columns = text_columns(printable);
    free(printable);
    return columns;
}

/* Marks the part's columns in `carets`, which has room for `room`; nothing when that is the whole line. False: it cannot be. */
static bool mark_carets(char *carets, const struct line_span *span, const char *text, size_t length, size_t skip,
                        size_t room)
{
    if (span->column < 0 || (size_t)span->column >= length || span->column < (int32_t)skip)
        return false;
    size_t end = span->end_line == span->line && span->end_column > span->column ? (size_t)span->end_column : length;
    end = end < length ? end : length;
    size_t before = prefix_columns(text + skip, (size_t)span->column - skip);
    size_t under = prefix_columns(text + span->column, end - (size_t)span->column);
    if (before >= room || under == 0)
        return false;
    memset(carets + before, '^', before + under > room ? room - before : under);
    return true;
}

/* Of a line that is longer than there is room for: from which byte on it is shown, so that the first part that is meant is seen. */
static size_t first_shown(const struct line_span *spans, size_t count, const char *text, size_t length, size_t skip,
                          size_t room)
{
    size_t first = length, end = length;
    for (size_t i = 0; i < count; i++) {
        bool is_first = spans[i].column >= (int32_t)skip && (size_t)spans[i].column < first;
        if (is_first) {
            bool is_row = spans[i].end_line == spans[i].line && spans[i].end_column > spans[i].column;
            first = (size_t)spans[i].column;
            end = is_row && (size_t)spans[i].end_column < length ? (size_t)spans[i].end_column : length;
        }
    }
    if (first == length || prefix_columns(text + skip, end - skip) <= room)
        return skip;
    size_t most = BYTES_OF_COLUMN * room, shown = first > skip + most ? first - most : skip;
    while (shown < first && (prefix_columns(text + shown, first - shown) > room / LEFT_PART ||
                             ((unsigned char)text[shown] & 0xC0) == 0x80))
        shown++;
    return shown;
}

/* Carets under the parts of the line that are meant, with blanks between these; `left` columns are taken by something else. */
static void put_carets(const struct page *page, const struct line_span *spans, size_t count, const char *text,
                       size_t length, size_t skip, size_t left, size_t room)
{
    char *carets = memory_zeroed(room + 1, 1), *first;
    bool any = false;
    memset(carets, ' ', room);
    for (size_t i = 0; i < count; i++)
        any |= mark_carets(carets, &spans[i], text, length, skip, room);
    if (any) {
        carets[(size_t)(strrchr(carets, '^') - carets) + 1] = '\0';
        first = strchr(carets, '^');
        fprintf(page->out, "%*s", INDENT + 5, "");
        page_put(page, STYLE_DIM, " | ");
        fprintf(page->out, "%*s", (int)(left + (size_t)(first - carets)), "");
        page_put(page, STYLE_MARK, first);
        fputc('\n', page->out);
    }
    free(carets);
}

void text_source(const struct page *page, const struct model *model, const struct line *line,
                 const struct line_span *spans, size_t count)
{
    const struct source *source = source_get(model, line->file);
    size_t length = 0, skip = 0, room = page->width > INDENT + 8 ? page->width - INDENT - 8 : 1;
    const char *text = source_line(source, line->number, &length);
    if (text == NULL) {
        fprintf(page->out, "%*s", INDENT, "");
        page_put(page, STYLE_DIM,
                 source->state == SOURCE_NONE ? "(its source is not here)\n" : "(no such line in its source)\n");
        return;
    }
    while (skip < length && (text[skip] == ' ' || text[skip] == '\t'))
        skip++;
    size_t shown = first_shown(spans, count, text, length, skip, room);
    const char *before = shown > skip ? LEFT_OUT : "";
    room -= shown > skip && room > strlen(LEFT_OUT) ? strlen(LEFT_OUT) : 0;
    char *printable = text_printable(text + shown, length - shown), *cut = text_cut(printable, room);
    char *number = memory_print("%*s%5d", INDENT, "", line->number);
    page_put(page, STYLE_DIM, number);
    page_put(page, STYLE_DIM, " | ");
    fprintf(page->out, "%s%s\n", before, cut);
    put_carets(page, spans, count, text, length, shown, strlen(before), room);
    if (source->state == SOURCE_CHANGED)
        page_put(page, STYLE_WARN, "          (as it ran: the file on disk is another by now)\n");
    if (source->state == SOURCE_EDITED)
        page_put(page, STYLE_WARN, "          (the file was changed while the program ran: perhaps not what ran)\n");
    if (source->state == SOURCE_DISK)
        page_put(page, STYLE_DIM, "          (from the disk as it is now: the run did not store this file)\n");
    free(printable);
    free(cut);
    free(number);
}

static void put_times(const struct page *page, const struct model *model, const struct line *line)
{
    double total = (double)times_total(&line->times);
    if (total <= 0)
        return;
    char *parts[TIME_KINDS];
    for (size_t i = 0; i < TIME_KINDS; i++)
        parts[i] = page_percent(100 * (double)line->times.ns[i] / total);
    char *phases = text_line_phases(model, line);
    double workers = 100 * (double)line->worker_ns / total;
    char *part = page_percent(workers);
    char *on_workers = workers >= 1 ? memory_print("; on worker threads %s", part) : memory_print("%s", "");
    char *text = memory_print("native %s, Python %s, boundary %s%s%s%s", parts[TIME_NATIVE], parts[TIME_PYTHON],
                              parts[TIME_BOUNDARY], on_workers, phases ? "; " : "", phases ? phases : "");
    fprintf(page->out, "%*s", INDENT, "");
    page_wrap(page, INDENT, INDENT, text);
    for (size_t i = 0; i < TIME_KINDS; i++)
        free(parts[i]);
    free(phases);
    free(part);
    free(on_workers);
    free(text);
}

static void put_shares(const struct page *page, const struct line *line)
{
    static const char *const names[SHARE_KINDS] = {"redundant loads", "redundant stores", "dead stores"};
    char *text = memory_print("%s", "");
    for (size_t i = 0; i < SHARE_KINDS; i++) {
        char *share = text_share(share_estimate(&line->shares[i])), *count = page_count(line->shares[i].pairs);
        if (share != NULL) {
            char *longer = memory_print("%s%s%s %s of %s", text, *text ? "; " : "", names[i], share, count);
            free(text);
            text = longer;
        }
        free(share);
        free(count);
    }
    if (*text != '\0') {
        fprintf(page->out, "%*s", INDENT, "");
        page_wrap(page, INDENT, INDENT, text);
    }
    free(text);
}

static void put_line_objects(const struct page *page, const struct model *model, const struct line *line)
{
    char *objects = text_objects(&line->objects);
    char *texts[] = {objects != NULL ? memory_print("objects %s", objects) : NULL, text_line_memory(model, line),
                     text_contents(line->contents)};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i] != NULL) {
            fprintf(page->out, "%*s", INDENT, "");
            page_wrap(page, INDENT, INDENT, texts[i]);
        }
        free(texts[i]);
    }
    free(objects);
}

/* The heaviest group of pairs behind the line's waste. */
static const struct pair_group *line_pair(const struct model *model, const struct line *line)
{
    for (size_t i = 0; i < model->pair_count; i++) {
        const struct pair_group *group = model->pairs[i];
        if (group->kind == line->waste_kind && (line->waste_kind == SHARE_DEAD ? group->first : group->second) == line)
            return group;
    }
    return NULL;
}

static char *other_line(const struct model *model, const struct line *line, const struct line *other)
{
    if (other == NULL)
        return memory_print("code without a Python line");
    if (other == line)
        return memory_print("the same line");
    char *path = text_path(model, other->file), *text = memory_print("%s:%d", path, other->number);
    free(path);
    return text;
}

static void put_advice(const struct page *page, const struct model *model, const struct line *line,
                       double min_waste_percent)
{
    if (!line->wasteful || model_percent(model, line->stored_s) < min_waste_percent)
        return;
    const struct share *share = &line->shares[line->waste_kind];
    const struct pair_group *group = line_pair(model, line);
    bool dead = line->waste_kind == SHARE_DEAD;
    const char *zero = share->wasted > 0 && share->zero * 10 >= share->wasted * 9 ? " (all of it zeros)" : "";
    char *seconds = page_seconds(line->stored_s), *text;
    char *other = other_line(model, line, group == NULL ? NULL : dead ? group->second : group->first);
    if (dead)
        text = memory_print(
            "Up to %s: most of what it stores is overwritten by %s before anything reads it. Where none of it "
            "is needed, drop this store, or make the buffer without filling it.",
            seconds, other);
    else
        text = memory_print(
            "Up to %s: most of what it stores is already there%s, written by %s. One of the two stores is not "
            "needed.",
            seconds, zero, other);
    fprintf(page->out, "%*s", INDENT, "");
    if (page->color)
        fputs("\033[33m", page->out);
    page_wrap(page, INDENT, INDENT, text);
    if (page->color)
        fputs("\033[0m", page->out);
    free(seconds);
    free(other);
    free(text);
}

void text_caller(const struct page *page, const struct model *model, const struct line *line)
{
    if (line->caller == NULL)
        return;
    char *path = text_path(model, line->caller->file),
         *function = text_printable(line->caller->function, strlen(line->caller->function));
    fprintf(page->out, "%*sentered from %s:%d %s\n", INDENT, "", path, line->caller->number, function);
    free(path);
    free(function);
}

void text_line(const struct page *page, struct model *model, const struct line *line, size_t rank, size_t finding,
               double min_waste_percent)
{
    put_title(page, model, line, rank);
    if (finding > 0)
        fprintf(page->out, "%*sfinding %zu above\n", INDENT, "", finding);
    else
        text_source(page, model, line, &line->span, 1);
    text_caller(page, model, line);
    put_times(page, model, line);
    put_shares(page, line);
    put_line_objects(page, model, line);
    put_advice(page, model, line, min_waste_percent);
    fputc('\n', page->out);
}
