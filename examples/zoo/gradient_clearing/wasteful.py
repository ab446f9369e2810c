"""A network in PyTorch with a head for each of ten tasks, which learn in turn from a random one each.

The waste: the gradients are cleared by the network, and then by the optimizer, which has the same ones.
"""
import argparse

import torch
from torch import nn
from torch.nn import functional

TASKS = 10


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(24, 160), nn.Tanh())
        self.heads = nn.ModuleList(nn.Linear(160, 1000) for _ in range(TASKS))

    def forward(self, inputs, task):
        return self.heads[task](self.trunk(inputs))


def train(steps):
    torch.manual_seed(12)
    teachers = torch.randn(TASKS, 24, 1000) / 5.0
    network = Network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
    for step in range(1, steps + 1):
        task = step % TASKS
        network.zero_grad(set_to_none=False)
        optimizer.zero_grad(set_to_none=False)  # waste
        inputs = torch.randn(8, 24)
        loss = functional.mse_loss(network(inputs, task), inputs @ teachers[task])
        loss.backward()
        optimizer.step()
        if step % 200 == 0:
            print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1600)
    train(parser.parse_args().steps)
