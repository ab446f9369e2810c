#include "process.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "chores.h"
#include "config.h"
#include "gate.h"
#include "kernel.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "objects/content.h"
#include "objects/replica.h"
#include "process_child.h"
#include "run_name.h"
#include "say.h"
#include "stack/python.h"
#include "thread.h"
#include "time/sample.h"
#include "time/trigger.h"

#define REFRESH_NS UINT64_C(20000000) /* how stale a killed process's duration and CPU time may be */

/* Counted into before there is a record, and between a fork and the child's own record. */
static struct db_process process_private;
struct db_process *process_record = &process_private;

/* Whose record it is: a child made by vfork or a raw fork has this memory too, but another number. */
static pid_t process_owner;
static bool process_forked, process_tried_exec;
static atomic_bool process_finished;

static uint32_t process_blob_link(const char *link)
{
    char path[CONFIG_PATH_BYTES];
    ssize_t length = syscall(SYS_readlink, link, path, sizeof path);
    return length > 0 ? ledger_blob(path, (size_t)length) : 0;
}

/* Through /proc, so that a forked child needs nothing that the program may have overwritten since. */
static uint32_t process_blob_arguments(void)
{
    const size_t capacity = DB_BLOB_MAX_BYTES;
    char *text = memory_map(capacity);
    if (text == NULL) {
        return 0;
    }
    uint32_t blob = ledger_blob(text, kernel_read_file("/proc/self/cmdline", text, capacity));
    memory_unmap(text, capacity);
    return blob;
}

static void process_identify(struct db_process *process)
{
    process->pid = (uint32_t)process_owner;
    process->start_ticks = kernel_start_ticks(process_owner);
    process->start_unix_ns = kernel_clock_ns(CLOCK_REALTIME);
    process->start_monotonic_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    process->last_monotonic_ns = process->start_monotonic_ns;
    process->arguments_blob = process_blob_arguments();
    process->directory_blob = process_blob_link("/proc/self/cwd");
    process->executable_blob = process_blob_link("/proc/self/exe");
}

/* Moves what was counted privately into a record of the ledger. */
static bool process_claim(void)
{
    uint32_t id;
    struct db_process *process = ledger_claim(DB_KIND_PROCESS, &id);
    if (process == NULL) {
        return false;
    }
    process_private.published = 0;
    *process = process_private;
    process_record = process;
    process_identify(process);
    return true;
}

/* No room for this process in the file: it runs on unprofiled. */
static void process_refused(void)
{
    ledger_count_refused_join();
    if (ledger_first_to_say(ledger_is_refused() ? LEDGER_TROUBLE_DISK : LEDGER_TROUBLE_FULL)) {
        say(SAY_ERROR, "\"%s\" has no space left for process %d, which runs unprofiled like all that follow: %s",
            config.out_path, process_owner,
            ledger_is_refused() ? "the file system is full, or a limit of file size (ulimit -f) reached"
                                : "PIEPROF_MAX_SIZE is used up");
    }
}

bool process_begin(void)
{
    process_owner = kernel_process_id();
    process_private.parent_pid = (uint32_t)syscall(SYS_getppid);
    process_private.rank = run_name_rank();
    process_private.rate_hz = config.rate_hz;
    process_private.budget_percent = (float)config.budget_percent;
    memcpy(process_private.events, config.events, sizeof process_private.events);
    if (process_claim()) {
        return true;
    }
    process_refused();
    return false;
}

void process_describe(void)
{
    process_record->python_version = python_version();
    process_record->trigger_blob = trigger_current != NULL ? ledger_blob_string(trigger_current->name) : 0;
}

bool process_adopt_child(void)
{
    const struct db_process parent = *process_record;
    memset(&process_private, 0, sizeof process_private);
    process_private.rank = parent.rank;
    process_private.rate_hz = parent.rate_hz;
    process_private.budget_percent = parent.budget_percent;
    process_private.python_version = parent.python_version;
    process_private.python_free_threaded = parent.python_free_threaded;
    process_private.shim_memory_bytes = parent.shim_memory_bytes;
    memcpy(process_private.engines, parent.engines, sizeof parent.engines);
    memcpy(process_private.events, parent.events, sizeof parent.events);
    process_record = &process_private;
    process_owner = kernel_process_id();
    process_forked = true;
    process_tried_exec = false;
    atomic_store(&process_finished, false);
    /* An orphan is handed to init or a subreaper: its maker is then known from the copied record alone. */
    pid_t parent_pid = (pid_t)syscall(SYS_getppid);
    process_private.parent_pid = parent_pid > 1 ? (uint32_t)parent_pid : parent.pid;
    if (!process_child_reset()) {
        return false;
    }
    if (!process_claim()) {
        process_refused();
        return false;
    }
    process_describe();
    thread_begin(true);
    return true;
}

