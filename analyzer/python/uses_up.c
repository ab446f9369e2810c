#include "python/uses_up.h"

static bool begins_with(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

/* A queue's: "get()", "get(timeout=1)". */
static bool takes_no_key(const char *arguments, const char *end)
{
    static const char *const others[] = {")", "block=", "timeout=", "True", "False"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (begins_with(arguments, end, others[i]))
            return true;
    return false;
}

/* `arguments`: behind the bracket. */
static bool uses_up(struct word function, const char *arguments, const char *end)
{
    static const char *const methods[] = {"get_nowait", "pop",  "popleft", "popitem",     "recv",
                                          "recv_bytes", "send", "step",    "partial_fit", "learn_one"};
    struct word last = word_last_part(function);
    bool is_method = last.length_bytes < function.length_bytes;
    if (word_is(last, "next"))
        return !is_method && !begins_with(arguments, end, "iter(");
    return word_is(last, "heappop") ||
           (is_method && (WORD_IS_ONE_OF(last, methods) || (word_is(last, "get") && takes_no_key(arguments, end))));
}

struct word uses_up_call(struct word code)
{
    for (const char *at = code.text; at < word_end(code);) {
        struct word name = word_name_at(at, word_end(code));
        const char *behind = word_end(name);
        bool of_made = name.length_bytes > 0 && *name.text == '.' && at > code.text && at[-1] == ')';
        if (name.length_bytes > 0 && behind < word_end(code) && *behind == '(' && !of_made &&
            uses_up(name, behind + 1, word_end(code)))
            return *name.text == '.' ? word_last_part(name) : name;
        at = name.length_bytes > 0 ? behind : at + 1;
    }
    return (struct word){"", 0};
}
