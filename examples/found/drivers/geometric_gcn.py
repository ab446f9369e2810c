"""torch-geometric: its GCN example, on a random graph."""

import torch
import torch.nn.functional as F
from outcome import show
from torch_geometric.nn import GCNConv

torch.manual_seed(1)


class GCN(torch.nn.Module):
    def __init__(self, in_channels, hidden_channels, out_channels):
        super().__init__()
        self.conv1 = GCNConv(in_channels, hidden_channels)
        self.conv2 = GCNConv(hidden_channels, out_channels)

    def forward(self, x, edge_index):
        x = F.dropout(x, p=0.5, training=self.training)
        x = self.conv1(x, edge_index).relu()
        x = F.dropout(x, p=0.5, training=self.training)
        return self.conv2(x, edge_index)


nodes, edges = 3000, 30000
edge_index = torch.randint(0, nodes, (2, edges))
y = torch.randint(0, 5, (nodes,))
x = torch.randn(nodes, 64) + y[:, None]
mask = torch.rand(nodes) < 0.3
model = GCN(64, 16, 5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
losses = []
for epoch in range(200):
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x, edge_index)[mask], y[mask])
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(x, edge_index).argmax(dim=-1) == y).float().mean()
    losses += [loss.item(), accuracy.item()]
show(losses=losses)
