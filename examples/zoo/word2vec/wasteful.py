"""Skip-gram word vectors with negative sampling in NumPy, on a made-up language of Zipf words and topics.

The waste: the noise distribution (counts to the power of 3/4) and its sums are worked out for every batch.
"""
import argparse

import numpy as np

WORDS = 8000
SIZE = 24
NEGATIVE = 4
BATCH = 32
RATE = 0.3


def make_text(rng, length):
    topics = np.repeat(rng.integers(0, 20, length // 50), 50)
    ranks = np.minimum(rng.zipf(1.3, len(topics)), WORDS // 20) - 1
    return ranks * 20 + topics


def draw_noise(rng, counts, size):
    edges = np.cumsum(counts**0.75)  # waste
    return np.searchsorted(edges, rng.random(size) * edges[-1])


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def train_batch(words, contexts, centre, around, noise):
    hidden = words[centre]
    chosen = np.concatenate([around[:, None], noise], axis=1)
    vectors = contexts[chosen]
    error = sigmoid(np.einsum("bd,bkd->bk", hidden, vectors))
    loss = -np.log(np.where(np.arange(NEGATIVE + 1) == 0, error, 1.0 - error) + 1e-9).sum(axis=1).mean()
    error[:, 0] -= 1.0
    np.add.at(words, centre, -RATE * np.einsum("bk,bkd->bd", error, vectors))
    np.add.at(contexts, chosen, -RATE * error[:, :, None] * hidden[:, None, :])
    return loss


def train(steps):
    rng = np.random.default_rng(6)
    text = make_text(rng, 100_000)
    counts = np.bincount(text, minlength=WORDS).astype(float)
    words = rng.normal(scale=0.1, size=(WORDS, SIZE))
    contexts = np.zeros((WORDS, SIZE))
    total = 0.0
    for step in range(1, steps + 1):
        at = rng.integers(2, len(text) - 2, BATCH)
        around = text[at + rng.choice([-2, -1, 1, 2], BATCH)]
        total += train_batch(words, contexts, text[at], around, draw_noise(rng, counts, (BATCH, NEGATIVE)))
        if step % 500 == 0:
            print(f"step {step}: loss {total / 500:.6f}")
            total = 0.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3000)
    train(parser.parse_args().steps)
