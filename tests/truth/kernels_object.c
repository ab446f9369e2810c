/* Objects for the kernels, announced to the counter where it is there. */
#include <stdlib.h>

#include "kernels.h"
#ifdef COUNTED
#include "counter.h"
#endif

void *take(size_t bytes)
{
    uint64_t *object = malloc(bytes);
    if (object == NULL) {
        abort();
    }
#ifdef COUNTED
    counter_born(object, bytes);
#endif
    return object;
}

void drop(void *object)
{
#ifdef COUNTED
    counter_died(object);
#endif
    free(object);
}
