"""k-means in NumPy, from several starts.

The waste: the squared lengths of the points are part of every distance, and summed again in every pass.
"""
import argparse

import numpy as np


def distances_to(points, centres):
    lengths = (points**2).sum(axis=1)  # waste
    return lengths[:, None] - 2.0 * (points @ centres.T) + (centres**2).sum(axis=1)


def cluster(rng, points, count, passes):
    centres = points[rng.choice(len(points), count, replace=False)]
    members = None
    for _ in range(passes):
        distances = distances_to(points, centres)
        nearest = distances.argmin(axis=1)
        if members is not None and (nearest == members).all():
            break
        members = nearest
        centres = np.array([points[members == k].mean(axis=0) for k in range(count)])
    return distances.min(axis=1).sum()


def main(starts):
    rng = np.random.default_rng(8)
    middles = rng.normal(size=(10, 32))
    points = middles[rng.integers(0, 10, 6000)] + rng.normal(size=(6000, 32))
    losses = [cluster(rng, points, 10, passes=12) for _ in range(starts)]
    for start, loss in enumerate(losses, 1):
        print(f"start {start}: loss {loss:.3f}")
    print(f"best {min(losses):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=30)
    main(parser.parse_args().starts)
