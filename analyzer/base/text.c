#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define REPLACEMENT 0xfffdu

uint32_t text_decode(const char *bytes, size_t length_bytes_left, size_t *length_bytes)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000}; /* shorter forms exist below: overlong */
    unsigned char first = (unsigned char)bytes[0];
    size_t length = first < 0x80             ? 1
                    : (first & 0xe0) == 0xc0 ? 2
                    : (first & 0xf0) == 0xe0 ? 3
                    : (first & 0xf8) == 0xf0 ? 4
                                             : 0;
    *length_bytes = 1;
    if (length == 1)
        return first;
    if (length == 0 || length > length_bytes_left)
        return REPLACEMENT;
    uint32_t character = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xc0) != 0x80)
            return REPLACEMENT;
        character = character << 6 | (next & 0x3fu);
    }
    if (character < lowest[length] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        return REPLACEMENT;
    *length_bytes = length;
    return character;
}

/*
 * Control characters, and what no reader sees: Unicode's Default_Ignorable_Code_Point but for the variation selectors of
 * pictures, its line separators, and format characters of interlinear text. They turn the order of what is read, or hide text in it.
 */
static const struct {
    uint32_t low, high;
} unseen_ranges[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x034f, 0x034f},   {0x061c, 0x061c},   {0x115f, 0x1160},
    {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
    {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static bool is_unseen(uint32_t character)
{
    for (size_t i = 0; i < sizeof(unseen_ranges) / sizeof(unseen_ranges[0]); i++)
        if (character >= unseen_ranges[i].low && character <= unseen_ranges[i].high)
            return true;
    return false;
}

/* As Python writes it in a string. */
static size_t put_escaped(char *into, uint32_t character)
{
    if (character < 0x100)
        return (size_t)sprintf(into, "\\x%02x", character);
    return (size_t)sprintf(into, character < 0x10000 ? "\\u%04x" : "\\U%08x", character);
}

/* Writes at most 11 bytes. */
static size_t put_character(char *into, const char *from, size_t length, uint32_t character, bool escape)
{
    if (character == REPLACEMENT) {
        memcpy(into, "\xef\xbf\xbd", 3);
        return 3;
    }
    if (escape && character == '\t') {
        memcpy(into, "    ", 4);
        return 4;
    }
    if (escape && is_unseen(character))
        return put_escaped(into, character);
    memcpy(into, from, length);
    return length;
}

/*
 * Does what GitHub's runner takes for a command start at `at`? `##[name` anywhere in a row, or at its start - which is where a
 * page may break what stands behind a blank - `::name::` or `::name key=`. Slices (`a[0, ::step]`) are none.
 */
static bool is_runner_command(const char *at, const char *start, const char *end)
{
    if (end - at > 2 && memcmp(at, "##[", 3) == 0)
        return true;
    if (end - at < 3 || memcmp(at, "::", 2) != 0 || (at > start && strchr(" \t\r\n", at[-1]) == NULL))
        return false;
    const char *name = at + 2, *behind = name;
    while (behind < end && ((*behind >= 'a' && *behind <= 'z') || *behind == '-'))
        behind++;
    return behind > name && behind < end &&
           (*behind == ' ' || (*behind == ':' && behind + 1 < end && behind[1] == ':'));
}

static char *text_convert(const char *bytes, size_t length_bytes, bool escape)
{
    char *text = memory_zeroed(length_bytes * 6 + 12, 1);
    size_t used = 0;
    for (size_t i = 0, length; i < length_bytes; i += length) {
        uint32_t character = text_decode(bytes + i, length_bytes - i, &length);
        if (character == 0 && !escape)
            continue;
        if (escape && is_runner_command(bytes + i, bytes, bytes + length_bytes))
            used += put_escaped(text + used, character);
        else
            used += put_character(text + used, bytes + i, length, character, escape);
    }
    text[used] = '\0';
    return text;
}

char *text_valid(const char *bytes, size_t length_bytes)
{
    return text_convert(bytes, length_bytes, false);
}

char *text_printable(const char *bytes, size_t length_bytes)
{
    return text_convert(bytes, length_bytes, true);
}

/* Ranges from Unicode's EastAsianWidth (W, F) and general categories (Mn, Me, Cf), the blocks in common use. */
static const struct {
    uint32_t low, high;
    unsigned columns;
} wide_ranges[] = {
    {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05bd, 0},   {0x064b, 0x065f, 0},   {0x1100, 0x115f, 2},
    {0x200b, 0x200d, 0},   {0x20d0, 0x20f0, 0},   {0x231a, 0x231b, 2},   {0x2614, 0x2615, 2},   {0x2e80, 0x303e, 2},
    {0x3041, 0x33ff, 2},   {0x3400, 0x4dbf, 2},   {0x4e00, 0x9fff, 2},   {0xa000, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},
    {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},
    {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
    {0xe0100, 0xe01ef, 0},
};

unsigned text_char_columns(uint32_t character)
{
    for (size_t i = 0; i < sizeof(wide_ranges) / sizeof(wide_ranges[0]); i++)
        if (character >= wide_ranges[i].low && character <= wide_ranges[i].high)
            return wide_ranges[i].columns;
    return 1;
}

/* Bytes of `text` that fit into `columns`. */
static size_t text_fit(const char *text, size_t columns, size_t *used_columns)
{
    size_t length_bytes = strlen(text), i = 0, used = 0;
    for (size_t length; i < length_bytes; i += length) {
        unsigned width = text_char_columns(text_decode(text + i, length_bytes - i, &length));
        if (used + width > columns)
            break;
        used += width;
    }
    *used_columns = used;
    return i;
}

size_t text_columns(const char *text)
{
    size_t columns;
    text_fit(text, (size_t)-1, &columns);
    return columns;
}

char *text_cut(const char *text, size_t columns)
{
    size_t used, whole = text_columns(text);
    if (whole <= columns)
        return memory_print("%s", text);
    size_t bytes = text_fit(text, columns > 3 ? columns - 3 : 0, &used);
    return memory_print("%.*s...", (int)bytes, text);
}

void text_blank(char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n' && text[i] != '\r')
            text[i] = ' ';
}
