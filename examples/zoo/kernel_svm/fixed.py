"""A support vector machine with a Gaussian kernel in NumPy, trained by subgradient steps on its dual weights."""
import argparse

import numpy as np


def gaussian_kernel(left, right, width):
    squares = ((left[:, None, :] - right[None, :, :]) ** 2).sum(axis=2)
    return np.exp(squares / (-2.0 * width**2))


class KernelMachine:
    def __init__(self, width, penalty):
        self.width = width
        self.penalty = penalty

    def fit(self, points, labels, steps):
        rng = np.random.default_rng(3)
        self.points = points
        self.weights = np.zeros(len(points))
        kernel = gaussian_kernel(points, points, self.width)
        for step in range(1, steps + 1):
            chosen = rng.integers(0, len(points), 32)
            margins = labels[chosen] * (kernel[chosen] @ self.weights)
            wrong = chosen[margins < 1.0]
            self.weights *= 1.0 - 1.0 / (step + 1)
            np.add.at(self.weights, wrong, labels[wrong] / (self.penalty * (step + 1)))
            if step % 25 == 0:
                size = np.linalg.norm(self.weights)
                print(f"step {step}: {len(wrong)} of {len(chosen)} inside the margin, norm {size:.6f}")

    def predict(self, points):
        return np.sign(gaussian_kernel(points, self.points, self.width) @ self.weights)


def make_rings(rng, count):
    labels = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    radius = 2.0 + 0.8 * labels + rng.normal(scale=0.3, size=count)
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), labels


def main(steps):
    rng = np.random.default_rng(4)
    points, labels = make_rings(rng, 400)
    machine = KernelMachine(width=0.5, penalty=0.05)
    machine.fit(points, labels, steps)
    fresh, truth = make_rings(rng, 200)
    print(f"accuracy {(machine.predict(fresh) == truth).mean():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=250)
    main(parser.parse_args().steps)
