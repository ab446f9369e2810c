"""torchdiffeq: a network that learns the slope of a spiral from short pieces of it."""

import torch
from outcome import show
from torch import nn
from torchdiffeq import odeint

torch.manual_seed(0)
PIECE, BATCH = 10, 20
times = torch.linspace(0.0, 25.0, 1000)
matrix = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
with torch.no_grad():
    spiral = odeint(lambda t, y: torch.mm(y**3, matrix), torch.tensor([[2.0, 0.0]]), times, method="dopri5")


class Slope(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))

    def forward(self, t, y):
        return self.net(y**3)


slope = Slope()
optimizer = torch.optim.RMSprop(slope.parameters(), lr=1e-3)
for step in range(80):
    begin = torch.randint(0, len(times) - PIECE, (BATCH,))
    pieces = torch.stack([spiral[begin + i] for i in range(PIECE)])
    optimizer.zero_grad()
    loss = torch.mean(torch.abs(odeint(slope, spiral[begin], times[:PIECE]) - pieces))
    loss.backward()
    optimizer.step()
show(loss=loss, last=list(slope.parameters())[-1])
