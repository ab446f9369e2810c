/*
 * How many code objects the interpreter has freed: what is remembered of one by its address holds as long as that stays. Addresses are used
 * again at once, by code that looks alike: exec(), lambdify() and torch.fx write one function after the other.
 */
#ifndef PIEPROF_PRELOAD_CODE_DEATHS_H
#define PIEPROF_PRELOAD_CODE_DEATHS_H

#include <stdbool.h>
#include <stdint.h>

struct python_probe;

/*
 * Puts a counter before the destructor of code objects, which is a word in their type: PyTypeObject.tp_dealloc (C API reference, "Type Object
 * Structures"), five words behind the type's own type in all supported versions. No version tells it otherwise before the watchers of 3.12,
 * which have to be asked for with the interpreter's lock held. Once, outside handlers. Where the type has none nothing is counted.
 */
void code_deaths_watch(const struct python_probe *probe);

/* Are they counted? Signal-safe. */
bool code_deaths_known(void);

/* So far. Read before the code that is then remembered. Signal-safe. */
uint64_t code_deaths(void);

#endif
