"""A denoising autoencoder in PyTorch on small grey images."""
import argparse

import torch
from torch import nn
from torch.nn import functional

SIDE = 20


def make_images(count):
    place = torch.arange(SIDE, dtype=torch.float32)
    middle = torch.rand(count, 2) * SIDE
    width = 1.5 + 3.0 * torch.rand(count, 1)
    rows = torch.exp(-(((place - middle[:, :1]) / width) ** 2))
    columns = torch.exp(-(((place - middle[:, 1:]) / width) ** 2))
    return (255.0 * rows[:, :, None] * columns[:, None, :]).to(torch.uint8)


def train(epochs):
    torch.manual_seed(3)
    images = make_images(6000)
    encoder = nn.Sequential(nn.Linear(SIDE * SIDE, 32), nn.ReLU(), nn.Linear(32, 8))
    decoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, SIDE * SIDE))
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)
    data = images.flatten(1).float() / 127.5 - 1.0
    for epoch in range(1, epochs + 1):
        for chosen in torch.randperm(len(data))[:640].split(64):
            clean = data[chosen]
            loss = functional.mse_loss(decoder(encoder(clean + 0.3 * torch.randn_like(clean))), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 10 == 0:
            print(f"epoch {epoch}: loss {loss.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    train(parser.parse_args().epochs)
