"""torch-geometric: attention and GraphSAGE layers, on a random graph."""

import torch
import torch.nn.functional as F
from outcome import show
from torch_geometric.nn import GATConv, SAGEConv

torch.manual_seed(1)


class Net(torch.nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.conv1 = conv(64, 16)
        self.conv2 = conv(16, 5)

    def forward(self, x, edge_index):
        x = F.dropout(x, p=0.5, training=self.training)
        x = self.conv1(x, edge_index).relu()
        x = F.dropout(x, p=0.5, training=self.training)
        return self.conv2(x, edge_index)


edge_index = torch.randint(0, 2000, (2, 12000))
y = torch.randint(0, 5, (2000,))
x = torch.randn(2000, 64) + y[:, None]
losses = []
for conv in (GATConv, SAGEConv):
    model = Net(conv)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(80):
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x, edge_index), y)
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            accuracy = (model(x, edge_index).argmax(dim=-1) == y).float().mean()
        losses += [loss.item(), accuracy.item()]
show(losses=losses)
