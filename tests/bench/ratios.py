"""Ratios of paired runs with bootstrap intervals, and tables of them."""
import math
import random
import statistics

RESAMPLES = 2000


def ratio_of_sums(pairs, quantity):
    return sum(getattr(pair[1], quantity) for pair in pairs) / sum(getattr(pair[0], quantity) for pair in pairs)


def ratio_interval(pairs, quantity):
    """A bootstrap interval; its ends are the extremes when there are few pairs."""
    generator = random.Random(0)
    ratios = sorted(ratio_of_sums(generator.choices(pairs, k=len(pairs)), quantity) for _ in range(RESAMPLES))
    return ratios[int(0.025 * RESAMPLES)], ratios[int(0.975 * RESAMPLES)]


def memory_growth_mib(pairs):
    before, after = (statistics.median(pair[side].peak_mib for pair in pairs) for side in (0, 1))
    return after - before


def cells_of(pairs):
    """CPU ratio and interval, wall ratio and interval, memory."""
    cells = []
    for quantity in ("cpu_s", "wall_s"):
        low, high = ratio_interval(pairs, quantity)
        cells += [f"{ratio_of_sums(pairs, quantity):.3f}", f"{low:.3f}-{high:.3f}" if len(pairs) > 1 else "one pair"]
    return cells + [f"{memory_growth_mib(pairs):+.1f}"]


def markdown(head, rows, left=1):
    """`left` columns of text, and the others of numbers."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * left + ["---:"] * (len(head) - left), *rows)]
    return "\n".join(lines)


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))
