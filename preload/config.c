#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_name.h"
#include "say.h"

#define CONFIG_TEXT_OF(token) #token
#define CONFIG_TEXT(macro) CONFIG_TEXT_OF(macro)
#define CONFIG_DECIMAL_BYTES 24u
#define CONFIG_MIB (UINT64_C(1) << 20)
#define CONFIG_OUT_NAME_MAX 240       /* NAME_MAX, less ".PID.old" */
#define CONFIG_OBJECT_MIN_MOST 65536u /* from there on the interpreter's own are objects, too */
#define CONFIG_MAX_SIZE_LEAST (1 * CONFIG_MIB)
#define CONFIG_MAX_SIZE_MOST ((uint64_t)DB_FILE_MAX_GIB << 30)

struct config config = {.log_level = SAY_ERROR, .object_min_bytes = DB_OBJECT_MIN_BYTES};

/* Why the working directory has no name, where that and not the value is the trouble: mostly it was removed. */
static const char *config_why;

static bool config_parse_whole(const char **text, uint64_t *value)
{
    const char *at = *text;
    uint64_t sum = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum)) {
            return false;
        }
    }
    bool any = at != *text;
    *text = at;
    *value = sum;
    return any;
}

static bool config_parse_rate(const char *text)
{
    uint64_t rate_hz;
    if (!config_parse_whole(&text, &rate_hz) || *text != '\0' || rate_hz < 1 || rate_hz > 10000) {
        return false;
    }
    config.rate_hz = (uint32_t)rate_hz;
    return true;
}

/* Digits with an optional decimal point, whatever the locale. */
static bool config_parse_decimal(const char *text, double *value)
{
    size_t points = 0;
    for (const char *at = text; *at != '\0'; at++) {
        points += *at == '.';
        if ((*at < '0' || *at > '9') && *at != '.') {
            return false;
        }
    }
    if (points > 1 || strlen(text) > 16 || strpbrk(text, "0123456789") == NULL) {
        return false;
    }
    double sum = 0, unit = 1;
    const char *at = text;
    for (; *at != '\0' && *at != '.'; at++) {
        sum = sum * 10 + (*at - '0');
    }
    for (at += *at == '.'; *at != '\0'; at++) {
        unit /= 10;
        sum += unit * (*at - '0');
    }
    *value = sum;
    return true;
}

static bool config_parse_budget(const char *text)
{
    double value;
    if (!config_parse_decimal(text, &value)) {
        return false;
    }
    config.budget_percent = value;
    return value > 0.0999999 && value <= 100;
}

/* "0.001", "1e-6" */
static bool config_parse_tolerance(const char *text)
{
    char digits[CONFIG_DECIMAL_BYTES] = "";
    size_t length = strcspn(text, "eE");
    uint64_t exponent = 0;
    double value;
    const char *behind = text + length;
    bool scaled = *behind != '\0';
    if (length >= sizeof digits) {
        return false;
    }
    memcpy(digits, text, length);
    if (scaled) {
        behind += behind[1] == '-' ? 2 : 1;
    }
    if (!config_parse_decimal(digits, &value) ||
        (scaled &&
         (behind[-1] != '-' || !config_parse_whole(&behind, &exponent) || *behind != '\0' || exponent > 30))) {
        return false;
    }
    for (; exponent > 0; exponent--) {
        value /= 10;
    }
    config.fp_tolerance = value;
    return value <= 1;
}

/* A whole number of bytes, alone or with a unit. */
static bool config_parse_size(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *suffix;
        uint64_t bytes;
    } units[] = {{"", 1},
                 {"K", 1024},
                 {"KiB", 1024},
                 {"M", CONFIG_MIB},
                 {"MiB", CONFIG_MIB},
                 {"G", CONFIG_MIB * 1024},
                 {"GiB", CONFIG_MIB * 1024}};
    uint64_t value;
    if (!config_parse_whole(&text, &value)) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text, units[i].suffix) == 0) {
            return !__builtin_mul_overflow(value, units[i].bytes, bytes);
        }
    }
    return false;
}

