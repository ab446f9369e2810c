"""e3nn: an equivariant layer whose weights depend on the distances of points, fitted to a target."""

import torch
from e3nn import o3
from e3nn.nn import FullyConnectedNet
from outcome import show

torch.manual_seed(0)
features, harmonics = o3.Irreps("8x0e+4x1o"), o3.Irreps.spherical_harmonics(2)
product = o3.FullyConnectedTensorProduct(features, harmonics, features, shared_weights=False)
weights = FullyConnectedNet([10, 32, product.weight_numel], torch.relu)
places, inputs, targets = torch.randn(40, 3), torch.randn(40, features.dim), torch.randn(40, features.dim)
source, target = (torch.cdist(places, places) < 1.5).nonzero().T
edges = places[source] - places[target]
directions = o3.spherical_harmonics(harmonics, edges, normalize=True, normalization="component")
distances = torch.exp(-((edges.norm(dim=1, keepdim=True) - torch.linspace(0, 1.5, 10)) ** 2) / 0.1)
optimizer = torch.optim.Adam(weights.parameters(), 1e-2)
for step in range(120):
    messages = product(inputs[source], directions, weights(distances))
    outputs = torch.zeros(40, features.dim).index_add(0, target, messages)
    loss = (outputs - targets).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
show(loss=loss, first=next(weights.parameters()))
