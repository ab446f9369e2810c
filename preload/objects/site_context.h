/* The context of a fresh site: the calling thread's mixed stack from the allocator's caller outwards. */
#ifndef PIEPROF_PRELOAD_SITE_CONTEXT_H
#define PIEPROF_PRELOAD_SITE_CONTEXT_H

#include <stdint.h>

#include "stack/context.h"

/*
 * Unwinds from here and interns the path; 0 when it could not be. `maker` stands for the native function that made the
 * object: the chain of functions between the innermost evaluation loop and the allocator; 0 when there is none. The leaf is an
 * address inside the call instruction of the allocator's caller. Behind the gate, outside handlers.
 */
uint32_t site_context_capture(struct context_scratch *scratch, uint64_t *maker);

#endif
