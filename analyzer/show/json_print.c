/*
 * JSON as it is printed. In a log that GitHub's runner reads, `##[name]` is a command wherever it stands, in a source line that is
 * quoted, too. To a reader of JSON `\u005b` is the same bracket.
 */
#include "show/json_parts.h"

struct printing {
    FILE *out;
    unsigned hashes; /* that stand before what comes next; outside a string there is none */
};

static int print(const char *bytes, size_t length_bytes, void *data)
{
    struct printing *printing = data;
    for (size_t i = 0; i < length_bytes; i++) {
        bool command = bytes[i] == '[' && printing->hashes >= 2;
        printing->hashes = bytes[i] == '#' ? printing->hashes + 1 : 0;
        if ((command ? fputs("\\u005b", printing->out) : putc(bytes[i], printing->out)) == EOF)
            return -1;
    }
    return 0;
}

bool json_print(FILE *out, json_t *value, size_t flags)
{
    struct printing printing = {.out = out};
    bool good = json_dump_callback(value, print, &printing, flags) == 0;
    json_decref(value);
    return good;
}
