"""Trains a classifier in PyTorch on top of a frozen convolutional backbone."""
import argparse

import torch
from torch import nn
from torch.nn import functional

BATCH = 40


def make_images(count):
    labels = torch.randint(0, 4, (count,))
    x = torch.linspace(0.0, 6.28, 24)
    waves = torch.sin((labels[:, None] + 1) * x)
    images = waves[:, :, None] * waves[:, None, :]
    return (images + 0.7 * torch.randn(count, 24, 24)).unsqueeze(1), labels


def make_backbone():
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
    )


def train(epochs):
    torch.manual_seed(2)
    images, labels = make_images(400)
    backbone = make_backbone().eval()
    for parameter in backbone.parameters():
        parameter.requires_grad = False
    head = nn.Sequential(nn.Linear(24 * 16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
    features = [backbone(batch) for batch in images.split(BATCH)]
    for epoch in range(1, epochs + 1):
        total = 0.0
        for batch, target in zip(features, labels.split(BATCH)):
            loss = functional.cross_entropy(head(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        if epoch % 5 == 0:
            print(f"epoch {epoch}: loss {total / len(images):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=25)
    train(parser.parse_args().epochs)