static bool config_parse_max_size(const char *text)
{
    uint64_t bytes;
    if (!config_parse_size(text, &bytes) || bytes < CONFIG_MAX_SIZE_LEAST || bytes > CONFIG_MAX_SIZE_MOST) {
        return false;
    }
    config.max_size_bytes = bytes;
    return true;
}

static bool config_parse_object_min(const char *text)
{
    uint64_t bytes;
    if (!config_parse_size(text, &bytes) || bytes < DB_OBJECT_MIN_BYTES || bytes > CONFIG_OBJECT_MIN_MOST) {
        return false;
    }
    config.object_min_bytes = (uint32_t)bytes;
    return true;
}

static bool config_word_equals(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool config_add_engine(const char *word, size_t length)
{
    static const char *const names[DB_ENGINE_COUNT] = {
#define X(name, text) [DB_ENGINE_##name] = text,
        DB_ENGINES(X)
#undef X
    };
    bool known = false;
    bool all = config_word_equals(word, length, "all");
    for (size_t i = 0; i < DB_ENGINE_COUNT; i++) {
        if (all || config_word_equals(word, length, names[i])) {
            config.engines[i] = true;
            known = true;
        }
    }
    return known;
}

static bool config_add_event(const char *word, size_t length)
{
    if (config.event_count == DB_EVENTS_MAX || length >= DB_EVENT_NAME_BYTES || length == 0) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (word[i] <= ' ' || word[i] > '~') {
            return false;
        }
    }
    memcpy(config.events[config.event_count++], word, length);
    return true;
}

static bool config_each_word(const char *text, bool (*add)(const char *word, size_t length))
{
    for (;;) {
        size_t length = strcspn(text, ",");
        if (!add(text, length)) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

static bool config_parse_engines(const char *text)
{
    memset(config.engines, 0, sizeof config.engines);
    return config_each_word(text, config_add_engine);
}

static bool config_parse_events(const char *text)
{
    return *text == '\0' || config_each_word(text, config_add_event);
}

static bool config_parse_log(const char *text)
{
    static const char *const levels[] = {"quiet", "error", "info", "debug"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, levels[i]) == 0) {
            config.log_level = i;
            return true;
        }
    }
    return false;
}

static bool config_parse_digest(const char *text)
{
    config.digest_full = strcmp(text, "full") == 0;
    return config.digest_full || strcmp(text, "sampled") == 0;
}

static bool config_parse_content(const char *text)
{
    static const char *const values[] = {
        [CONFIG_CONTENT_OFF] = "0", [CONFIG_CONTENT_COUNTS] = "1", [CONFIG_CONTENT_SAMPLES] = "samples"};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(text, values[i]) == 0) {
            config.content = (enum config_content)i;
            return true;
        }
    }
    return false;
}

/* Absolute, so that it stays the same file for children and after chdir(). */
static bool config_parse_out(const char *text)
{
    size_t length = strlen(text), used = 0;
    const char *slash = strrchr(text, '/');
    const char *name = slash != NULL ? slash + 1 : text;
    /* A longer one would record once: its successor could not move it out of the way. */
    if (*name == '\0' || strlen(name) > CONFIG_OUT_NAME_MAX) {
        return false;
    }
    if (text[0] != '/') {
        if (getcwd(config.out_path, sizeof config.out_path - 1) == NULL) {
            config_why = strerrordesc_np(errno);
            return false;
        }
        used = strlen(config.out_path);
        if (config.out_path[used - 1] != '/') {
            config.out_path[used++] = '/';
        }
    }
    /* Room for the names beside it: ".old", a process id, a host name. */
    if (used + length + DB_HOST_NAME_BYTES + 32 > sizeof config.out_path) {
        return false;
    }
    memcpy(config.out_path + used, text, length + 1);
    return true;
}

struct config_variable {
    const char *name;
    const char *value_default; /* NULL: nothing is done when the variable is not set */
    bool (*parse)(const char *text);
    const char *allowed; /* what the value is not, when refused */
};

