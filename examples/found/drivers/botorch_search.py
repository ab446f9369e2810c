"""botorch: six steps of Bayesian optimization of a function of four numbers."""

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from outcome import show

torch.manual_seed(0)
box = torch.stack([torch.zeros(4), torch.ones(4)]).double()


def height(points):
    return (0.1 * torch.sin(9 * points) - (points - 0.3) ** 2).sum(-1, keepdim=True)


points = torch.rand(12, 4, dtype=torch.double)
heights = height(points)
for step in range(6):
    process = SingleTaskGP(points, heights)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(process.likelihood, process))
    improvement = LogExpectedImprovement(process, best_f=heights.max())
    found, _ = optimize_acqf(improvement, bounds=box, q=1, num_restarts=4, raw_samples=128)
    points, heights = torch.cat([points, found]), torch.cat([heights, height(found)])
show(best=heights.max())
