"""k-means in NumPy on mini-batches, with centres that move ever less."""
import argparse

import numpy as np

COUNT = 24


def train(steps):
    rng = np.random.default_rng(4)
    middles = 3.0 * rng.normal(size=(COUNT, 16))
    points = middles[rng.integers(0, COUNT, 40000)] + rng.normal(size=(40000, 16))
    lengths = (points**2).sum(axis=1)
    centres = points[rng.choice(len(points), COUNT, replace=False)]
    counts = np.zeros(COUNT)
    for step in range(1, steps + 1):
        chosen = rng.choice(len(points), 2000, replace=False)
        batch = points[chosen]
        distances = lengths[chosen, None] - 2.0 * batch @ centres.T + (centres**2).sum(axis=1)
        nearest = distances.argmin(axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, batch)
        members = np.bincount(nearest, minlength=COUNT)
        counts += members
        centres += (sums - members[:, None] * centres) / np.maximum(counts, 1.0)[:, None]
        if step % 50 == 0:
            print(f"step {step}: loss {distances.min(axis=1).mean():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    train(parser.parse_args().steps)
