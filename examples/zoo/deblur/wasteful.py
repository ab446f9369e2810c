"""Learns a blur from blurred signals in NumPy: gradient steps on a filter, products in the frequency domain.

The waste: the spectrum of the sharp signals, the same ones all along, is computed in each step.
"""
import argparse

import numpy as np

LENGTH = 1024


class Blur:
    def __init__(self, taps):
        self.taps = np.full(taps, 1.0 / taps)

    def step(self, sharp, blurred, rate):
        spectra = np.fft.rfft(sharp, LENGTH, axis=1)  # waste
        filtered = np.fft.irfft(spectra * np.fft.rfft(self.taps, LENGTH), LENGTH, axis=1)
        error = filtered - blurred
        products = spectra * np.fft.rfft(error, LENGTH, axis=1).conj()
        slope = np.fft.irfft(products.mean(axis=0).conj(), LENGTH)
        self.taps -= rate * slope[: len(self.taps)]
        return (error**2).mean()


def train(steps):
    rng = np.random.default_rng(9)
    sharp = np.cumsum(rng.normal(size=(64, LENGTH)), axis=1)
    sharp -= sharp.mean(axis=1, keepdims=True)
    sharp /= sharp.std(axis=1, keepdims=True)
    truth = np.exp(-0.5 * ((np.arange(15) - 7.0) / 2.0) ** 2)
    blurred = np.fft.irfft(np.fft.rfft(sharp) * np.fft.rfft(truth / truth.sum(), LENGTH), LENGTH)
    model = Blur(15)
    for step in range(1, steps + 1):
        loss = model.step(sharp, blurred + rng.normal(scale=0.01, size=sharp.shape), rate=1e-4)
        if step % 40 == 0:
            print(f"step {step}: loss {loss:.8f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=240)
    train(parser.parse_args().steps)
