"""Softmax regression in NumPy: which of ten noisy patterns is it?

The waste: the labels never change, but every epoch turns them into one-hot rows again.
"""
import argparse

import numpy as np

CLASSES = 10


def make_digits(rng, count):
    patterns = rng.normal(size=(CLASSES, 9))
    labels = rng.integers(0, CLASSES, count)
    return patterns[labels] + rng.normal(scale=1.5, size=(count, 9)), labels


def softmax(scores):
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def train(epochs):
    rng = np.random.default_rng(1)
    images, labels = make_digits(rng, 6000)
    weights = np.zeros((images.shape[1], CLASSES))
    velocity = np.zeros_like(weights)
    rows = np.arange(len(labels))
    for epoch in range(1, epochs + 1):
        targets = np.eye(CLASSES)[labels]  # waste
        odds = softmax(images @ weights)
        gradient = images.T @ (odds - targets) / len(images)
        velocity = 0.9 * velocity - 0.1 * gradient
        weights += velocity
        if epoch % 100 == 0:
            loss = -np.log(odds[rows, labels]).mean()
            print(f"epoch {epoch}: loss {loss:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=1000)
    train(parser.parse_args().epochs)
