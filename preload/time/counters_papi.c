/*
 * PIEPROF_EVENTS=EVENT,EVENT,... counts these hardware events; written EVENT@PERIOD the first one is also the trigger, a
 * sample every PERIOD events.
 *
 * Each thread has one event set, made, started and destroyed outside handlers. In handlers only PAPI_read() is called: with
 * the perf_event component it takes no lock and allocates nothing (rdpmc, or one read(2) for each event), and PAPI itself
 * calls user code from its overflow signal. A forked child does not count: PAPI would have to be initialised anew there,
 * which allocates, and after a raw fork of a threaded program that can wait for ever.
 */
#include "time/counters.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"
#include "say.h"
#include "signals.h"
#include "thread.h"
#include "time/counter_table.h"
#include "time/papi.h"
#include "time/triggers.h"

#define COUNTERS_TROUBLE                                                                                               \
    ((enum ledger_trouble)(LEDGER_TROUBLE_ENGINE << DB_ENGINE_COUNT)) /* behind the engines' bits */
#define PERIOD_MIN 1000
#define NAME_BYTES (DB_EVENT_NAME_BYTES + sizeof "papi:")

struct counters_thread {
    int event_set;
    long long last[DB_EVENTS_MAX];
};

static struct {
    uint32_t count;
    int codes[DB_EVENTS_MAX];
    int trigger_period; /* of event 0; 0 = it is no trigger */
} counting;

static char trigger_name[NAME_BYTES] = "papi";

static void complain(const char *event, const char *why)
{
    if (ledger_first_to_say(COUNTERS_TROUBLE)) {
        say(SAY_ERROR, "PIEPROF_EVENTS: %s is not counted: %s", event, why);
    }
}

/* Cuts "@PERIOD" off `name` and returns the period; 0 when there is none, -1 when it is no period. */
static int period_split(char *name)
{
    char *at = strrchr(name, '@'), *end;
    if (at == NULL) {
        return 0;
    }
    errno = 0;
    long period = strtol(at + 1, &end, 10);
    *at = '\0';
    return errno == 0 && *end == '\0' && period >= PERIOD_MIN && period <= INT32_MAX ? (int)period : -1;
}

/* An event set with all that counts so far plus `code`, started: whether the kernel grants it is known only then. */
static int set_start(int *event_set, int code)
{
    int status = papi.create_eventset(event_set);
    for (uint32_t i = 0; i < counting.count && status == PAPI_SUCCESS; i++) {
        status = papi.add_event(*event_set, counting.codes[i]);
    }
    if (status == PAPI_SUCCESS && code != 0) {
        status = papi.add_event(*event_set, code);
    }
    return status == PAPI_SUCCESS ? papi.start(*event_set) : status;
}

static void set_destroy(int *event_set)
{
    long long values[DB_EVENTS_MAX];
    papi.stop(*event_set, values);
    papi.cleanup_eventset(*event_set);
    papi.destroy_eventset(event_set);
}

static void event_add(const char *name, int period)
{
    int code, event_set = PAPI_EVENT_SET_NONE;
    int status = papi.event_name_to_code(name, &code);
    if (status == PAPI_SUCCESS) {
        status = set_start(&event_set, code);
        set_destroy(&event_set);
    }
    if (status != PAPI_SUCCESS) {
        char why[DB_REASON_BYTES];
        snprintf(why, sizeof why, "PAPI says \"%s\"; `papi_avail` lists what this machine counts",
                 papi.strerror(status));
        complain(name, why);
        return;
    }
    snprintf(process_record->events[counting.count], DB_EVENT_NAME_BYTES, "%s", name);
    counting.codes[counting.count++] = code;
    if (period > 0) {
        counting.trigger_period = period;
        snprintf(trigger_name, sizeof trigger_name, "papi:%s", name);
    }
}

static void events_choose(void)
{
    for (uint32_t i = 0; i < config.event_count && i < DB_EVENTS_MAX; i++) {
        char name[DB_EVENT_NAME_BYTES];
        snprintf(name, sizeof name, "%s", config.events[i]);
        int period = period_split(name);
        if (period < 0) {
            complain(config.events[i], "the period after @ must be a number from 1000 to 2147483647");
        } else if (period > 0 && i > 0) {
            complain(config.events[i], "only the first event can be the trigger");
        } else {
            event_add(name, period);
        }
    }
}

