"""A classifier of noisy spirals in PyTorch, whose accuracy on held-out points is told as it learns."""
import argparse

import torch
from torch import nn


def spirals(count):
    turns = torch.rand(count) * 3 + 0.5
    arms = torch.randint(3, (count,))
    angles = 2.0 * turns + arms * (2 * torch.pi / 3)
    points = torch.stack([turns * torch.cos(angles), turns * torch.sin(angles)], dim=1)
    return points + 0.1 * torch.randn(count, 2), arms


def accuracy(net, points, arms):
    net.eval()
    with torch.no_grad():
        told = net(points).argmax(dim=1)
    return (told == arms).sum().item() / len(points)


def train(epochs):
    torch.manual_seed(4)
    torch.set_num_threads(1)
    points, arms = spirals(2000)
    held_points, held_arms = spirals(1500)
    net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(1, epochs + 1):
        net.train()
        for rows in torch.randperm(len(points)).split(64):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(points[rows]), arms[rows]).backward()
            optimizer.step()
        print(f"epoch {epoch}: {100 * accuracy(net, held_points, held_arms):.1f} % right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    train(parser.parse_args().epochs)
