/*
 * The constructor and the destructor. In a process without Python nothing happens at all: no file, no word, no change of
 * the environment. Whatever fails is one line, and the program runs on unprofiled.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "access/access.h"
#include "chores.h"
#include "config.h"
#include "gate.h"
#include "hooks_thread.h"
#include "ledger/ledger.h"
#include "objects/allocator.h"
#include "objects/hooks_malloc.h"
#include "objects/hooks_mmap.h"
#include "objects/object_map.h"
#include "objects/replica.h"
#include "process.h"
#include "rival.h"
#include "run_name.h"
#include "say.h"
#include "signals.h"
#include "stack/context.h"
#include "stack/module.h"
#include "stack/native.h"
#include "stack/python.h"
#include "thread.h"
#include "time/trigger.h"

/* Set for the children of a process whose trouble was said: they stay off without repeating it. */
#define START_OFF_VARIABLE "PIEPROF_OFF"

/* The interpreter comes before the file: one that is not supported must not cost the last profile its name. */
static bool start_file(void)
{
    const char *rival = rival_name();
    if (rival != NULL) {
        say(SAY_ERROR, "%s runs in this process, and PieProf cannot share it: %s", rival,
            "to profile, run the program without; it runs unprofiled");
        return false;
    }
    if (!gate_start()) {
        say(SAY_ERROR,
            "no memory that the kernel wipes at fork (Linux 4.14 or later is needed); the program runs unprofiled");
        return false;
    }
    if (!python_probe()) {
        say(SAY_ERROR, "%s; the program runs unprofiled", python_why());
        return false;
    }
    return ledger_open() && process_begin();
}

/* The stacks, the object map. */
static bool start_stacks(void)
{
    module_scan();
    hooks_malloc_start();
    hooks_mmap_start();
    if (!object_map_start() || !context_start() || !native_start() || !signals_start()) {
        say(SAY_ERROR, "not enough memory for the profiler's tables; the program runs unprofiled");
        return false;
    }
    return true;
}

static void start_access_engine(void)
{
    char why[DB_REASON_BYTES] = "";
    if (!config.engines[DB_ENGINE_ACCESS]) {
        process_engine_skip(DB_ENGINE_ACCESS, "not asked for by PIEPROF_ENGINES");
    } else if (access_start(why, sizeof why)) {
        process_engine_on(DB_ENGINE_ACCESS);
    } else {
        process_engine_off(DB_ENGINE_ACCESS, why);
    }
}

static void start_replica_engine(void)
{
    char why[DB_REASON_BYTES] = "";
    if (!config.engines[DB_ENGINE_REPLICA]) {
        process_engine_skip(DB_ENGINE_REPLICA, "not asked for by PIEPROF_ENGINES");
    } else if (!allocator_is_seen(why, sizeof why)) {
        process_engine_off(DB_ENGINE_REPLICA, why);
    } else if (replica_start()) {
        process_engine_on(DB_ENGINE_REPLICA);
    } else {
        process_engine_off(DB_ENGINE_REPLICA, "not enough memory for the tables of sites");
    }
}

static void start_engines(void)
{
    start_replica_engine();
    process_engine_skip(DB_ENGINE_TRANSFER, "not in this version");
    start_access_engine();
    if (trigger_choose() == NULL) {
        process_engine_off(DB_ENGINE_TIME, "neither perf_event_open nor CPU timers work here");
    } else if (config.engines[DB_ENGINE_TIME]) {
        process_engine_on(DB_ENGINE_TIME);
    } else {
        process_engine_skip(DB_ENGINE_TIME, "not asked for by PIEPROF_ENGINES");
    }
}

/*
 * Called by exit(3), which main's return is as well: on_exit(3), of glibc. It comes last, behind all destructors, for the
 * constructors of preloaded libraries run before libc registers these.
 */
static void start_note_status(int status, void *argument)
{
    (void)argument;
    process_note_status(status);
}

/* True from the moment the gate first opened, whether the ledger was lost later or not. */
static bool start_done;

static void start_recording(void)
{
    if (dlsym(RTLD_DEFAULT, "Py_GetVersion") == NULL || getenv(START_OFF_VARIABLE) != NULL) {
        return;
    }
    say_start();
    bool named = getenv("PIEPROF_RUN") != NULL; /* by the launcher or a process before this one, which told it */
    if (!config_read() || !start_file() || !start_stacks()) {
        setenv(START_OFF_VARIABLE, "1", 1);
        return;
    }
    if (!named) {
        config_tell_unknown();
    }
    run_name_export(config.out_path);
    hooks_thread_start();
    start_engines();
    process_describe();
    /* As behind the gate: a tick that comes before it is open must not take it for closed for good. */
    gate_set_depth(1);
    thread_begin(true);
    start_done = true;
    on_exit(start_note_status, NULL);
    gate_set_phase(GATE_OPEN);
    gate_leave();
}

/*
 * dlsym(3) frees the text of the error before it. A preloaded free() that looks for the real one at its first call would be called
 * again by its own look-up, for ever: it is called here, while there is no error.
 */
static void start_bind_free(void)
{
    void *volatile block = malloc(1);
    free(block);
}

/* What dlerror(3) tells is the program's. The first call tells, the second forgets. */
static void start_forget_errors(void)
{
    while (dlerror() != NULL) {
    }
}

__attribute__((constructor)) static void start(void)
{
    start_bind_free();
    start_recording();
    start_forget_errors();
}

/* The last that runs of the shim: what other libraries' destructors still call passes through. */
__attribute__((destructor)) static void start_end(void)
{
    if (gate_enter()) {
        chores_poll();
        gate_leave();
    }
    if (start_done) {
        process_finish(DB_END_EXIT);
    }
}
