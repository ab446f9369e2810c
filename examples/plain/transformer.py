"""A causal transformer in PyTorch that learns to sort letters, on new ones in each step."""
import argparse

import torch
from torch import nn
from torch.nn import functional

LETTERS = 16
COUNT = 24
WIDTH = 64


def make_batch(size):
    letters = torch.randint(1, LETTERS, (size, COUNT))
    return torch.cat([letters, torch.zeros(size, 1, dtype=torch.long), letters.sort(dim=1).values], dim=1)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(LETTERS, WIDTH)
        self.positions = nn.Parameter(0.1 * torch.randn(2 * COUNT, WIDTH))
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, LETTERS)
        self.register_buffer("mask", torch.full((2 * COUNT, 2 * COUNT), float("-inf")).triu(1))

    def forward(self, letters):
        return self.head(self.layers(self.embedding(letters) + self.positions, self.mask))


def train(steps):
    torch.manual_seed(3)
    model = Transformer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, steps + 1):
        batch = make_batch(32)
        scores = model(batch[:, :-1])[:, COUNT:]
        loss = functional.cross_entropy(scores.flatten(0, 1), batch[:, COUNT + 1 :].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    train(parser.parse_args().steps)
