"""Trains a network in PyTorch that tells sounds apart by their spectrograms."""
import argparse

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

SOUNDS, SAMPLES, KINDS = 240, 6144, 6


def make_sounds():
    kinds = torch.randint(0, KINDS, (SOUNDS,))
    time = torch.arange(SAMPLES) / 8000
    pitch = 200 + 90 * kinds[:, None] + 10 * torch.randn(SOUNDS, 1)
    waves = sum(torch.sin(6.2832 * harmonic * pitch * time) / harmonic for harmonic in (1, 2, 3))
    return waves + 0.8 * torch.randn(SOUNDS, SAMPLES), kinds


class Sounds(Dataset):
    def __init__(self):
        waves, self.kinds = make_sounds()
        window = torch.hann_window(256)
        self.spectra = [torch.stft(wave, 256, 64, window=window, return_complex=True).abs() for wave in waves]

    def __len__(self):
        return SOUNDS

    def __getitem__(self, index):
        return self.spectra[index], self.kinds[index]


def train(epochs):
    torch.manual_seed(4)
    sounds = Sounds()
    network = nn.Sequential(nn.Conv1d(129, 16, 5, stride=4), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(16, KINDS))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.003)
    for epoch in range(1, epochs + 1):
        total = 0.0
        for spectra, kinds in DataLoader(sounds, batch_size=24, shuffle=True):
            loss = functional.cross_entropy(network(spectra), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(kinds)
        if epoch % 3 == 0:
            print(f"epoch {epoch}: loss {total / SOUNDS:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    train(parser.parse_args().epochs)
