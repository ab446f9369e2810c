#include "show/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

/* The terminal's; of none what COLUMNS says, as ls(1) has it. */
static size_t terminal_width(FILE *out)
{
    struct winsize size;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= OPTIONS_WIDTH_LEAST)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    unsigned long width = columns != NULL ? strtoul(columns, &end, 10) : 0;
    bool is_number = columns != NULL && *columns >= '0' && *columns <= '9' && *end == '\0';
    return is_number && width >= OPTIONS_WIDTH_LEAST && width <= OPTIONS_WIDTH_MOST ? width : 100;
}

void page_start(struct page *page, FILE *out, const struct options *options)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool wanted = isatty(fileno(out)) && !(no_color != NULL && *no_color != '\0') &&
                  !(terminal != NULL && strcmp(terminal, "dumb") == 0);
    page->out = out;
    page->width = options->width > 0 ? options->width : terminal_width(out);
    page->color = options->color == COLOR_ALWAYS || (options->color == COLOR_AUTO && wanted);
}

void page_put(const struct page *page, enum style style, const char *text)
{
    static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[33m", "\033[32m", "\033[1;31m"};
    if (!page->color || style == STYLE_PLAIN)
        fputs(text, page->out);
    else
        fprintf(page->out, "%s%s\033[0m", codes[style], text);
}

/* Up to the next blank where a row may end: not between a number and its "%". */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " ");
    while (text[length] == ' ' && text[length + 1] == '%')
        length += 2 + strcspn(text + length + 2, " ");
    return length;
}

void page_wrap(const struct page *page, size_t at, size_t indent, const char *text)
{
    bool fresh = true; /* nothing on this row yet */
    size_t blanks = 0;
    while (*text != '\0') {
        size_t length = word_length(text);
        char *word = memory_print("%.*s", (int)length, text);
        size_t columns = text_columns(word);
        if (!fresh && at + blanks + columns > page->width) {
            fprintf(page->out, "\n%*s", (int)indent, "");
            at = indent;
            fresh = true;
        }
        fprintf(page->out, "%*s%s", fresh ? 0 : (int)blanks, "", word);
        at += columns + (fresh ? 0 : blanks);
        fresh = false;
        free(word);
        text += length;
        blanks = strspn(text, " ");
        text += blanks;
    }
    fputc('\n', page->out);
}

char *page_count(uint64_t count)
{
    char digits[24], text[32];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return memory_print("%s", text);
}

char *page_times(uint64_t count)
{
    char *number = page_count(count), *text = count == 1 ? memory_print("once") : memory_print("%s times", number);
    free(number);
    return text;
}

char *page_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
        value /= 1024;
    bool whole = value >= 99.95 || (double)(uint64_t)value >= value;
    return memory_print("%.*f %s", whole ? 0 : 1, value, units[unit]);
}

char *page_seconds(double seconds)
{
    if (seconds <= 0)
        return memory_print("0 s");
    if (seconds < 0.0995)
        return memory_print("%.0f ms", seconds * 1e3 < 1 ? 1 : seconds * 1e3);
    if (seconds < 600)
        return memory_print(seconds < 9.995 ? "%.2f s" : "%.1f s", seconds);
    unsigned long minutes = (unsigned long)(seconds / 60);
    if (minutes < 600)
        return memory_print("%lu min %02lu s", minutes, (unsigned long)seconds % 60);
    return memory_print("%lu h %02lu min", minutes / 60, minutes % 60);
}

char *page_percent(double percent)
{
    if (percent > 0 && percent < 0.95)
        return memory_print("%.1f %%", percent < 0.1 ? 0.1 : percent);
    return memory_print("%.0f %%", percent);
}
