"""A network in PyTorch that hears how many tones a sound has, fed by a DataLoader with two workers."""
import argparse

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

LENGTH = 1024


class Sounds(Dataset):
    """Every sound is made when it is asked for, with noise of its own in each epoch."""

    def __init__(self, count):
        self.tones = torch.randint(1, 5, (count,))
        self.times = torch.linspace(0.0, 1.0, LENGTH)

    def __len__(self):
        return len(self.tones)

    def __getitem__(self, number):
        pitches = 20.0 + 200.0 * torch.rand(int(self.tones[number]), 1)
        sound = torch.sin(6.2832 * pitches * self.times).sum(dim=0)
        return sound + 0.3 * torch.randn(LENGTH), self.tones[number] - 1


def train(epochs):
    torch.manual_seed(6)
    loader = DataLoader(Sounds(1200), batch_size=40, shuffle=True, num_workers=2, persistent_workers=True)
    network = nn.Sequential(nn.Linear(LENGTH // 2 + 1, 96), nn.ReLU(), nn.Linear(96, 4))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for epoch in range(1, epochs + 1):
        total = 0.0
        for sounds, counts in loader:
            spectra = torch.fft.rfft(sounds).abs().log1p()
            loss = functional.cross_entropy(network(spectra), counts)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / len(loader)
        if epoch % 2 == 0:
            print(f"epoch {epoch}: loss {total:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    train(parser.parse_args().epochs)
