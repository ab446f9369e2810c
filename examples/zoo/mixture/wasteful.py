"""A mixture of Gaussians in NumPy, fitted by expectation and maximisation.

The waste: the densities are summed for the likelihood, and once more to divide by the same sums.
"""
import argparse

import numpy as np


def log_densities(points, squares, shares, middles, widths):
    lengths = squares[:, None] - points @ (2.0 * middles.T) + (middles**2).sum(axis=1)
    return lengths * (-0.5 / widths**2) + np.log(shares / widths ** points.shape[1])


def train(steps):
    rng = np.random.default_rng(15)
    centres = 4.0 * rng.normal(size=(40, 2))
    points = centres[rng.integers(0, 40, 10000)] + rng.normal(size=(10000, 2))
    squares = (points**2).sum(axis=1)
    shares, middles, widths = np.full(40, 1 / 40), points[:40].copy(), np.full(40, 2.0)
    for step in range(1, steps + 1):
        logs = log_densities(points, squares, shares, middles, widths)
        likelihood = np.logaddexp.reduce(logs, axis=1).mean()
        members = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])  # waste
        counts = members.sum(axis=0)
        shares = counts / len(points)
        middles = members.T @ points / counts[:, None]
        spread = members.T @ squares / counts - (middles**2).sum(axis=1)
        widths = np.sqrt(np.maximum(spread / 2, 1e-3))
        if step % 20 == 0:
            print(f"step {step}: likelihood {likelihood:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    train(parser.parse_args().steps)
