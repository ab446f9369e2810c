/*
 * How long a watch may wait for the second access. Waiting costs (governor.h) and keeps others out, yet a pair whose accesses
 * lie far apart must have its chance. So a watch gets t, 4t, 16t, ... of the thread's CPU time, each with half the chance of
 * the one before (a quarter where armed time is dear: then each length costs as much as the next), and a pair that ends at
 * an age that only one watch in s would have reached is counted s times: the estimator of Horvitz and Thompson (1952), which
 * no choice of t or of the chances biases. t follows what can be afforded. Nobody waits longer than the thread had run when it
 * began to: what was stored once, at the start, would keep a register from all others for seconds. Where armed time is dear, no
 * watch waits for what would eat up the budget: pairs further apart are not seen before the run is long enough to afford them.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access/engine.h"
#include "access/governor.h"
#include "process.h"
#include "signals.h"
#include "time/trigger.h"

#define PATIENCE_START_NS UINT64_C(1000000)
#define PATIENCE_MIN_NS UINT64_C(20000)
#define PATIENCE_MIN_DEAR_NS UINT64_C(500000) /* fewer watches then, but not in vain */
#define PATIENCE_MAX_NS UINT64_C(20000000000) /* nobody waits longer */
#define CHANCE_BITS_MAX 10u                   /* no pair stands for more than two to the power of these, for its wait */
#define STANDS_FOR_MAX 8u /* one watch after a long wait for registers must not outweigh all others */
#define ALARM_MIN_NS UINT64_C(20000)

void patience_alarm_open(struct access_thread *at)
{
    struct perf_event_attr attributes;
    thread_clock_attributes(&attributes, PATIENCE_MAX_NS, SIGNALS_COOKIE_ALARM);
    at->alarm_descriptor = thread_open_event(&attributes);
    at->alarm_set = false;
    at->patience_ns = PATIENCE_START_NS;
}

void patience_alarm_close(struct access_thread *at, bool forget)
{
    if (at->alarm_descriptor >= 0) {
        forget ? thread_close_event(at->alarm_descriptor) : thread_stop_event(at->alarm_descriptor);
        at->alarm_descriptor = -1;
    }
    at->alarm_set = false;
}

static bool alarm_control(const struct access_thread *at, unsigned long request, void *argument)
{
    return thread_event_is_ours(at->alarm_descriptor) &&
           syscall(SYS_ioctl, at->alarm_descriptor, request, argument) == 0;
}

static void alarm_cancel(struct access_thread *at)
{
    if (at->alarm_set) {
        alarm_control(at, PERF_EVENT_IOC_DISABLE, NULL);
        at->alarm_set = false;
    }
}

/* Deadlines beyond the next sample are the sample's to keep: an alarm costs a trap. */
void patience_set_alarm(struct access_thread *at, uint64_t now_ns)
{
    uint64_t next_ns = UINT64_MAX;
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        const struct watch *watch = &at->watches[i];
        if (watch->phase != WATCH_FREE && watch->deadline_ns < next_ns) {
            next_ns = watch->deadline_ns;
        }
    }
    for (unsigned i = 0; i < SEARCH_KINDS && governor_waiting_is_dear(); i++) {
        const struct search *search = &at->searches[i];
        if (search_waits(search) && search->look_ns < next_ns) {
            next_ns = search->look_ns;
        }
    }
    alarm_cancel(at);
    uint64_t wait_ns = next_ns > now_ns ? next_ns - now_ns : 0;
    if (next_ns == UINT64_MAX || wait_ns > trigger_period_ns()) {
        return;
    }
    uint64_t period_ns = wait_ns > ALARM_MIN_NS ? wait_ns : ALARM_MIN_NS;
    at->alarm_set =
        alarm_control(at, PERF_EVENT_IOC_PERIOD, &period_ns) && alarm_control(at, PERF_EVENT_IOC_ENABLE, NULL);
}

/* What waiting costs here may be known only since a watch began to: it ends as if that had been known then. */
static bool has_waited(const struct watch *watch, uint64_t now_ns, uint64_t longest_ns)
{
    longest_ns = longest_ns > watch->patience_ns ? longest_ns : watch->patience_ns; /* everyone's first length */
    return now_ns > watch->deadline_ns || (now_ns > watch->armed_at_ns && now_ns - watch->armed_at_ns > longest_ns);
}

void patience_check(struct access_thread *at, uint64_t now_ns)
{
    const uint64_t longest_ns = governor_longest_wait_ns();
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        struct watch *watch = &at->watches[i];
        if (watch->phase != WATCH_FREE && has_waited(watch, now_ns, longest_ns)) {
            verdict_end(at, watch, DB_DROP_WATCH_OUTWAITED);
        }
    }
    scope_release(at);
}

bool patience_waits(const struct access_thread *at)
{
    for (unsigned i = 0; i < access_data_registers(at); i++) {
        if (at->watches[i].phase != WATCH_FREE) {
            return true;
        }
    }
    return at->alarm_set;
}

void patience_begin(struct access_thread *at, struct watch *watch, uint32_t sixteenths, uint64_t now_ns)
{
    const uint64_t run_ns = now_ns > PATIENCE_START_NS ? now_ns : PATIENCE_START_NS;
    const uint64_t afforded_ns = governor_longest_wait_ns(), longest_ns = afforded_ns < run_ns ? afforded_ns : run_ns;
    uint64_t wait_ns = at->patience_ns < run_ns ? at->patience_ns : run_ns;
    watch->patience_ns = wait_ns;
    watch->chance_bits = governor_waiting_is_dear() ? 2 : 1;
    uint32_t mask = (1u << watch->chance_bits) - 1;
    uint32_t random = access_random(at) >> 8;
    for (unsigned i = 0;
         i < CHANCE_BITS_MAX / watch->chance_bits && (random & mask) == mask && wait_ns * 4 <= longest_ns; i++) {
        wait_ns *= 4;
        random >>= watch->chance_bits;
    }
    watch->armed_at_ns = now_ns;
    watch->deadline_ns = now_ns + (wait_ns < PATIENCE_MAX_NS ? wait_ns : PATIENCE_MAX_NS);
    watch->stands_for = sixteenths * (at->passed_over < STANDS_FOR_MAX ? at->passed_over + 1 : STANDS_FOR_MAX);
    at->passed_over = 0;
}

uint64_t patience_scale(const struct watch *watch, uint64_t now_ns)
{
    uint32_t longer = 0;
    while (longer < CHANCE_BITS_MAX / watch->chance_bits && now_ns - watch->armed_at_ns > watch->patience_ns
                                                                                              << (2 * longer)) {
        longer++;
    }
    return (uint64_t)watch->stands_for << (longer * watch->chance_bits);
}

void patience_adapt(struct access_thread *at, bool found_register)
{
    const uint64_t least_ns = governor_waiting_is_dear() ? PATIENCE_MIN_DEAR_NS : PATIENCE_MIN_NS;
    uint64_t patience_ns = at->patience_ns;
    patience_ns =
        found_register && governor_allows_waiting() ? patience_ns + patience_ns / 16 : patience_ns - patience_ns / 4;
    patience_ns = patience_ns < PATIENCE_MAX_NS ? patience_ns : PATIENCE_MAX_NS;
    at->patience_ns = patience_ns > least_ns ? patience_ns : least_ns;
}
