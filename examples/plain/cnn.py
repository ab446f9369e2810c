"""A convolutional network in PyTorch with batch normalisation and dropout, its images moved a little each time."""
import argparse

import torch
from torch import nn
from torch.nn import functional

SIDE = 24


def make_images(count):
    labels = torch.randint(0, 6, (count,))
    across = torch.linspace(-1.0, 1.0, SIDE)
    angles = (labels * 3.1416 / 6)[:, None, None] + 0.1 * torch.randn(count, 1, 1)
    stripes = torch.sin(8.0 * (torch.cos(angles) * across[:, None] + torch.sin(angles) * across))
    return (stripes + 0.8 * torch.randn(count, SIDE, SIDE)).unsqueeze(1), labels


def make_network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(32 * (SIDE // 4) ** 2, 6),
    )


def moved(images):
    down, right = torch.randint(-2, 3, (2,)).tolist()
    return torch.roll(images, (down, right), dims=(2, 3))


def train(epochs):
    torch.manual_seed(1)
    images, labels = make_images(1500)
    network = make_network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(1, epochs + 1):
        total = 0.0
        for chosen in torch.randperm(len(images)).split(50):
            loss = functional.cross_entropy(network(moved(images[chosen])), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        schedule.step()
        if epoch % 2 == 0:
            print(f"epoch {epoch}: loss {total / len(images):.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=4)
    train(parser.parse_args().epochs)