void counters_start(void)
{
    char why[DB_REASON_BYTES];
    memset(process_record->events, 0, sizeof process_record->events);
    if (config.event_count == 0) {
        return;
    }
    if (!papi_open(why, sizeof why)) {
        complain(config.events[0], why);
    } else if (!counter_table_start()) {
        complain(config.events[0], "no memory");
    } else {
        events_choose();
    }
}

static void handle_overflow(int event_set, void *address, long long overflow_vector, void *context)
{
    (void)event_set, (void)address, (void)overflow_vector;
    signals_sample(context);
}

/* Memory of one thread's counters; kept with the struct for the next thread. */
static struct counters_thread *memory_of(struct thread *thread)
{
    if (thread->counters == NULL) {
        thread->counters = memory_map(sizeof *thread->counters);
    }
    return thread->counters;
}

bool counters_thread_begin(struct thread *thread)
{
    if (counting.count == 0) {
        return true;
    }
    struct counters_thread *counters = memory_of(thread);
    if (counters == NULL) {
        return false;
    }
    papi.register_thread();
    *counters = (struct counters_thread){.event_set = PAPI_EVENT_SET_NONE};
    if (counting.trigger_period == 0 && set_start(&counters->event_set, 0) != PAPI_SUCCESS) {
        set_destroy(&counters->event_set);
    }
    return true;
}

void counters_thread_end(struct thread *thread)
{
    if (counting.count > 0 && thread->counters != NULL) {
        set_destroy(&thread->counters->event_set);
        thread->counters->event_set = PAPI_EVENT_SET_NONE;
        papi.unregister_thread();
    }
}

void counters_reset_child(void)
{
    if (counting.count > 0) {
        memset(process_record->events, 0, sizeof process_record->events);
        counter_table_reset_child();
    }
    counting.count = 0;
    counting.trigger_period = 0;
    trigger_forget_papi();
}

void counters_sample(struct thread *thread, uint32_t node)
{
    long long now[DB_EVENTS_MAX];
    struct counters_thread *counters = thread->counters;
    if (counting.count == 0 || counters == NULL || counters->event_set == PAPI_EVENT_SET_NONE ||
        papi.read(counters->event_set, now) != PAPI_SUCCESS) {
        return;
    }
    for (uint32_t event = 0; event < counting.count; event++) {
        long long delta = now[event] - counters->last[event];
        if (delta > 0 && counter_table_add(node, event, (uint64_t)delta)) {
            counters->last[event] = now[event];
        }
    }
}

static bool overflow_probe(char *why_not, size_t bytes)
{
    snprintf(why_not, bytes, "no event of PIEPROF_EVENTS has a period");
    return counting.trigger_period > 0;
}

/* PAPI allows an overflow to be set only while the set is stopped, so this one is made here and not before. */
static bool overflow_thread_begin(struct thread *thread)
{
    struct counters_thread *counters = thread->counters;
    if (counters == NULL) {
        return false;
    }
    int status = papi.create_eventset(&counters->event_set);
    for (uint32_t i = 0; i < counting.count && status == PAPI_SUCCESS; i++) {
        status = papi.add_event(counters->event_set, counting.codes[i]);
    }
    if (status == PAPI_SUCCESS) {
        status = papi.overflow(counters->event_set, counting.codes[0], counting.trigger_period, 0, handle_overflow);
    }
    return status == PAPI_SUCCESS && papi.start(counters->event_set) == PAPI_SUCCESS;
}

static void overflow_thread_end(struct thread *thread)
{
    long long values[DB_EVENTS_MAX];
    if (thread->counters == NULL) {
        return;
    }
    papi.stop(thread->counters->event_set, values);
    papi.overflow(thread->counters->event_set, counting.codes[0], 0, 0, handle_overflow);
}

static void overflow_thread_forget(struct thread *thread)
{
    if (thread->counters != NULL) {
        thread->counters->event_set = PAPI_EVENT_SET_NONE;
    }
}

const struct trigger trigger_papi = {
    trigger_name, false, overflow_probe, overflow_thread_begin, overflow_thread_end, overflow_thread_forget,
    NULL,         NULL};
