"""Trains a two-layer perceptron in plain NumPy on scikit-learn's handwritten digits.

The waste: every step standardises the whole training set before it takes its batch from it; and takes the square roots of
its pixels first, a leftover whose result is overwritten before anybody reads it.
"""
import argparse

import numpy as np
from sklearn.datasets import load_digits

BATCH = 64
HIDDEN = 96
CLASSES = 10
RATE = 0.2


def standardise(images, scaled):
    np.sqrt(images, out=scaled)
    np.subtract(images, images.mean(axis=0), out=scaled)
    scaled /= images.std(axis=0) + 1.0


class Perceptron:
    def __init__(self, inputs, rng):
        shapes = [(inputs, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,)]
        self.weights = [rng.normal(0.0, 0.1, shape) for shape in shapes]
        self.gradients = [np.empty(shape) for shape in shapes]

    def forward(self, images):
        first, first_bias, second, second_bias = self.weights
        self.images = images
        self.hidden = np.maximum(images @ first + first_bias, 0.0)
        scores = self.hidden @ second + second_bias
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        return odds / odds.sum(axis=1, keepdims=True)

    def backward(self, probabilities, labels):
        error = probabilities.copy()
        error[np.arange(len(labels)), labels] -= 1.0
        error /= len(labels)
        np.matmul(self.hidden.T, error, out=self.gradients[2])
        np.sum(error, axis=0, out=self.gradients[3])
        hidden_error = (error @ self.weights[2].T) * (self.hidden > 0.0)
        np.matmul(self.images.T, hidden_error, out=self.gradients[0])
        np.sum(hidden_error, axis=0, out=self.gradients[1])

    def update(self):
        for weight, gradient in zip(self.weights, self.gradients):
            weight -= RATE * gradient


def train(steps):
    rng = np.random.default_rng(0)
    digits = load_digits()
    images, labels = np.ascontiguousarray(digits.data), digits.target
    scaled = np.empty_like(images)
    model = Perceptron(images.shape[1], rng)
    for step in range(1, steps + 1):
        chosen = rng.integers(0, len(images), BATCH)
        standardise(images, scaled)
        probabilities = model.forward(scaled[chosen])
        model.backward(probabilities, labels[chosen])
        model.update()
        if step % 500 == 0 or step == steps:
            loss = -np.log(probabilities[np.arange(BATCH), labels[chosen]] + 1e-12).mean()
            print(f"step {step}: loss {loss:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6000)
    train(parser.parse_args().steps)
