#include "time/trigger.h"

#include "pieprof/db.h"
#include "say.h"
#include "time/counters.h"
#include "time/triggers.h"

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
