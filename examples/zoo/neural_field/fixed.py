"""A neural field in PyTorch: a network learns an image as a function of the pixel's place, by Fourier features."""
import argparse
import math

import torch
from torch import nn
from torch.nn import functional

SIDE = 64
FEATURES = 16


def make_image():
    place = torch.linspace(0.0, 1.0, SIDE)
    waves = torch.sin(12.0 * place)[:, None] * torch.cos(9.0 * place**2)[None, :]
    return (waves + (place[:, None] > place[None, :]).float()).flatten()


class NeuralField(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", 4.0 * torch.randn(2, FEATURES))
        self.network = nn.Sequential(nn.Linear(4 * FEATURES, 24), nn.ReLU(), nn.Linear(24, 1))

    def encode(self, places):
        angles = 2.0 * math.pi * places @ self.frequencies
        return torch.cat([wave(k * angles) for k in (1, 3) for wave in (torch.sin, torch.cos)], dim=1)

    def forward(self, places):
        return self.network(places)[:, 0]


def train(steps):
    torch.manual_seed(7)
    image = make_image()
    grid = torch.meshgrid(torch.linspace(0.0, 1.0, SIDE), torch.linspace(0.0, 1.0, SIDE), indexing="ij")
    places = torch.stack(grid, dim=-1).reshape(-1, 2)
    field = NeuralField()
    encoded = field.encode(places)
    optimizer = torch.optim.Adam(field.parameters(), lr=5e-3)
    for step in range(1, steps + 1):
        loss = functional.mse_loss(field(encoded), image)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    train(parser.parse_args().steps)
