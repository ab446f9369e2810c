"""Fits the length, noise and amplitude of a Gaussian process in PyTorch by its marginal likelihood."""
import argparse
import math

import torch
from torch import nn


class GaussianProcess(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_length = nn.Parameter(torch.tensor(0.0))
        self.log_amplitude = nn.Parameter(torch.tensor(0.0))
        self.log_noise = nn.Parameter(torch.tensor(-1.0))

    def covariance(self, distances):
        kernel = torch.exp(self.log_amplitude - distances * torch.exp(-2.0 * self.log_length))
        return kernel + torch.exp(self.log_noise).expand(len(distances)).diag()

    def negative_likelihood(self, distances, y):
        factor = torch.linalg.cholesky(self.covariance(distances))
        solved = torch.cholesky_solve(y[:, None], factor)
        return 0.5 * (y @ solved[:, 0]) + factor.diagonal().log().sum() + 0.5 * len(y) * math.log(2.0 * math.pi)


def train(steps):
    torch.manual_seed(1)
    x = torch.rand(250, 8) * 4.0
    y = torch.sin(2.0 * x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + 0.2 * torch.randn(250)
    y = (y - y.mean()) / y.std()
    distances = (x[:, None, :] - x[None, :, :]).pow(2).sum(dim=-1)
    process = GaussianProcess()
    optimizer = torch.optim.Adam(process.parameters(), lr=0.05)
    for step in range(1, steps + 1):
        loss = process.negative_likelihood(distances, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step}: loss {loss.item():.3f}, length {process.log_length.exp().item():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=150)
    train(parser.parse_args().steps)
