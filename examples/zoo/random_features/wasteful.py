"""Trains a classifier in NumPy on random Fourier features, which stand for a Gaussian kernel.

The waste: the random projection does not learn, and the points come in the same 150 batches in each epoch, so that their
features are computed again and again.
"""
import argparse

import numpy as np

BATCHES, BATCH, FEATURES = 150, 40, 256


def make_points(random):
    angles = random.uniform(0, 2 * np.pi, BATCHES * BATCH)
    rings = random.integers(0, 2, len(angles))
    points = (1 + rings)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    noise = random.normal(size=(len(angles), 6))
    return np.concatenate([points + 0.2 * random.normal(size=points.shape), noise], axis=1), 2.0 * rings - 1


def train(epochs):
    random = np.random.default_rng(5)
    points, targets = make_points(random)
    directions = random.normal(size=(points.shape[1], FEATURES)) * 0.7
    phases = random.uniform(0, 2 * np.pi, FEATURES)
    weights = np.zeros(FEATURES)
    for epoch in range(1, epochs + 1):
        wrong = 0
        for start in range(0, len(points), BATCH):
            features = np.cos(points[start : start + BATCH] @ directions + phases)  # waste
            scores, target = features @ weights, targets[start : start + BATCH]
            weights = weights - 0.01 / BATCH * ((scores - target) @ features)
            wrong += int((scores * target <= 0).sum())
        if epoch % 20 == 0:
            print(f"epoch {epoch}: {100 * wrong / len(points):.2f} % wrong")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=80)
    train(parser.parse_args().epochs)
