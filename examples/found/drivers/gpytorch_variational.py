"""gpytorch: stochastic variational Gaussian-process regression, as in its tutorial."""

import gpytorch
import torch
from gpytorch.models import ApproximateGP
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from outcome import show
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
train_x = torch.rand(2000, 3)
train_y = torch.sin(train_x.sum(dim=1) * 4) + 0.1 * torch.randn(2000)


class GPModel(ApproximateGP):
    def __init__(self, inducing_points):
        distribution = CholeskyVariationalDistribution(inducing_points.size(0))
        strategy = VariationalStrategy(self, inducing_points, distribution, learn_inducing_locations=True)
        super().__init__(strategy)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


model = GPModel(train_x[:100].clone())
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model.train()
likelihood.train()
optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": likelihood.parameters()}], lr=0.01)
mll = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=train_y.size(0))
losses = []
for epoch in range(8):
    for x_batch, y_batch in DataLoader(TensorDataset(train_x, train_y), batch_size=128, shuffle=True):
        optimizer.zero_grad()
        loss = -mll(model(x_batch), y_batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
show(losses=losses)