void process_ran_python(void)
{
    if (process_record->published == 0 && process_record != &process_private) {
        ledger_publish(process_record);
    }
}

void process_refresh_clocks(void)
{
    uint64_t now_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    uint64_t last_ns = __atomic_load_n(&process_record->last_monotonic_ns, __ATOMIC_RELAXED);
    if (now_ns - last_ns >= REFRESH_NS &&
        __atomic_compare_exchange_n(&process_record->last_monotonic_ns, &last_ns, now_ns, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        __atomic_store_n(&process_record->cpu_ns, kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID), __ATOMIC_RELAXED);
    }
}

/* A forked child that was made to call exec ran nothing of the program: unless it was sampled it stays out of sight. */
static void process_show(void)
{
    if (!process_forked || !process_tried_exec) {
        process_ran_python();
    }
}

static void process_note_end(enum db_process_end how)
{
    process_record->last_monotonic_ns = kernel_clock_ns(CLOCK_MONOTONIC);
    process_record->cpu_ns = kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    __atomic_store_n(&process_record->ended, (uint32_t)how, __ATOMIC_RELEASE);
}

void process_finish(enum db_process_end how)
{
    if (process_owner != kernel_process_id() || atomic_exchange(&process_finished, true)) {
        return;
    }
    bool inside = how == DB_END_EXIT && gate_enter();
    if (inside) {
        if (thread_self != NULL) {
            sample_end(thread_self); /* before work that is the shim's own */
        }
        chores_finish();
        replica_finish();
    }
    if (inside && thread_self != NULL) {
        thread_end();
    }
    gate_set_phase(GATE_CLOSED);
    process_note_end(how);
    process_show();
    if (how == DB_END_EXIT) {
        ledger_close();
    }
    if (inside) {
        gate_leave();
    }
}

void process_note_status(int status)
{
    if (process_owner == kernel_process_id()) {
        process_record->end_detail = status & 0xff; /* what wait(2) hands on of it */
    }
}

bool process_exec_begin(void)
{
    if (*gate_phase_word != GATE_OPEN || process_owner != kernel_process_id()) {
        return false;
    }
    process_note_end(DB_END_EXEC);
    process_tried_exec = true;
    process_show();
    return true;
}

void process_exec_failed(void)
{
    __atomic_store_n(&process_record->ended, (uint32_t)DB_END_RUNNING, __ATOMIC_RELEASE);
}

void process_engine_on(enum db_engine engine)
{
    float tolerance = engine == DB_ENGINE_ACCESS ? (float)config.fp_tolerance : 0;
    process_record->engines[engine] = (struct db_engine_status){.state = DB_ENGINE_ON, .tolerance = tolerance};
    if (engine == DB_ENGINE_REPLICA) {
        process_record->engines[engine].object_min_bytes = config.object_min_bytes;
        process_record->engines[engine].sampled_beyond_bytes = content_sampled_beyond_bytes();
    }
}

void process_engine_skip(enum db_engine engine, const char *why)
{
    struct db_engine_status *status = &process_record->engines[engine];
    *status = (struct db_engine_status){.state = DB_ENGINE_OFF};
    snprintf(status->why_off, sizeof status->why_off, "%s", why);
}

void process_engine_off(enum db_engine engine, const char *why)
{
    static const char *const names[DB_ENGINE_COUNT] = {
#define X(name, text) [DB_ENGINE_##name] = text,
        DB_ENGINES(X)
#undef X
    };
    process_engine_skip(engine, why);
    if (ledger_first_to_say(LEDGER_TROUBLE_ENGINE << engine)) {
        say(SAY_ERROR, "the %s engine is off: %s", names[engine], why);
    }
}
