"""nflows: a masked autoregressive flow on two moons."""

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation
from outcome import show
from sklearn.datasets import make_moons

torch.manual_seed(0)
layers = []
for _ in range(5):
    layers.append(ReversePermutation(features=2))
    layers.append(MaskedAffineAutoregressiveTransform(features=2, hidden_features=32))
flow = Flow(CompositeTransform(layers), StandardNormal(shape=[2]))
optimizer = torch.optim.Adam(flow.parameters())
for step in range(400):
    points, _ = make_moons(128, noise=0.1, random_state=step)
    optimizer.zero_grad()
    loss = -flow.log_prob(inputs=torch.tensor(points, dtype=torch.float32)).mean()
    loss.backward()
    optimizer.step()
show(loss=loss, first=next(flow.parameters()))
