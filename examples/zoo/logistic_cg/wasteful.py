"""Logistic regression by SciPy's conjugate gradients: SciPy asks for the loss at a point, and for the slope there.

The waste: both begin with the same product of all features with the same weights.
"""
import argparse

import numpy as np
from scipy.optimize import minimize


class LogisticLoss:
    def __init__(self, features, labels, penalty):
        self.features = features
        self.labels = labels
        self.penalty = penalty

    def loss(self, weights):
        margins = self.labels * (self.features @ weights)
        return np.logaddexp(0.0, -margins).mean() + 0.5 * self.penalty * weights @ weights

    def slope(self, weights):
        margins = self.labels * (self.features @ weights)  # waste
        pull = self.labels / (1.0 + np.exp(margins))
        return self.penalty * weights - self.features.T @ pull / len(pull)


def main(fits):
    rng = np.random.default_rng(12)
    features = rng.normal(size=(6000, 80)) * np.geomspace(0.1, 3.0, 80)
    truth = rng.normal(size=80)
    labels = np.where(rng.random(6000) < 1.0 / (1.0 + np.exp(-features @ truth)), 1.0, -1.0)
    for penalty in np.geomspace(1e-1, 1e-4, fits):
        problem = LogisticLoss(features, labels, penalty)
        start = rng.normal(scale=0.1, size=80)
        found = minimize(problem.loss, start, jac=problem.slope, method="CG", options={"maxiter": 100})
        print(f"penalty {penalty:.5f}: loss {found.fun:.6f} after {found.nit} steps")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=6)
    main(parser.parse_args().fits)
