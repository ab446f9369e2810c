"""Polynomial regression in NumPy: momentum steps on monomials of two inputs."""
import argparse
from itertools import combinations_with_replacement

import numpy as np


class PolynomialModel:
    def __init__(self, degree):
        self.terms = [term for size in range(degree + 1) for term in combinations_with_replacement(range(2), size)]
        self.weights = np.zeros(len(self.terms))

    def expand(self, inputs):
        return np.column_stack([np.prod(inputs[:, list(term)], axis=1) for term in self.terms])

    def gradient(self, features, targets):
        error = features @ self.weights - targets
        return features.T @ error / len(features), 0.5 * (error**2).mean()


def train(steps):
    rng = np.random.default_rng(5)
    inputs = rng.uniform(-1.0, 1.0, size=(8000, 2))
    targets = np.sin(3.0 * inputs[:, 0]) * np.cos(2.0 * inputs[:, 1]) + rng.normal(scale=0.05, size=8000)
    model = PolynomialModel(degree=5)
    velocity = np.zeros_like(model.weights)
    features = model.expand(inputs)
    for step in range(1, steps + 1):
        gradient, loss = model.gradient(features, targets)
        velocity = 0.95 * velocity - 0.1 * gradient
        model.weights += velocity
        if step % 50 == 0:
            print(f"step {step}: loss {loss:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    train(parser.parse_args().steps)
