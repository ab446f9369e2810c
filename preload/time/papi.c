#include "time/papi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct papi papi;

/* PAPI_library_init() wants the version that the library was built as: major and minor. */
static const struct {
    const char *file;
    int version;
} builds[] = {{"libpapi.so.7.2", 0x07020000},
              {"libpapi.so.7.1", 0x07010000},
              {"libpapi.so.7.0", 0x07000000},
              {"libpapi.so.6.0", 0x06000000},
              {"libpapi.so.5.7", 0x05070000}};

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
        "PAPI_" #name, offsetof(struct papi, name)                                                                     \
    }
    FUNCTION(library_init),
    FUNCTION(thread_init),
    FUNCTION(event_name_to_code),
    FUNCTION(create_eventset),
    FUNCTION(add_event),
    FUNCTION(overflow),
    FUNCTION(start),
    FUNCTION(stop),
    FUNCTION(read),
    FUNCTION(cleanup_eventset),
    FUNCTION(destroy_eventset),
    FUNCTION(register_thread),
    FUNCTION(strerror),
    FUNCTION(unregister_thread)
#undef FUNCTION
};

static bool bind(void *library)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL) {
            return false;
        }
        *(void **)((char *)&papi + functions[i].offset) = function;
    }
    return true;
}

static unsigned long thread_id(void)
{
    return (unsigned long)pthread_self();
}

static bool initialise(int version, char *why_not, size_t bytes)
{
    int status = papi.library_init(version);
    if (status != version) {
        snprintf(why_not, bytes, "PAPI does not start here (%s)", papi.strerror(status));
        return false;
    }
    status = papi.thread_init(thread_id);
    if (status != PAPI_SUCCESS) {
        snprintf(why_not, bytes, "PAPI cannot count threads (%s)", papi.strerror(status));
    }
    return status == PAPI_SUCCESS;
}

bool papi_open(char *why_not, size_t bytes)
{
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        void *library = dlopen(builds[i].file, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            if (bind(library)) {
                return initialise(builds[i].version, why_not, bytes);
            }
            snprintf(why_not, bytes, "%s lacks functions that are needed", builds[i].file);
            return false;
        }
    }
    snprintf(why_not, bytes, "PAPI (libpapi.so) is not installed: apt-get install libpapi-dev");
    return false;
}