/* PIEPROF_LOG comes first: it rules what may be said of the others. */
static const struct config_variable config_variables[] = {
    {"PIEPROF_LOG", "error", config_parse_log, "one of quiet, error, info, debug"},
    {"PIEPROF_OUT", "out.db", config_parse_out,
     "a path that a file can have (its name at most " CONFIG_TEXT(
         CONFIG_OUT_NAME_MAX) " bytes, for FILE.old must fit too)"},
    {"PIEPROF_RUN", NULL, run_name_set, "a name of 1 to 127 printable characters"},
    {"PIEPROF_RATE", "250", config_parse_rate, "a whole number from 1 to 10000"},
    {"PIEPROF_BUDGET", "2", config_parse_budget, "a number from 0.1 to 100"},
    {"PIEPROF_FP_TOLERANCE", "0", config_parse_tolerance, "a number from 0 to 1 (0.001, 1e-6)"},
    {"PIEPROF_MAX_SIZE", "256M", config_parse_max_size,
     "a size from 1M to " CONFIG_TEXT(DB_FILE_MAX_GIB) "G (a whole number, alone or with K, M, G, KiB, MiB, GiB)"},
    {"PIEPROF_OBJECT_MIN", "1K", config_parse_object_min,
     "a size from 1K to 64K (a whole number, alone or with K or KiB)"},
    {"PIEPROF_ENGINES", "all", config_parse_engines, "all or a comma list of time, access, replica, transfer"},
    {"PIEPROF_DIGEST", "sampled", config_parse_digest, "sampled or full"},
    {"PIEPROF_CONTENT", "0", config_parse_content, "0, 1 or samples"},
    {"PIEPROF_EVENTS", NULL, config_parse_events, "a comma list of at most 8 event names"},
};

static bool config_knows(const char *name, size_t length)
{
    static const char *const others[] = {"PIEPROF_OFF", "PIEPROF_PYTEST_CHILD"}; /* set by PieProf's own programs */
    for (size_t i = 0; i < sizeof config_variables / sizeof config_variables[0]; i++) {
        if (config_word_equals(name, length, config_variables[i].name)) {
            return true;
        }
    }
    return config_word_equals(name, length, others[0]) || config_word_equals(name, length, others[1]);
}

void config_tell_unknown(void)
{
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        size_t length = strcspn(*variable, "=");
        if (strncmp(*variable, "PIEPROF_", 8) == 0 && !config_knows(*variable, length)) {
            char name[64], quoted[256];
            snprintf(name, sizeof name, "%.*s", (int)length, *variable);
            say_quote(quoted, sizeof quoted, name);
            say(SAY_ERROR, "there is no variable %s: it changes nothing", quoted);
            return;
        }
    }
}

const char *config_refusal(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof config_variables / sizeof config_variables[0]; i++) {
        if (strcmp(config_variables[i].name, name) == 0) {
            struct config before = config;
            bool good = config_variables[i].parse(value) || config_why != NULL;
            config = before;
            return good ? NULL : config_variables[i].allowed;
        }
    }
    return NULL;
}

bool config_read(void)
{
    for (size_t i = 0; i < sizeof config_variables / sizeof config_variables[0]; i++) {
        const struct config_variable *variable = &config_variables[i];
        const char *value = getenv(variable->name);
        if (value == NULL) {
            value = variable->value_default;
        }
        if (value != NULL && !variable->parse(value)) {
            char quoted[256];
            say_quote(quoted, sizeof quoted, value);
            if (config_why != NULL) {
                say(SAY_ERROR,
                    "cannot record to \"%s\": the working directory is gone (%s), and %s names no other; the program "
                    "runs unprofiled",
                    quoted, config_why, variable->name);
                return false;
            }
            say(SAY_ERROR, "%s=\"%s\" is not %s; the program runs unprofiled", variable->name, quoted,
                variable->allowed);
            return false;
        }
    }
    if (config.run_name[0] == '\0') {
        run_name_derive();
    }
    return true;
}
