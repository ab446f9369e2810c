"""Trains a convolutional network in PyTorch on scikit-learn's handwritten digits.

The waste: the images are scaled up, smoothed and normalised again, all of them, in every epoch.
"""
import argparse

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional

BATCH = 128
SIDE = 16
FINE = 64


def prepare(images):
    fine = functional.interpolate(images.unsqueeze(1), size=(FINE, FINE), mode="bicubic", align_corners=False)
    smooth = functional.avg_pool2d(fine, FINE // SIDE)
    return (smooth - smooth.mean()) / smooth.std()


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(32 * (SIDE // 4) ** 2, 10)

    def forward(self, images):
        return self.classifier(self.features(images).flatten(1))


def train(epochs):
    torch.manual_seed(0)
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32)
    labels = torch.tensor(digits.target)
    model = Network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(1, epochs + 1):
        inputs = prepare(images)
        for chosen in torch.randperm(len(inputs)).split(BATCH):
            loss = functional.cross_entropy(model(inputs[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=25)
    train(parser.parse_args().epochs)
