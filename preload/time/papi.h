/*
 * PAPI, opened locally when PIEPROF_EVENTS asks for it. The declarations are ours, so that the shim builds without PAPI's
 * header; they follow papi.h of 5.7 to 7.x, where these functions have not changed.
 */
#ifndef PIEPROF_PRELOAD_PAPI_H
#define PIEPROF_PRELOAD_PAPI_H

#include <stdbool.h>
#include <stddef.h>

#define PAPI_SUCCESS 0
#define PAPI_EVENT_SET_NONE (-1)

typedef void papi_overflow_handler(int event_set, void *address, long long overflow_vector, void *context);

struct papi {
    int (*library_init)(int version);
    int (*thread_init)(unsigned long (*thread_id)(void));
    int (*event_name_to_code)(const char *name, int *code);
    int (*create_eventset)(int *event_set);
    int (*add_event)(int event_set, int code);
    int (*overflow)(int event_set, int code, int threshold, int flags, papi_overflow_handler *handler);
    int (*start)(int event_set);
    int (*stop)(int event_set, long long *values);
    int (*read)(int event_set, long long *values);
    int (*cleanup_eventset)(int event_set);
    int (*destroy_eventset)(int *event_set);
    int (*register_thread)(void);
    int (*unregister_thread)(void);
    char *(*strerror)(int status);
};

extern struct papi papi;

/* Loads and initialises the library. False and the reason with its remedy. Outside handlers: PAPI allocates and locks. */
bool papi_open(char *why_not, size_t bytes);

#endif
