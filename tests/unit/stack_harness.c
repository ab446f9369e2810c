/*
 * The stack part of the shim alone, as a shared object for LD_PRELOAD, over a ledger of plain arrays: captures a stack on
 * demand (harness_capture, for a test to compare with what Python says) and by a CPU timer (statistics and cost).
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include "chores.h"
#include "launch/launch.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "process.h"
#include "stack/context.h"
#include "stack/guard.h"
#include "stack/module.h"
#include "stack/slot.h"
#include "thread.h"

#define EXPORT __attribute__((visibility("default")))
#define RECORDS_MAX 400000u
#define BLOB_BYTES (64u << 20)

static struct db_process record_of_process;
struct db_process *process_record = &record_of_process;
_Atomic uint32_t chores_wanted;
SHIM_THREAD_LOCAL struct thread *thread_self;

static size_t record_bytes[DB_KIND_END] = {
#define X(name, type) [DB_KIND_##name] = sizeof(type),
    DB_KINDS(X)
#undef X
};
static char *records[DB_KIND_END];
static uint32_t record_counts[DB_KIND_END];
static char *blobs;
static uint32_t blobs_used = 8;

/* thread_self stays NULL: no thread here works for another. */
bool launch_waits(const struct thread *thread)
{
    (void)thread;
    return false;
}

void launch_find(const struct thread *thread, struct context_scratch *scratch)
{
    (void)thread;
    scratch->launched = 0;
}

void *memory_map(size_t bytes)
{
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

void memory_unmap(void *start, size_t bytes)
{
    munmap(start, bytes);
}

void memory_forget(void *start, size_t bytes)
{
    madvise(start, bytes, MADV_DONTNEED);
}

void *ledger_claim(enum db_kind kind, uint32_t *id)
{
    *id = __atomic_add_fetch(&record_counts[kind], 1, __ATOMIC_RELAXED);
    return *id < RECORDS_MAX ? records[kind] + *id * record_bytes[kind] : NULL;
}

void ledger_publish(void *record)
{
    __atomic_store_n((uint32_t *)record, 1, __ATOMIC_RELEASE);
}

void *ledger_record(enum db_kind kind, uint32_t id)
{
    return id > 0 && id < RECORDS_MAX ? records[kind] + id * record_bytes[kind] : NULL;
}

uint32_t ledger_blob_guarded(const void *data, size_t length_bytes)
{
    uint32_t at = __atomic_fetch_add(&blobs_used, (uint32_t)((length_bytes + 1 + 15) & ~7u), __ATOMIC_RELAXED);
    if (at + length_bytes + 16 > BLOB_BYTES || !guard_copy(blobs + at + 8, data, length_bytes)) {
        return 0;
    }
    memcpy(blobs + at, &length_bytes, 8);
    return at;
}

uint32_t ledger_blob(const void *data, size_t length_bytes)
{
    return ledger_blob_guarded(data, length_bytes);
}

uint32_t ledger_blob_string(const char *text)
{
    return ledger_blob(text, strlen(text));
}

static struct context_scratch scratch;
static uint32_t captured_node;
static uintptr_t captured_slot;
#define TIMES_MAX 65536u
static uint32_t capture_ns[TIMES_MAX], intern_ns[TIMES_MAX];
static uint64_t captures, worst_ns, frames_seen, faults, slots_found, slots_asked, incomplete;
static bool timer_mode;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static SHIM_THREAD_LOCAL bool inside;

static void on_sample(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    static uint32_t busy;
    if (inside || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE) != 0) {
        return;
    }
    inside = true;
    uint64_t before = now_ns();
    context_capture(context, &scratch);
    uint64_t between = now_ns();
    captured_node = context_intern(&scratch, 0);
    uint64_t after = now_ns();
    capture_ns[captures % TIMES_MAX] = (uint32_t)(between - before);
    intern_ns[captures % TIMES_MAX] = (uint32_t)(after - between);
    captures++;
    worst_ns = after - before > worst_ns ? after - before : worst_ns;
    frames_seen += scratch.native_count + scratch.python_count;
    incomplete += !scratch.native_complete;
    captured_slot = slot_find(context, scratch.native, scratch.native_count);
    if (scratch.python_count > 0 && !module_is_interpreter(scratch.native[0].address)) {
        slots_asked++;
        slots_found += captured_slot != 0;
    }
    inside = false;
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)info;
    if (guard_recover(context)) {
        faults++;
        return;
    }
    signal(number, SIG_DFL);
}

static const char *blob_text(uint32_t blob)
{
    return blob != 0 ? blobs + blob + 8 : "?";
}

