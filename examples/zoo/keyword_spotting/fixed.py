"""Tells tones apart in noise, in PyTorch: a bank of cosine filters, and a small network over time."""
import argparse
import math

import torch
from torch import nn
from torch.nn import functional

RATE = 8000
WINDOW = 800
HOP = 400
BANDS = 64


def filter_bank(times):
    mel = torch.linspace(100.0, 2100.0, BANDS)
    frequencies = 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    return torch.cos(2.0 * math.pi * frequencies[:, None] * times) * torch.hann_window(WINDOW)


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("bank", filter_bank(torch.arange(WINDOW) / RATE).T)
        self.convolution = nn.Conv1d(BANDS, 24, 3)
        self.output = nn.Linear(24, 5)

    def loudness(self, sounds):
        frames = sounds.unfold(1, WINDOW, HOP)
        return torch.log((frames @ self.bank) ** 2 + 1.0)

    def forward(self, sounds):
        hidden = torch.relu(self.convolution(self.loudness(sounds).transpose(1, 2)))
        return self.output(hidden.mean(dim=2))


def make_sounds(count, times):
    labels = torch.randint(0, 5, (count,))
    tones = 300.0 + 150.0 * labels[:, None] + 20.0 * torch.randn(count, 1)
    return torch.sin(2.0 * math.pi * tones * times) + 0.5 * torch.randn(count, len(times)), labels


def train(steps):
    torch.manual_seed(4)
    listener = Listener()
    optimizer = torch.optim.Adam(listener.parameters(), lr=3e-3)
    times = torch.arange(RATE // 2) / RATE
    for step in range(1, steps + 1):
        sounds, labels = make_sounds(4, times)
        loss = functional.cross_entropy(listener(sounds), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step}: loss {loss.item():.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    train(parser.parse_args().steps)
