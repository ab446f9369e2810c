"""A two-layer graph convolution in PyTorch: communities of a random graph from a few labelled nodes.

The waste: each layer normalises the graph's adjacency matrix anew in each forward pass.
"""
import argparse

import torch
from torch import nn
from torch.nn import functional

NODES = 600
GROUPS = 4


def normalise(adjacency):
    scale = adjacency.sum(dim=1).pow(-0.5)
    return scale[:, None] * adjacency * scale[None, :]  # waste


class GraphConvolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x, adjacency):
        return normalise(adjacency) @ self.linear(x)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GraphConvolution(16, 16)
        self.second = GraphConvolution(16, GROUPS)

    def forward(self, x, adjacency):
        hidden = torch.relu(self.first(x, adjacency))
        return self.second(functional.dropout(hidden, 0.3, self.training), adjacency)


def make_graph():
    groups = torch.randint(0, GROUPS, (NODES,))
    odds = torch.where(groups[:, None] == groups[None, :], 0.05, 0.01)
    upper = torch.triu(torch.rand(NODES, NODES) < odds, diagonal=1).float()
    return upper + upper.T + torch.eye(NODES), groups


def train(epochs):
    torch.manual_seed(0)
    adjacency, groups = make_graph()
    x = torch.randn(NODES, 16)
    known = torch.randperm(NODES)[:60]
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for epoch in range(1, epochs + 1):
        loss = functional.cross_entropy(network(x, adjacency)[known], groups[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch % 50 == 0:
            print(f"epoch {epoch}: loss {loss.item():.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=300)
    train(parser.parse_args().epochs)