static void describe_node(uint32_t id, char *to, size_t room)
{
    const struct db_node *node = ledger_record(DB_KIND_NODE, id);
    if (node->frame == DB_FRAME_PYTHON) {
        const struct db_code *code = ledger_record(DB_KIND_CODE, (uint32_t)(node->value >> 32));
        snprintf(to, room, "P %s %d %d\n", blob_text(code->name_blob), (int)(int32_t)(uint32_t)node->value,
                 code->first_line);
    } else if (node->frame == DB_FRAME_NATIVE) {
        Dl_info info = {.dli_sname = NULL};
        dladdr((void *)(node->value - 1), &info);
        snprintf(to, room, "N %s\n", info.dli_sname != NULL ? info.dli_sname : "?");
    } else {
        snprintf(to, room, "%s %d\n",
                 node->frame == DB_FRAME_ROOT  ? "R"
                 : node->frame == DB_FRAME_GAP ? "G"
                                               : "A",
                 (int)node->value);
    }
}

/* The merged context, a frame a line, root first: "P name offset firstline", "N symbol", "R kind", "G 0". */
EXPORT size_t harness_capture(char *to, size_t room)
{
    raise(SIGUSR2);
    uint32_t path[2048];
    size_t depth = 0;
    for (uint32_t id = captured_node; id != 0 && depth < 2048;) {
        const struct db_node *node = ledger_record(DB_KIND_NODE, id);
        path[depth++] = id;
        id = node->parent < id ? node->parent : 0;
    }
    size_t used = 0;
    to[0] = '\0';
    while (depth > 0 && used + 400 < room) {
        describe_node(path[--depth], to + used, room - used);
        used += strlen(to + used);
    }
    return used;
}

EXPORT unsigned long harness_drops(int reason)
{
    return record_of_process.dropped[reason];
}

EXPORT unsigned harness_count(int kind)
{
    return record_counts[kind];
}

/* Does the slot the anchor gives hold the address the last capture's native call returns to? */
EXPORT int harness_slot_found(void)
{
    return captured_slot != 0;
}

EXPORT void harness_chores(void)
{
    module_scan();
    source_store_pending();
}

EXPORT unsigned harness_source_bytes(void)
{
    unsigned bytes = 0;
    for (uint32_t id = 1; id <= record_counts[DB_KIND_SOURCE]; id++) {
        const struct db_source *source = ledger_record(DB_KIND_SOURCE, id);
        bytes += source->part == 0 ? (unsigned)source->file_size_bytes : 0;
    }
    return bytes;
}

static void set_timer(void)
{
    const char *rate = getenv("STACK_HARNESS_HZ");
    if (rate == NULL) {
        return;
    }
    timer_mode = true;
    struct itimerval every = {.it_interval.tv_usec = 1000000 / atoi(rate), .it_value.tv_usec = 1000};
    setitimer(ITIMER_PROF, &every, NULL);
}

__attribute__((constructor)) static void start(void)
{
    for (int kind = 1; kind < DB_KIND_END; kind++) {
        records[kind] = memory_map(RECORDS_MAX * (record_bytes[kind] < 256 ? record_bytes[kind] : 256));
    }
    blobs = memory_map(BLOB_BYTES);
    module_scan();
    if (!python_probe() || !context_start() || !native_start()) {
        return;
    }
    struct sigaction sample = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGUSR2, &sample, NULL);
    sigaction(SIGPROF, &sample, NULL);
    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGBUS, &fault, NULL);
    set_timer();
}

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* The machine may be busy with other things: the median tells the cost, the mean would tell of them. */
static double median_us(uint32_t *times)
{
    size_t count = captures < TIMES_MAX ? captures : TIMES_MAX;
    qsort(times, count, sizeof *times, compare);
    return times[count / 2] / 1e3;
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("STACK_HARNESS_REPORT");
    FILE *to = path != NULL ? fopen(path, "w") : NULL;
    struct itimerval never = {0};
    if (timer_mode) {
        setitimer(ITIMER_PROF, &never, NULL);
    }
    if (to == NULL || captures == 0) {
        return;
    }
    fprintf(to, "captures %lu\ncapture_us %.2f\nintern_us %.2f\nworst_us %.1f\nframes %.1f\nguard_faults %lu\n",
            captures, median_us(capture_ns), median_us(intern_ns), (double)worst_ns / 1e3,
            (double)frames_seen / (double)captures, faults);
    fprintf(to, "slots_asked %lu\nslots_found %lu\nincomplete %lu\nnodes %u\ncodes %u\nmodules %u\n", slots_asked,
            slots_found, incomplete, record_counts[DB_KIND_NODE], record_counts[DB_KIND_CODE],
            record_counts[DB_KIND_MODULE]);
    static const char *const names[] = {
#define X(name, text, meaning) text,
        DB_DROPS(X)
#undef X
    };
    for (size_t i = 0; i < DB_DROP_COUNT; i++) {
        if (record_of_process.dropped[i] != 0) {
            fprintf(to, "%s %lu\n", names[i], record_of_process.dropped[i]);
        }
    }
    fclose(to);
}
