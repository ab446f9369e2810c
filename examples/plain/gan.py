"""A generative adversarial network in PyTorch that learns points on a spiral."""
import argparse

import torch
from torch import nn
from torch.nn import functional

BATCH = 256
NOISE = 16


def make_points(count):
    turn = 9.0 * torch.rand(count, 1).sqrt()
    return torch.cat([turn.cos(), turn.sin()], dim=1) * turn / 9.0 + 0.02 * torch.randn(count, 2)


def make_network(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, outputs)
    )


def loss_of(scores, real):
    return functional.softplus(-scores if real else scores).mean()


def train(steps):
    torch.manual_seed(7)
    painter, critic = make_network(NOISE, 2), make_network(2, 1)
    painting = torch.optim.Adam(painter.parameters(), lr=1e-3, betas=(0.5, 0.99))
    judging = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.99))
    for step in range(1, steps + 1):
        fake = painter(torch.randn(BATCH, NOISE))
        judged = loss_of(critic(make_points(BATCH)), True) + loss_of(critic(fake.detach()), False)
        judging.zero_grad()
        judged.backward()
        judging.step()
        painted = loss_of(critic(fake), True)
        painting.zero_grad()
        painted.backward()
        painting.step()
        if step % 50 == 0:
            print(f"step {step}: critic {judged.item():.5f}, painter {painted.item():.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    train(parser.parse_args().steps)
