"""Gradient boosting by scikit-learn, on points on a noisy surface."""
import argparse

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split


def train(trees):
    rng = np.random.default_rng(5)
    points = rng.uniform(-2.0, 2.0, (6000, 8))
    heights = np.sin(3.0 * points[:, 0]) * points[:, 1] + points[:, 2] ** 2 + 0.3 * rng.normal(size=len(points))
    known, new, known_heights, new_heights = train_test_split(points, heights, test_size=0.25, random_state=0)
    model = GradientBoostingRegressor(n_estimators=trees, learning_rate=0.1, max_depth=4, subsample=0.7, random_state=0)
    model.fit(known, known_heights)
    print(f"{trees} trees: error {mean_squared_error(new_heights, model.predict(new)):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=80)
    train(parser.parse_args().trees)
