"""A two-layer network in NumPy on moons, with loss and accuracy reported as it learns."""
import argparse

import numpy as np


class Network:
    def __init__(self, rng, inputs, hidden):
        self.first = rng.normal(scale=0.3, size=(inputs, hidden))
        self.second = rng.normal(scale=0.1, size=(hidden, 2))

    def forward(self, points):
        hidden = np.tanh(points @ self.first)
        scores = hidden @ self.second
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return hidden, odds / odds.sum(axis=1, keepdims=True)

    def gradients(self, points, labels):
        hidden, odds = self.forward(points)
        wanted = np.stack([labels == 0, labels == 1], axis=1)
        loss = -np.log(odds[wanted]).mean()
        accuracy = (odds.argmax(axis=1) == labels).mean()
        odds = (odds - wanted) / len(labels)
        back = (odds @ self.second.T) * (1.0 - hidden**2)
        return loss, accuracy, points.T @ back, hidden.T @ odds


def make_moons(rng, count):
    labels = rng.integers(0, 2, count)
    angle = rng.uniform(0.0, np.pi, count)
    x = np.where(labels == 0, np.cos(angle), 1.0 - np.cos(angle))
    y = np.where(labels == 0, np.sin(angle), 0.5 - np.sin(angle))
    moons = np.stack([x, y], axis=1) + rng.normal(scale=0.15, size=(count, 2))
    return np.concatenate([moons, moons**2, moons[:, :1] * moons[:, 1:]], axis=1), labels


def train(steps):
    rng = np.random.default_rng(11)
    points, labels = make_moons(rng, 5000)
    network = Network(rng, points.shape[1], 64)
    for step in range(1, steps + 1):
        chosen = rng.integers(0, len(points), 256)
        loss, accuracy, first, second = network.gradients(points[chosen], labels[chosen])
        network.first -= 0.5 * first
        network.second -= 0.5 * second
        if step % 500 == 0:
            print(f"step {step}: loss {loss:.6f}, accuracy {accuracy:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=4000)
    train(parser.parse_args().steps)
