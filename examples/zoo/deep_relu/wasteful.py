"""A deep network of rectified units in NumPy, on a smooth function of eight inputs.

The waste: each layer makes its result anew in each step, in memory that malloc gives back to the kernel in between.
"""
import argparse

import numpy as np

WIDTH, DEPTH, BATCH = 64, 6, 2048


class Network:
    def __init__(self, rng, inputs):
        shapes = [(inputs, WIDTH), *[(WIDTH, WIDTH)] * (DEPTH - 1)]
        self.layers = [rng.normal(scale=np.sqrt(2.0 / shape[0]), size=shape) for shape in shapes]
        self.output = rng.normal(scale=0.01, size=WIDTH)
        self.errors = [np.empty((BATCH, WIDTH)) for _ in range(2)]
        self.active = np.empty((BATCH, WIDTH), dtype=bool)

    def forward(self, points):
        signals = [points]
        for weights in self.layers:
            signal = signals[-1] @ weights  # waste
            np.maximum(signal, 0.0, out=signal)
            signals.append(signal)
        return signals

    def step(self, points, wanted, rate):
        signals = self.forward(points)
        error = (signals[-1] @ self.output - wanted) / len(points)
        loss = float(error @ error) * len(points)
        below, above = self.errors
        np.outer(error, self.output, out=above)
        self.output -= rate * (error @ signals[-1])
        for weights, signal, result in zip(self.layers[::-1], signals[-2::-1], signals[::-1]):
            above *= np.greater(result, 0.0, out=self.active)
            if signal is not points:
                np.matmul(above, weights.T, out=below)
            weights -= rate * (signal.T @ above)
            below, above = above, below
        return loss


def train(steps):
    rng = np.random.default_rng(12)
    points = rng.uniform(-1.0, 1.0, size=(8 * BATCH, 8))
    wanted = np.sin(points.sum(axis=1)) + points[:, 0] * points[:, 1]
    network = Network(rng, points.shape[1])
    for step in range(steps):
        batch = slice(step % 8 * BATCH, (step % 8 + 1) * BATCH)
        loss = network.step(points[batch], wanted[batch], rate=0.02)
        if step % 40 == 39:
            print(f"step {step + 1}: loss {loss:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    train(parser.parse_args().steps)
