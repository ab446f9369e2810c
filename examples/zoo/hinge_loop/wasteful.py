"""A support vector machine in NumPy by subgradients of the hinge loss.

The waste: the loss of each example is worked out by itself, in a loop over the array of scores.
"""
import argparse

import numpy as np


def hinge(scores, sides):
    losses = np.empty_like(scores)
    for i in range(len(scores)):
        losses[i] = max(0.0, 1.0 - sides[i] * scores[i])  # waste
    return losses


def train(steps):
    rng = np.random.default_rng(9)
    points = rng.normal(size=(8000, 12))
    sides = np.sign(points @ rng.normal(size=12) + 0.3 * rng.normal(size=len(points)))
    weights = np.zeros(12)
    for step in range(1, steps + 1):
        losses = hinge(points @ weights, sides)
        gradient = weights / len(points) - (sides * (losses > 0)) @ points / len(points)
        weights -= 0.5 / np.sqrt(step) * gradient
        if step % 20 == 0:
            print(f"step {step}: loss {losses.mean():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    train(parser.parse_args().steps)
