"""A perceptron with two layers in NumPy, by shuffled mini-batches, on scikit-learn's handwritten digits."""
import argparse

import numpy as np
from sklearn.datasets import load_digits

BATCH = 64


def load():
    digits = load_digits()
    images = digits.data - digits.data.mean(axis=0)
    images /= digits.data.std(axis=0) + 1.0
    return images, np.eye(10)[digits.target]


def softmax(scores):
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def train(epochs):
    rng = np.random.default_rng(0)
    images, targets = load()
    first, second = rng.normal(0.0, 0.1, (64, 128)), rng.normal(0.0, 0.1, (128, 10))
    for epoch in range(1, epochs + 1):
        total = 0.0
        order = rng.permutation(len(images))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            x, wanted = images[chosen], targets[chosen]
            hidden = np.tanh(x @ first)
            odds = softmax(hidden @ second)
            total -= np.log((odds * wanted).sum(axis=1)).sum()
            error = (odds - wanted) / len(chosen)
            change = (error @ second.T) * (1.0 - hidden**2)
            second -= 0.2 * hidden.T @ error
            first -= 0.2 * x.T @ change
        if epoch % 20 == 0:
            print(f"epoch {epoch}: loss {total / len(images):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=120)
    train(parser.parse_args().epochs)
