#include "model/share.h"

#include <math.h>

struct estimate share_estimate(uint64_t wasted, uint64_t pairs)
{
    const double z = 1.959963984540054; /* 97.5 % quantile of the normal distribution */
    if (pairs < SHARE_PAIRS_MIN || wasted > pairs)
        return (struct estimate){0};
    double n = (double)pairs, fraction = (double)wasted / n;
    double center = (fraction + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(fraction * (1 - fraction) / n + z * z / (4 * n * n));
    return (struct estimate){
        .known = true, .fraction = fraction, .low = fmax(0, center - half), .high = fmin(1, center + half)};
}
