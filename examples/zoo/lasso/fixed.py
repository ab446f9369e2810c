"""Lasso by proximal gradient descent in NumPy, on a sparse linear model."""
import argparse

import numpy as np


def shrink(weights, amount):
    return np.sign(weights) * np.maximum(np.abs(weights) - amount, 0.0)


def fit(features, targets, penalty, iterations):
    count = len(features)
    weights = np.zeros(features.shape[1])
    rate = count / np.linalg.norm(features, 2) ** 2
    gram = features.T @ features
    moments = features.T @ targets
    for _ in range(iterations):
        gradient = (gram @ weights - moments) / count
        weights = shrink(weights - rate * gradient, rate * penalty)
    return weights


def main(iterations):
    rng = np.random.default_rng(2)
    features = rng.normal(size=(3000, 150))
    truth = rng.normal(size=150) * (rng.random(150) < 0.1)
    targets = features @ truth + rng.normal(scale=0.5, size=3000)
    weights = fit(features, targets, penalty=0.05, iterations=iterations)
    print(f"{np.count_nonzero(weights)} of {len(weights)} weights, error {np.linalg.norm(weights - truth):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=300)
    main(parser.parse_args().iterations)
