"""pomegranate: a Gaussian mixture and a dense hidden Markov model."""

import numpy as np
import torch
from outcome import show
from pomegranate.distributions import Normal
from pomegranate.gmm import GeneralMixtureModel
from pomegranate.hmm import DenseHMM

torch.manual_seed(1)
rng = np.random.default_rng(1)
points = torch.tensor(np.concatenate([rng.normal(size=(1500, 6)) + 3 * k for k in range(4)]).astype("float32"))
mixture = GeneralMixtureModel([Normal() for _ in range(4)], max_iter=60, tol=1e-12, random_state=1)
mixture.fit(points)
sequences = torch.tensor(rng.normal(size=(64, 60, 3)).astype("float32")).cumsum(dim=1)
model = DenseHMM([Normal() for _ in range(6)], max_iter=12, tol=1e-12, random_state=1, sample_length=60)
model.fit(sequences)
show(mixture=mixture.distributions[0].means, model=model.distributions[0].means)
