#include "symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"

/* The Itanium C++ ABI's own entry (libstdc++); declared here because cxxabi.h is C++ only. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* Above this a name is noise, and demangling may grow it without bound. */
#define MANGLED_MAX 4096

const char *demangle(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0 || strlen(name) > MANGLED_MAX)
        return intern_string(name);
    int status = 0;
    char *readable = __cxa_demangle(name, NULL, NULL, &status);
    const char *kept = intern_string(status == 0 && readable != NULL ? readable : name);
    free(readable);
    return kept;
}

/* Length of "operator..." at `text`, whose own brackets are no template's; 0 when there is none. */
static size_t operator_length(const char *text)
{
    if (strncmp(text, "operator", 8) != 0)
        return 0;
    size_t length = 8;
    if (text[length] == '(' && text[length + 1] == ')')
        return length + 2;
    return length + strspn(text + length, "<>=-+*/%^&|!~,[]");
}

const char *demangle_short(const char *demangled)
{
    static const char anonymous[] = "(anonymous namespace)::";
    char *text = memory_zeroed(strlen(demangled) + 1, 1);
    size_t used = 0, depth = 0;
    for (const char *at = demangled; *at != '\0'; at++) {
        size_t taken = depth == 0 ? operator_length(at) : 0;
        if (taken > 0) {
            memcpy(text + used, at, taken);
            used += taken;
            at += taken - 1;
        } else if (depth == 0 && strncmp(at, anonymous, sizeof(anonymous) - 1) == 0) {
            at += sizeof(anonymous) - 2;
        } else if (*at == '<' || *at == '{' || *at == '(') {
            if (depth == 0 && *at == '(' && used > 0)
                break; /* parameters: the name is over */
            depth++;
        } else if (*at == '>' || *at == '}' || *at == ')') {
            depth -= depth > 0;
        } else if (depth == 0 && *at == ' ' && strncmp(at, " [clone", 7) != 0) {
            used = 0; /* what came before was the return type */
        } else if (depth == 0 && *at == ' ') {
            break;
        } else if (depth == 0) {
            text[used++] = *at;
        }
    }
    text[used] = '\0';
    const char *kept = used > 0 ? intern_string(text) : demangled;
    free(text);
    return kept;
}
