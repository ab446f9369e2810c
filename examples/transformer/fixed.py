"""Trains a small causal transformer in PyTorch to continue a repeating pattern of letters.

The causal mask and the sinusoidal position encoding are built once, with the model.
"""
import argparse
import math

import torch
from torch import nn
from torch.nn import functional

LETTERS = 32
LENGTH = 320
WIDTH = 64
HEADS = 4
LAYERS = 2
BATCH = 2
COUNT = torch.arange(LENGTH + 1)


def position_encoding():
    position = torch.arange(LENGTH).unsqueeze(1)
    frequency = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
    encoding = torch.zeros(LENGTH, WIDTH)
    encoding[:, 0::2] = torch.sin(position * frequency)
    encoding[:, 1::2] = torch.cos(position * frequency)
    return encoding


def causal_mask():
    distance = torch.arange(LENGTH).unsqueeze(1) - torch.arange(LENGTH).unsqueeze(0)
    decay = torch.stack([-distance * 0.5**head for head in range(1, HEADS + 1)]) / LENGTH
    return torch.where(distance >= 0, decay, torch.tensor(float("-inf")))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_attention = nn.LayerNorm(WIDTH)
        self.norm_mlp = nn.LayerNorm(WIDTH)
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def attention(self, x, mask):
        batch = x.shape[0]
        parts = self.query_key_value(x).view(batch, LENGTH, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / math.sqrt(WIDTH // HEADS) + mask
        mixed = functional.softmax(scores, dim=-1) @ value
        return self.project(mixed.transpose(1, 2).reshape(batch, LENGTH, WIDTH))

    def forward(self, x, mask):
        x = x + self.attention(self.norm_attention(x), mask)
        return x + self.mlp(self.norm_mlp(x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(LETTERS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, LETTERS)
        self.register_buffer("positions", position_encoding())
        self.register_buffer("mask", causal_mask())

    def forward(self, letters):
        x = self.embedding(letters) + self.positions
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(x)


def make_batch(generator):
    period = torch.randint(3, 9, (BATCH, 1), generator=generator)
    start = torch.randint(0, LETTERS, (BATCH, 1), generator=generator)
    return (start + COUNT % period) % LETTERS


def train(steps):
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    model = Transformer()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(1, steps + 1):
        batch = make_batch(generator)
        scores = model(batch[:, :-1])
        loss = functional.cross_entropy(scores.reshape(-1, LETTERS), batch[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0 or step == steps:
            print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=250)
    train(parser.parse_args().steps)
