"""pyro: a variational autoencoder of digits by stochastic inference, and a logistic regression by NUTS."""

import pyro
import pyro.distributions as dist
import torch
from outcome import show
from pyro.infer import MCMC, NUTS, SVI, Trace_ELBO
from sklearn.datasets import load_digits
from torch import nn

pyro.set_rng_seed(0)
digits = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
decoder = nn.Sequential(nn.Linear(8, 128), nn.Softplus(), nn.Linear(128, 64), nn.Sigmoid())
encoder = nn.Sequential(nn.Linear(64, 128), nn.Softplus(), nn.Linear(128, 16))


def model(images):
    pyro.module("decoder", decoder)
    with pyro.plate("images", len(images)):
        code = pyro.sample("code", dist.Normal(images.new_zeros(len(images), 8), 1.0).to_event(1))
        pyro.sample("pixels", dist.Bernoulli(decoder(code), validate_args=False).to_event(1), obs=images)


def guide(images):
    pyro.module("encoder", encoder)
    with pyro.plate("images", len(images)):
        mean, scale = encoder(images).chunk(2, dim=1)
        pyro.sample("code", dist.Normal(mean, scale.exp()).to_event(1))


inference = SVI(model, guide, pyro.optim.Adam({"lr": 1e-3}), loss=Trace_ELBO())
for epoch in range(20):
    order = torch.randperm(len(digits))
    loss = sum(inference.step(digits[order[i : i + 128]]) for i in range(0, len(digits), 128))


def regression(inputs, labels):
    weights = pyro.sample("weights", dist.Normal(torch.zeros(3), torch.ones(3)).to_event(1))
    with pyro.plate("rows", len(inputs)):
        pyro.sample("labels", dist.Bernoulli(logits=inputs @ weights), obs=labels)


inputs = torch.randn(400, 3)
labels = torch.distributions.Bernoulli(logits=inputs @ torch.tensor([1.0, 2.0, 3.0])).sample()
chain = MCMC(NUTS(regression), num_samples=120, warmup_steps=80, disable_progbar=True)
chain.run(inputs, labels)
show(loss=loss, weights=chain.get_samples()["weights"].mean(0))
