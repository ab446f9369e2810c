"""Trains a filter bank and a linear classifier on synthetic textures, with a convolution in plain NumPy.

The windows of a batch are gathered once (im2col); the convolution and its gradient are one matrix product each.
"""
import argparse

import numpy as np

SIDE = 28
KERNEL = 5
OUTPUT = SIDE - KERNEL + 1
FILTERS = 8
BATCH = 16
CLASSES = 4
RATE = 0.05
ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]


def gather_windows(images):
    windows = np.lib.stride_tricks.sliding_window_view(images, (KERNEL, KERNEL), axis=(1, 2))
    return windows.reshape(-1, KERNEL * KERNEL)


def convolve(windows, filters):
    return (windows @ filters).reshape(-1, OUTPUT, OUTPUT, FILTERS)


def filter_gradient(windows, error):
    return windows.T @ error.reshape(-1, FILTERS)


def make_batch(rng):
    """Stripes of four directions under noise."""
    labels = rng.integers(0, CLASSES, BATCH)
    angle = labels[:, None, None] * np.pi / CLASSES
    phase = rng.uniform(0, 2 * np.pi, (BATCH, 1, 1))
    stripes = np.sin(ROWS * np.sin(angle) + COLUMNS * np.cos(angle) + phase)
    return stripes + rng.normal(0.0, 0.3, stripes.shape), labels


def train(steps):
    rng = np.random.default_rng(0)
    filters = rng.normal(0.0, 0.2, (KERNEL * KERNEL, FILTERS))
    weights = np.zeros((FILTERS, CLASSES))
    for step in range(1, steps + 1):
        images, labels = make_batch(rng)
        windows = gather_windows(images)
        responses = convolve(windows, filters)
        energy = (responses**2).mean(axis=(1, 2))
        scores = energy @ weights
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities = odds / odds.sum(axis=1, keepdims=True)
        error = probabilities.copy()
        error[np.arange(BATCH), labels] -= 1.0
        error /= BATCH
        energy_error = error @ weights.T
        response_error = 2.0 * responses * energy_error[:, None, None, :] / OUTPUT**2
        weights -= RATE * energy.T @ error
        filters -= RATE * filter_gradient(windows, response_error)
        if step % 50 == 0 or step == steps:
            loss = -np.log(probabilities[np.arange(BATCH), labels]).mean()
            print(f"step {step}: loss {loss:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1500)
    train(parser.parse_args().steps)
