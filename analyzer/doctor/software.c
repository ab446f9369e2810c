/* What is installed: the libraries the shim opens, an interpreter it knows, its own file, a place for the run's file. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "doctor/check.h"
#include "pieprof/db.h"
#include "pieprof/pythons.h"
#include "pieprof/zydis_name.h"

/* The first of these names that the loader finds, NULL when none. */
static const char *first_library(const char *const *names)
{
    for (; *names != NULL; names++) {
        void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL)
            continue;
        dlclose(handle);
        return *names;
    }
    return NULL;
}

static struct checked checked_library(const char *const *names, const char *remedy)
{
    const char *found = first_library(names);
    if (found != NULL)
        return (struct checked){.state = CHECK_OK, .text = memory_print("%s", found)};
    return (struct checked){
        .state = CHECK_OFF, .text = memory_print("%s is not installed", names[0]), .remedy = remedy};
}

struct checked check_zydis(void)
{
    const struct zydis_name name = zydis_name();
    const char *const names[] = {name.library, NULL};
    return checked_library(names, "`apt-get install libzydis-dev`: without it the access engine is off");
}

struct checked check_papi(void)
{
    static const char *const names[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                        "libpapi.so.6.0", "libpapi.so.5.7", NULL};
    return checked_library(names, "`apt-get install libpapi-dev`: without it PIEPROF_EVENTS cannot be used");
}

struct checked check_zlib(void)
{
    static const char *const names[] = {"libz.so.1", NULL};
    return checked_library(
        names, "`apt-get install zlib1g`: without it source texts are stored as they are, and take more space");
}

struct checked check_python(void)
{
    unsigned major = 0, minor = 0;
    char version[128] = "";
    FILE *pipe = popen(
        "env -u LD_PRELOAD python3 -c 'import sys; print(sys.version.split()[0], sys.executable)' 2>/dev/null", "re");
    if (pipe != NULL) {
        if (fgets(version, sizeof(version), pipe) == NULL)
            version[0] = '\0';
        pclose(pipe);
    }
    version[strcspn(version, "\n")] = '\0';
    if (sscanf(version, "%u.%u", &major, &minor) != 2)
        return (struct checked){
            .state = CHECK_OFF, .text = memory_print("no python3 in PATH"), .remedy = "`apt-get install python3`"};
    struct checked checked = {.state = CHECK_OK, .text = memory_print("CPython %s", version)};
    if (major != 3 || minor < PYTHON_MINOR_FIRST || minor > PYTHON_MINOR_LAST) {
        checked.state = CHECK_OFF;
        checked.remedy = "CPython " PYTHON_KNOWN " are known";
    }
    return checked;
}

struct checked check_library(void)
{
    static const char *const places[] = {"libpieprof.so", "../lib/libpieprof.so", "../lib/pieprof/libpieprof.so"};
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash != NULL && i < sizeof(places) / sizeof(places[0]); i++) {
        char *path = memory_print("%.*s/%s", (int)(slash - program), program, places[i]);
        char *whole = realpath(path, NULL);
        free(path);
        if (whole != NULL && strpbrk(whole, " \t:") == NULL)
            return (struct checked){.state = CHECK_OK, .text = whole};
        if (whole != NULL)
            return (struct checked){
                .state = CHECK_OFF,
                .text = whole,
                .remedy = "LD_PRELOAD takes no path with a blank or a colon: install or move PieProf elsewhere"};
    }
    return (struct checked){
        .state = CHECK_OFF,
        .text = memory_print("not found beside this program"),
        .remedy = "`make` builds it, `make install` puts it where it is found; or give LD_PRELOAD its full path"};
}

/* Makes a file beside `out`, reserves what a run writes first, and removes it: 0, or why that cannot be done. */
static int try_beside(const char *out)
{
    char *name = memory_print("%s.XXXXXX", out);
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error to tell, no end */
    int descriptor = mkostemp(name, O_CLOEXEC), error = descriptor < 0 ? errno : 0;
    if (descriptor >= 0) {
        unlink(name);
        error = posix_fallocate(descriptor, 0, DB_HEADER_BYTES + DB_EXTENT_BYTES);
        close(descriptor);
    }
    free(name);
    return error;
}

struct checked check_directory(void)
{
    const char *given = getenv("PIEPROF_OUT"), *out = given != NULL && *given != '\0' ? given : "out.db";
    struct stat status;
    bool taken = lstat(out, &status) == 0 && !S_ISREG(status.st_mode);
    int error = taken ? 0 : try_beside(out);
    if (!taken && error == 0)
        return (struct checked){.state = CHECK_OK, .text = memory_print("%s can be written here", out)};
    return (struct checked){
        .state = CHECK_OFF,
        .text = memory_print("%s cannot be written: %s", out, taken ? "it is not a regular file" : strerror(error)),
        .remedy = "set PIEPROF_OUT to a file elsewhere"};
}
