"""A small network in PyTorch that tells noisy waves apart, with its accuracy told as it learns.

The waste: hits are counted one by one, and every element of a tensor that Python takes is a tensor of its own.
"""
import argparse

import torch
from torch import nn
from torch.nn import functional


def make_waves(count):
    labels = torch.randint(0, 6, (count,))
    times = torch.linspace(0.0, 6.28, 48)
    return torch.sin((labels[:, None] + 1) * times) + 3.0 * torch.randn(count, 48), labels


def accuracy(scores, labels):
    best = scores.argmax(dim=1)
    hits = 0
    for i in range(len(labels)):
        if best[i] == labels[i]:  # waste
            hits += 1
    return hits / len(labels)


def train(epochs):
    torch.manual_seed(11)
    waves, labels = make_waves(3000)
    network = nn.Sequential(nn.Linear(48, 96), nn.ReLU(), nn.Linear(96, 6))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for epoch in range(1, epochs + 1):
        for chosen in torch.randperm(len(waves)).split(64):
            loss = functional.cross_entropy(network(waves[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            told = accuracy(network(waves), labels)
        if epoch % 5 == 0:
            print(f"epoch {epoch}: accuracy {told:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    train(parser.parse_args().epochs)
