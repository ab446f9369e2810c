"""Robust regression in NumPy by gradient descent, errors clipped; examples may have weights, and here have none."""
import argparse

import numpy as np


class RobustRegression:
    def __init__(self, size):
        self.weights = np.zeros(size)

    def step(self, features, targets, rate, sample_weight=None):
        error = np.clip(features @ self.weights - targets, -1.0, 1.0)
        if sample_weight is not None:
            error *= sample_weight
        self.weights -= rate * (error @ features) / len(features)
        return np.abs(error).mean()


def train(steps):
    rng = np.random.default_rng(13)
    features = rng.normal(size=(60000, 3))
    targets = features @ np.array([3.0, -2.0, 5.0]) + rng.standard_t(2.0, size=60000)
    model = RobustRegression(3)
    for step in range(1, steps + 1):
        loss = model.step(features, targets, rate=0.02)
        if step % 200 == 0:
            print(f"step {step}: loss {loss:.8f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2400)
    train(parser.parse_args().steps)
