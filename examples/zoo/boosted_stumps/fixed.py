"""AdaBoost in NumPy, with stumps that split one feature."""
import argparse

import numpy as np


class Stump:
    def __init__(self, feature, threshold, sign):
        self.feature = feature
        self.threshold = threshold
        self.sign = sign

    def predict(self, points):
        return np.where(points[:, self.feature] > self.threshold, self.sign, -self.sign)


def best_stump(points, orders, labels, weights):
    best, least, signed = None, np.inf, weights * labels
    for feature, order in enumerate(orders):
        below = np.cumsum(signed[order])
        errors = 0.5 * (1.0 + below - (below[-1] - below))
        for sign, split in ((1.0, errors.argmin()), (-1.0, errors.argmax())):
            error = errors[split] if sign > 0 else 1.0 - errors[split]
            if error < least:
                least, best = error, Stump(feature, points[order[split], feature], sign)
    return best, max(least, 1e-9)


def train(rounds):
    rng = np.random.default_rng(14)
    points = rng.normal(size=(3000, 10))
    labels = np.where(points[:, 0] + points[:, 1] ** 2 - points[:, 2] > 1.0, 1.0, -1.0)
    orders = [np.argsort(feature) for feature in points.T]
    weights = np.full(len(points), 1.0 / len(points))
    votes = np.zeros(len(points))
    for number in range(1, rounds + 1):
        stump, error = best_stump(points, orders, labels, weights)
        vote = 0.5 * np.log((1.0 - error) / error)
        predicted = vote * stump.predict(points)
        votes += predicted
        weights *= np.exp(-(labels * predicted))
        weights /= weights.sum()
        if number % 10 == 0:
            print(f"round {number}: error {error:.6f}, accuracy {(votes * labels > 0.0).mean():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    train(parser.parse_args().rounds)
