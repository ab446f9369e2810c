#include "symbols/line_table.h"

#include <stdlib.h>

#include "base/memory.h"

#define OPEN_END UINT32_MAX
#define LINE_LIMIT 100000000 /* keeps sums of hostile deltas inside 32 bits */

struct decoder {
    struct line_table *table;
    size_t capacity;
    const unsigned char *bytes;
    size_t at, length_bytes;
    uint32_t offset;
    int64_t line;
};

static void emit(struct decoder *decoder, uint32_t length, struct line_span span)
{
    struct line_table *table = decoder->table;
    if (length == 0)
        return;
    bool sane = span.line >= 0 && span.line <= LINE_LIMIT;
    span.start = decoder->offset;
    span.end = length == OPEN_END ? OPEN_END : decoder->offset + length;
    span.line = sane ? span.line : 0;
    decoder->offset = span.end;
    table->spans = memory_grow(table->spans, table->count, &decoder->capacity, sizeof(*table->spans));
    table->spans[table->count++] = span;
}

static void advance_line(struct decoder *decoder, int64_t delta)
{
    decoder->line += delta;
    if (decoder->line > LINE_LIMIT || decoder->line < -LINE_LIMIT)
        decoder->line = 0;
}

static struct line_span whole_line(int64_t line)
{
    return (struct line_span){.line = (int32_t)line, .end_line = (int32_t)line, .column = -1, .end_column = -1};
}

/* Up to 3.9: pairs of (address delta, signed line delta); the line changes after the address has. */
static void decode_lnotab(struct decoder *decoder)
{
    for (; decoder->at + 1 < decoder->length_bytes; decoder->at += 2) {
        emit(decoder, decoder->bytes[decoder->at], whole_line(decoder->line));
        advance_line(decoder, (int8_t)decoder->bytes[decoder->at + 1]);
    }
    emit(decoder, OPEN_END, whole_line(decoder->line));
}

/* 3.10: pairs of (length, signed line delta); -128 means no line, and its length counts all the same. */
static void decode_pep626(struct decoder *decoder)
{
    for (; decoder->at + 1 < decoder->length_bytes; decoder->at += 2) {
        int8_t delta = (int8_t)decoder->bytes[decoder->at + 1];
        if (delta != -128)
            advance_line(decoder, delta);
        emit(decoder, decoder->bytes[decoder->at], whole_line(delta == -128 ? 0 : decoder->line));
    }
}

static unsigned next_byte(struct decoder *decoder)
{
    return decoder->at < decoder->length_bytes ? decoder->bytes[decoder->at++] : 0;
}

/* Groups of six bits, least significant first; bit 6 says that another follows. */
static uint32_t next_varint(struct decoder *decoder)
{
    uint32_t value = 0, byte, shift = 0;
    do {
        byte = next_byte(decoder);
        if (shift < 30)
            value |= (byte & 63u) << shift;
        shift += 6;
    } while ((byte & 64u) != 0);
    return value;
}

static int32_t next_svarint(struct decoder *decoder)
{
    uint32_t value = next_varint(decoder);
    return (value & 1u) != 0 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* Code 14: everything spelt out. */
static struct line_span next_long_form(struct decoder *decoder)
{
    advance_line(decoder, next_svarint(decoder));
    struct line_span span = whole_line(decoder->line);
    int64_t end_line = decoder->line + next_varint(decoder);
    span.end_line = end_line <= LINE_LIMIT ? (int32_t)end_line : span.line;
    span.column = (int32_t)next_varint(decoder) - 1;
    span.end_column = (int32_t)next_varint(decoder) - 1;
    return span;
}

static struct line_span next_location(struct decoder *decoder, unsigned code)
{
    struct line_span span;
    switch (code) {
    case 15:
        return whole_line(0);
    case 14:
        return next_long_form(decoder);
    case 13:
        advance_line(decoder, next_svarint(decoder));
        return whole_line(decoder->line);
    case 10:
    case 11:
    case 12:
        advance_line(decoder, (int64_t)code - 10);
        span = whole_line(decoder->line);
        span.column = (int32_t)next_byte(decoder);
        span.end_column = (int32_t)next_byte(decoder);
        return span;
    default:
        span = whole_line(decoder->line);
        unsigned byte = next_byte(decoder);
        span.column = (int32_t)(code * 8 + ((byte >> 4) & 7u));
        span.end_column = span.column + (int32_t)(byte & 15u);
        return span;
    }
}

/* From 3.11: entries of varying length; the first byte has bit 7, the code, and the length in code units less one. */
static void decode_pep657(struct decoder *decoder)
{
    while (decoder->at < decoder->length_bytes) {
        unsigned first = next_byte(decoder);
        if ((first & 128u) == 0)
            return; /* not the start of an entry: the table is damaged from here on */
        struct line_span span = next_location(decoder, (first >> 3) & 15u);
        emit(decoder, ((first & 7u) + 1) * 2, span);
    }
}

void line_table_decode(struct line_table *table, uint32_t python_version, const unsigned char *bytes,
                       size_t length_bytes, int32_t first_line)
{
    *table = (struct line_table){.first_line = first_line > 0 && first_line <= LINE_LIMIT ? first_line : 0};
    struct decoder decoder = {.table = table, .bytes = bytes, .length_bytes = length_bytes, .line = table->first_line};
    if (bytes == NULL)
        return;
    if (python_version < 0x030a0000)
        decode_lnotab(&decoder);
    else if (python_version < 0x030b0000)
        decode_pep626(&decoder);
    else
        decode_pep657(&decoder);
}

void line_table_free(struct line_table *table)
{
    free(table->spans);
    *table = (struct line_table){0};
}

/* Index of the last span that starts at or before `offset`; `count` when there is none. */
static size_t span_before(const struct line_table *table, uint32_t offset)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->spans[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : table->count;
}

const struct line_span *line_table_exact(const struct line_table *table, uint32_t offset)
{
    size_t index = span_before(table, offset);
    return index < table->count && offset < table->spans[index].end ? &table->spans[index] : NULL;
}

struct line_span line_table_find(const struct line_table *table, int32_t offset)
{
    struct line_span none = whole_line(table->first_line);
    if (offset < 0)
        return none;
    size_t index = span_before(table, (uint32_t)offset);
    if (index == table->count)
        return none;
    if (table->spans[index].line > 0)
        return table->spans[index];
    while (index > 0 && table->spans[index].line == 0)
        index--;
    return table->spans[index].line > 0 ? whole_line(table->spans[index].line) : none;
}
