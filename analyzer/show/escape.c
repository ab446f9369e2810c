/* Foreign text in other people's languages. Control characters become visible in each of them. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/verdict.h"

#define LONGEST 8u /* of what stands for one byte: "&#123;" */

/* `text` with each byte written by `put`, which returns how many bytes it wrote. */
static char *convert(const char *text, size_t (*put)(char *into, unsigned char byte))
{
    char *printable = text_printable(text, strlen(text)), *converted = memory_zeroed(strlen(printable) + 1, LONGEST);
    size_t used = 0;
    for (const char *at = printable; *at != '\0'; at++)
        used += put(converted + used, (unsigned char)*at);
    free(printable);
    return converted;
}

static size_t put_entity(char *into, unsigned char byte)
{
    return (size_t)sprintf(into, "&#%u;", byte);
}

static size_t put_byte(char *into, unsigned char byte)
{
    *into = (char)byte;
    return 1;
}

static size_t put_xml(char *into, unsigned char byte)
{
    return strchr("&<>\"'", byte) != NULL ? put_entity(into, byte) : put_byte(into, byte);
}

static size_t put_uri(char *into, unsigned char byte)
{
    bool plain = byte < 0x80 && (isalnum(byte) || strchr("-._~/", byte) != NULL);
    return plain ? put_byte(into, byte) : (size_t)sprintf(into, "%%%02X", byte);
}

static size_t put_message(char *into, unsigned char byte)
{
    return byte == '%' ? (size_t)sprintf(into, "%%25") : put_byte(into, byte);
}

static size_t put_property(char *into, unsigned char byte)
{
    return strchr("%:,", byte) != NULL ? (size_t)sprintf(into, "%%%02X", byte) : put_byte(into, byte);
}

/* XML has no place for U+FFFE and U+FFFF. */
char *escape_xml(const char *text)
{
    char *escaped = convert(text, put_xml);
    for (char *at = escaped; (at = strstr(at, "\xef\xbf")) != NULL; at += 2)
        if (at[2] == '\xbe' || at[2] == '\xbf')
            at[2] = '\xbd';
    return escaped;
}

/* Marks that mean nothing within a line; but for "www." no address is made a link without a colon. */
static bool is_plain(const char *text, const char *at)
{
    unsigned char byte = (unsigned char)*at;
    if (byte >= 0x80 || !ispunct(byte))
        return true;
    if (byte == '.')
        return at - text < 3 || strncasecmp(at - 3, "www", 3) != 0;
    return at > text && strchr("(),;'\"=+-/%?", byte) != NULL;
}

char *escape_html(const char *text)
{
    char *printable = text_printable(text, strlen(text)), *escaped = memory_zeroed(strlen(printable) + 1, LONGEST);
    size_t used = 0;
    for (const char *at = printable; *at != '\0'; at++)
        used += (is_plain(printable, at) ? put_byte : put_entity)(escaped + used, (unsigned char)*at);
    free(printable);
    return escaped;
}

char *escape_uri(const char *path)
{
    return convert(path, put_uri);
}

char *escape_command(const char *text, bool property)
{
    return convert(text, property ? put_property : put_message);
}
