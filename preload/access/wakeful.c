/*
 * Where watches must not sleep: contexts at which bytes changed behind one that slept, so that its call's last access was not seen. A
 * bit for each, by hash; one that others set costs traps alone.
 */
#include "access/engine.h"

#define WORD_BITS 64u

static uint32_t bit_of(uint32_t node)
{
    return (node * UINT32_C(0x9e3779b1)) >> (32 - ENGINE_WAKEFUL_BITS_LOG2);
}

void wakeful_make(struct access_thread *at, uint32_t node)
{
    uint32_t bit = bit_of(node);
    at->wakeful[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
}

bool wakeful_is(const struct access_thread *at, uint32_t node)
{
    uint32_t bit = bit_of(node);
    return at->wakeful[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}
