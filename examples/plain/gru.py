"""A GRU in PyTorch that learns to tell whether brackets are closed in the right order, on new sequences in each step."""
import argparse

import torch
from torch import nn
from torch.nn import functional

LENGTH = 24


def make_batch(count):
    signs = torch.randint(0, 4, (count, LENGTH))
    steps = torch.where(signs < 2, 1, -1)
    depth = steps.cumsum(dim=1)
    return signs, (depth.min(dim=1).values >= -2).float()


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4, 16)
        self.gru = nn.GRU(16, 48, num_layers=2, batch_first=True)
        self.output = nn.Linear(48, 1)

    def forward(self, signs):
        hidden, _ = self.gru(self.embedding(signs))
        return self.output(hidden[:, -1]).squeeze(1)


def train(steps):
    torch.manual_seed(2)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(1, steps + 1):
        signs, wanted = make_batch(64)
        loss = functional.binary_cross_entropy_with_logits(model(signs), wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=80)
    train(parser.parse_args().steps)
