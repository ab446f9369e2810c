#include "run_name.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "kernel.h"

bool run_name_set(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof config.run_name) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (name[i] < ' ' || name[i] > '~') {
            return false;
        }
    }
    memset(config.run_name, 0, sizeof config.run_name);
    memcpy(config.run_name, name, length);
    return true;
}

static bool run_name_from(const char *prefix, const char *first_name, const char *second_name)
{
    const char *first = getenv(first_name);
    const char *second = second_name != NULL ? getenv(second_name) : "";
    if (first == NULL || second == NULL || *first == '\0') {
        return false;
    }
    char name[DB_RUN_NAME_BYTES];
    int length = snprintf(name, sizeof name, "%s-%s%s%s", prefix, first, *second != '\0' ? "." : "", second);
    return length > 0 && (size_t)length < sizeof name && run_name_set(name);
}

void run_name_derive(void)
{
    /* torchrun calls every run "none" that was not given an id: such a name would join strangers. */
    const char *elastic = getenv("TORCHELASTIC_RUN_ID");
    bool elastic_named = elastic != NULL && strcmp(elastic, "none") != 0;
    if (run_name_from("pmix", "PMIX_NAMESPACE", NULL) || run_name_from("slurm", "SLURM_JOB_ID", "SLURM_STEP_ID") ||
        (elastic_named && run_name_from("elastic", "TORCHELASTIC_RUN_ID", NULL))) {
        return;
    }
    char host[DB_HOST_NAME_BYTES] = "host";
    gethostname(host, sizeof host - 1);
    char name[DB_RUN_NAME_BYTES];
    snprintf(name, sizeof name, "%s.%d.%llu", host, kernel_process_id(),
             (unsigned long long)kernel_clock_ns(CLOCK_REALTIME));
    if (!run_name_set(name)) {
        run_name_set(strchr(name, '.') != NULL ? strrchr(name, '.') + 1 : "run");
    }
}

int32_t run_name_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *text = getenv(variables[i]);
        if (text == NULL || *text < '0' || *text > '9') {
            continue;
        }
        char *end;
        errno = 0;
        long rank = strtol(text, &end, 10);
        if (errno == 0 && *end == '\0' && rank <= INT_MAX) {
            return (int32_t)rank;
        }
    }
    return -1;
}

void run_name_export(const char *out_path)
{
    setenv("PIEPROF_RUN", config.run_name, 1);
    setenv("PIEPROF_OUT", out_path, 1);
}
