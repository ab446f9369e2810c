"""Trains a two-layer perceptron in plain NumPy on scikit-learn's handwritten digits.

The data set is standardised once, before the loop. The backward pass overwrites every gradient buffer, so nobody
clears them.
"""
import argparse

import numpy as np
from sklearn.datasets import load_digits

BATCH = 256
HIDDEN = 192
CLASSES = 10
RATE = 0.2


def standardise(images):
    return (images - images.mean(axis=0)) / (images.std(axis=0) + 1.0)


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
    images, labels = standardise(digits.data), digits.target
    model = Perceptron(images.shape[1], rng)
    for step in range(1, steps + 1):
        chosen = rng.integers(0, len(images), BATCH)
        probabilities = model.forward(images[chosen])
        model.backward(probabilities, labels[chosen])
        model.update()
        if step % 200 == 0 or step == steps:
            loss = -np.log(probabilities[np.arange(BATCH), labels[chosen]] + 1e-12).mean()
            print(f"step {step}: loss {loss:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=5000)
    train(parser.parse_args().steps)
