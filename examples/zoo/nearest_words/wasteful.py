"""Retrieval in NumPy: a linear map that brings questions close to their answers, judged by the nearest ones.

The waste: all answers are sorted by their distance, and the nearest five of them looked at.
"""
import argparse

import numpy as np

NEAREST = 5


def found(distances, own):
    nearest = np.argsort(distances, axis=1)[:, :NEAREST]  # waste
    return (nearest == own).any(axis=1).mean()


def train(steps):
    rng = np.random.default_rng(14)
    answers = rng.normal(size=(1200, 24))
    questions = answers @ rng.normal(size=(24, 24)) / 5.0 + 1.2 * rng.normal(size=answers.shape)
    own = np.arange(len(answers))[:, None]
    lengths = (answers**2).sum(axis=1)
    weights = np.zeros((24, 24))
    for step in range(1, steps + 1):
        chosen = rng.choice(len(answers), 200, replace=False)
        asked = questions[chosen]
        error = asked @ weights - answers[chosen]
        weights -= 0.2 / len(chosen) * asked.T @ error
        if step % 5 == 0:
            mapped = questions @ weights
            distances = (mapped**2).sum(axis=1)[:, None] - 2.0 * mapped @ answers.T + lengths
            print(f"step {step}: found {found(distances, own):.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100)
    train(parser.parse_args().steps)
