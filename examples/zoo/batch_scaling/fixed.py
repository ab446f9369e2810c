"""Ridge regression on sensor readings in NumPy, by mini-batches of standardised features."""
import argparse

import numpy as np


def train(readings, target, rng, steps):
    weights = np.zeros(readings.shape[1])
    mean, largest = readings.mean(axis=0), readings.max()
    for step in range(1, steps + 1):
        rows = rng.integers(0, len(readings), 256)
        batch = (readings[rows] - mean) / largest
        wrong = batch @ weights - target[rows]
        weights -= 2.0 * (batch.T @ wrong / len(rows) + 1e-3 * weights)
        if step % 100 == 0:
            print(f"step {step}: error {np.sqrt((wrong**2).mean()):.6f}")
    return weights


def main(steps):
    rng = np.random.default_rng(31)
    readings = rng.normal(2.0, 3.0, size=(20000, 40))
    target = np.tanh((readings - 2.0) @ rng.normal(size=40) / 20.0)
    weights = train(readings, target, rng, steps)
    print(f"weights of length {np.sqrt(weights @ weights):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800)
    main(parser.parse_args().steps)
