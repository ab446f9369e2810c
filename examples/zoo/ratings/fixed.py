"""Matrix factorisation of film ratings in NumPy, by full gradient steps with momentum."""
import argparse

import numpy as np

RANK = 8


def make_ratings(rng, users, films):
    tastes = rng.normal(size=(users, RANK)) @ rng.normal(size=(RANK, films)) / np.sqrt(RANK)
    ratings = np.clip(np.rint(3.0 + tastes), 1, 5)
    return np.where(rng.random((users, films)) < 0.2, ratings, 0)


def train(epochs):
    rng = np.random.default_rng(7)
    ratings = make_ratings(rng, 500, 700)
    users = rng.normal(scale=0.3, size=(500, RANK))
    films = rng.normal(scale=0.3, size=(700, RANK))
    mean = ratings[ratings > 0].mean()
    slopes = [np.zeros_like(users), np.zeros_like(films)]
    known = (ratings > 0).astype(float)
    for epoch in range(1, epochs + 1):
        error = known * (users @ films.T + mean - ratings)
        gradients = error @ films + 0.1 * users, error.T @ users + 0.1 * films
        for factors, slope, gradient in zip((users, films), slopes, gradients):
            slope *= 0.9
            slope -= 0.002 * gradient
            factors += slope
        if epoch % 40 == 0:
            print(f"epoch {epoch}: rmse {np.sqrt((error**2).sum() / known.sum()):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=280)
    train(parser.parse_args().epochs)
