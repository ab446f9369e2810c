"""Finds a bright box in a noisy image, in PyTorch: each anchor says whether it is the box."""
import argparse

import torch
from torch import nn
from torch.nn import functional

SIDE = 96
STRIDE = 3
SIZES = torch.tensor([8.0, 11.0, 14.0, 17.0, 20.0, 23.0])


def make_anchors():
    middles = torch.arange(0, SIDE, STRIDE) + STRIDE / 2.0
    return torch.cartesian_prod(middles, middles, SIZES, SIZES)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(1, 6, 5, stride=STRIDE, padding=2)
        self.head = nn.Conv2d(6, len(SIZES) ** 2, 7, padding=3)

    def forward(self, image):
        scores = self.head(torch.relu(self.body(image)))
        return scores[0].permute(1, 2, 0).flatten()


def make_scene():
    image = 0.3 * torch.randn(SIDE, SIDE)
    size = torch.randint(8, 24, (2,))
    low = (torch.rand(2) * (SIDE - size)).long()
    image[low[0] : low[0] + size[0], low[1] : low[1] + size[1]] += 1.0
    return image[None, None], torch.cat([low + size / 2.0, size.float()])


def train(steps):
    torch.manual_seed(5)
    detector = Detector()
    optimizer = torch.optim.Adam(detector.parameters(), lr=3e-3)
    anchors = make_anchors()
    total = 0.0
    for step in range(1, steps + 1):
        image, box = make_scene()
        scores = detector(image)
        nearest = (anchors - box).abs().sum(dim=1).argmin()
        loss = functional.cross_entropy(scores, nearest)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        if step % 50 == 0:
            print(f"step {step}: loss {total / 50:.5f}")
            total = 0.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    train(parser.parse_args().steps)
