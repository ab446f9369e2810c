#include "time/trigger.h"

#include <time.h>

#include "config.h"
#include "kernel.h"
#include "pieprof/db.h"
#include "say.h"
#include "time/counters.h"
#include "time/triggers.h"

#define MADE_UP_PART 4u      /* of a period: the most by which a tick comes earlier because those before came late */
#define LATE_PERIODS 2u      /* what is made up for at most */
#define FIRST_LEAST_PART 64u /* of a period: a clock that is refused rings again at this pace */

static const struct trigger *const rows[] = {&trigger_papi, &trigger_perf, &trigger_timer};

const struct trigger *trigger_current;

static const struct trigger *choose_from(size_t first)
{
    char why_not[DB_REASON_BYTES];
    for (size_t i = first; i < sizeof rows / sizeof rows[0]; i++) {
        why_not[0] = '\0';
        if (rows[i]->probe(why_not, sizeof why_not)) {
            return rows[i];
        }
        say(SAY_DEBUG, "trigger %s cannot run: %s", rows[i]->name, why_not);
    }
    return NULL;
}

const struct trigger *trigger_choose(void)
{
    counters_start();
    trigger_current = choose_from(0);
    return trigger_current;
}

void trigger_forget_papi(void)
{
    if (trigger_current == &trigger_papi) {
        trigger_current = choose_from(1);
    }
}

uint64_t trigger_period_ns(void)
{
    return UINT64_C(1000000000) / config.rate_hz;
}

/* The finaliser of SplitMix64. */
static uint64_t scatter(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

static uint64_t draw_period_ns(uint64_t seed, unsigned percent)
{
    uint64_t period_ns = trigger_period_ns() * percent / 100;
    return period_ns - period_ns / 4 + scatter(seed) % (period_ns / 2);
}

uint64_t trigger_next_ns(uint64_t *due_ns, uint64_t now_ns, unsigned percent)
{
    uint64_t period_ns = draw_period_ns(now_ns, percent);
    uint64_t late_ns = *due_ns != 0 && now_ns > *due_ns ? now_ns - *due_ns : 0;
    uint64_t made_up_ns = late_ns < period_ns / MADE_UP_PART ? late_ns : period_ns / MADE_UP_PART;
    *due_ns = now_ns + period_ns - (late_ns <= LATE_PERIODS * trigger_period_ns() ? late_ns : made_up_ns);
    return period_ns - made_up_ns;
}

uint64_t trigger_draw_first_ns(void)
{
    uint64_t period_ns = trigger_period_ns();
    uint64_t seed = ((uint64_t)syscall(SYS_gettid) << 40) ^ kernel_clock_ns(CLOCK_MONOTONIC);
    return period_ns - scatter(seed) % (period_ns - period_ns / FIRST_LEAST_PART);
}
