#include "compare/gate_options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/intern.h"
#include "base/text.h"
#include "model/engines.h"

#define ID_DIGITS 16u

static const struct {
    const char *name;
    enum metric_unit unit;
} metrics[GATE_METRIC_COUNT] = {
#define X(name, id, unit) {#name, unit},
    GATE_METRICS(X)
#undef X
};

const char *gate_metric_name(enum gate_metric metric)
{
    return metrics[metric].name;
}

enum metric_unit gate_metric_unit(enum gate_metric metric)
{
    return metrics[metric].unit;
}

void gate_options_default(struct gate_options *options)
{
    *options = (struct gate_options){.increase_percent = GATE_INCREASE_PERCENT, .time_percent = -1};
    for (size_t i = 0; i < GATE_METRIC_COUNT; i++)
        options->limits[i] = options->increases[i] = -1;
}

/* "METRIC=" before `*text`, which then stands behind it; GATE_METRIC_COUNT when there is none. */
static enum gate_metric read_metric(const char **text)
{
    for (enum gate_metric metric = 0; metric < GATE_METRIC_COUNT; metric++) {
        size_t length = strlen(metrics[metric].name);
        if (strncmp(*text, metrics[metric].name, length) != 0 || (*text)[length] != '=')
            continue;
        *text += length + 1;
        return metric;
    }
    return GATE_METRIC_COUNT;
}

/* A number that is 0 or more, with what stands behind it. */
static bool read_amount(const char *text, double *amount, const char **unit)
{
    char *end;
    errno = 0;
    *amount = strtod(text, &end);
    *unit = end;
    return end != text && errno == 0 && isfinite(*amount) && strspn(text, "0123456789.") >= (size_t)(end - text);
}

static bool read_percent(const char *text, double *percent)
{
    const char *unit;
    return read_amount(text, percent, &unit) && strcmp(unit, "%") == 0;
}

static bool read_bytes(const char *text, double *bytes)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
    const char *unit;
    if (!read_amount(text, bytes, &unit))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++, *bytes *= 1024)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return false;
}

bool gate_option_max(struct gate_options *options, const char *text)
{
    const char *unit;
    enum gate_metric metric = read_metric(&text);
    if (metric == GATE_METRIC_COUNT)
        return false;
    options->limited = true;
    double *limit = &options->limits[metric];
    switch (metrics[metric].unit) {
    case METRIC_BYTES:
        return read_bytes(text, limit);
    case METRIC_SHARE:
        return read_percent(text, limit) && *limit <= 100;
    default:
        return read_amount(text, limit, &unit) && *unit == '\0' && floor(*limit) == *limit;
    }
}

bool gate_option_increase(struct gate_options *options, const char *text)
{
    enum gate_metric metric = read_metric(&text);
    if (metric == GATE_METRIC_COUNT)
        return read_percent(text, &options->increase_percent);
    return read_percent(text, &options->increases[metric]);
}

bool gate_option_time(struct gate_options *options, const char *text)
{
    return read_percent(text, &options->time_percent) && options->time_percent > 0;
}

bool gate_option_baseline(struct gate_options *options, const char *text)
{
    if (options->baseline_count == GATE_RUNS_MAX || *text == '\0')
        return false;
    options->baselines[options->baseline_count++] = text;
    return true;
}

bool gate_option_require(struct gate_options *options, const char *text)
{
    for (enum db_engine engine = 0; engine < DB_ENGINE_COUNT; engine++)
        if (strcmp(text, engine_name(engine)) == 0) {
            options->required |= 1u << engine;
            return true;
        }
    return false;
}

bool gate_option_allow(struct gate_options *options, const char *text)
{
    if (options->allowed_count == GATE_ALLOWED_MAX || strlen(text) != ID_DIGITS ||
        strspn(text, "0123456789abcdef") != ID_DIGITS)
        return false;
    options->allowed[options->allowed_count++] = text;
    return true;
}

/* One id a row; what stands behind it or a "#" is for people. */
static bool read_row(struct gate_options *options, const char *name, size_t number, const char *row)
{
    row += strspn(row, " \t\r\n");
    size_t length = strcspn(row, " \t\r\n#");
    if (length == 0)
        return true;
    if (gate_option_allow(options, intern_bytes(row, length)))
        return true;
    fprintf(stderr,
            "pieprof-report: %s: line %zu: expected a finding's id, of 16 hexadecimal digits, at most %d of them\n",
            name, number, GATE_ALLOWED_MAX);
    return false;
}

/* NULL, and why is printed, unless it is a file or a pipe: of a device there may be no end. */
static FILE *open_list(const char *path, const char *name)
{
    struct stat status;
    FILE *file = fopen(path, "re");
    if (file != NULL && fstat(fileno(file), &status) == 0 && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)))
        return file;
    fprintf(stderr, "pieprof-report: --allow-file %s: %s\n", name, file == NULL ? strerror(errno) : "not a file");
    if (file != NULL)
        fclose(file);
    return NULL;
}

bool gate_options_read_allowed(struct gate_options *options)
{
    char row[1024];
    if (options->allow_file == NULL)
        return true;
    char *name = text_printable(options->allow_file, strlen(options->allow_file));
    FILE *file = open_list(options->allow_file, name);
    bool good = file != NULL;
    for (size_t number = 1; good && fgets(row, sizeof(row), file) != NULL; number++)
        good = read_row(options, name, number, row);
    if (good && ferror(file)) {
        fprintf(stderr, "pieprof-report: --allow-file %s: %s\n", name, strerror(errno));
        good = false;
    }
    if (file != NULL)
        fclose(file);
    free(name);
    return good;
}
