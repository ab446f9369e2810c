#include "access/agree.h"

#include <float.h>
#include <string.h>

#include "config.h"

#define FLOAT_BITS 32u

static double magnitude(double number)
{
    return number < 0 ? -number : number;
}

static bool numbers_agree(double a, double b)
{
    double most = magnitude(a) > magnitude(b) ? magnitude(a) : magnitude(b);
    return most <= DBL_MAX && magnitude(a - b) <= config.fp_tolerance * most;
}

static double double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double float_of(uint64_t bits)
{
    float number;
    uint32_t low = (uint32_t)bits;
    memcpy(&number, &low, sizeof number);
    return (double)number;
}

static bool floats_agree(uint64_t a, uint64_t b)
{
    return (uint32_t)a == (uint32_t)b || numbers_agree(float_of(a), float_of(b));
}

bool values_agree(uint64_t a, uint64_t b, uint32_t bytes, uint32_t float_bytes)
{
    if (a == b) {
        return true;
    }
    if (config.fp_tolerance <= 0 || float_bytes == 0 || bytes % float_bytes != 0) {
        return false;
    }
    if (float_bytes == sizeof(double)) {
        return numbers_agree(double_of(a), double_of(b));
    }
    return floats_agree(a, b) && floats_agree(a >> FLOAT_BITS, b >> FLOAT_BITS);
}
