"""A perceptron in NumPy on noisy spectra, each batch made louder or softer by chance before it is learned from."""
import argparse

import numpy as np

BATCH = 200


def batch_of(rng, spectra, start):
    chosen = spectra[start : start + BATCH]
    louder = np.empty(chosen.shape)
    np.multiply(chosen, rng.uniform(0.5, 2.0, (BATCH, 1)), out=louder)
    return louder


def train(epochs):
    rng = np.random.default_rng(13)
    middles = rng.normal(size=(4, 512))
    kinds = rng.integers(0, 4, 4000)
    spectra = np.abs(middles[kinds] + rng.normal(size=(4000, 512)))
    wanted = np.eye(4)[kinds]
    weights = np.zeros((512, 4))
    for epoch in range(1, epochs + 1):
        total = 0.0
        for start in range(0, len(spectra), BATCH):
            batch = batch_of(rng, spectra, start)
            error = batch @ weights - wanted[start : start + BATCH]
            weights -= 1e-3 / BATCH * batch.T @ error
            total += (error**2).sum()
        if epoch % 30 == 0:
            print(f"epoch {epoch}: loss {total / len(spectra):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=360)
    train(parser.parse_args().epochs)
