#include "stack/code_deaths.h"

#include <stdatomic.h>
#include <stddef.h>

#include "stack/python_probe.h"

#define WORDS_TO_DESTRUCTOR 5 /* ob_size, tp_name, tp_basicsize, tp_itemsize, tp_dealloc */

typedef void (*destructor)(void *object);

static destructor interpreters;
static _Atomic uint64_t deaths;

/* Counted once it is gone: what was read of it until then does not outlive the count. */
static void count_and_free(void *code)
{
    interpreters(code);
    atomic_fetch_add_explicit(&deaths, 1, memory_order_release);
}

void code_deaths_watch(const struct python_probe *probe)
{
    uintptr_t place = probe->code_type + (uintptr_t)probe->layout.object_type + WORDS_TO_DESTRUCTOR * sizeof(void *);
    destructor *slot = (destructor *)place;
    destructor found = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (interpreters != NULL || found == NULL) {
        return;
    }
    interpreters = found;
    __atomic_store_n(slot, count_and_free, __ATOMIC_RELEASE);
}

bool code_deaths_known(void)
{
    return interpreters != NULL;
}

uint64_t code_deaths(void)
{
    return atomic_load_explicit(&deaths, memory_order_acquire);
}
