"""hmmlearn: Gaussian, mixture and categorical hidden Markov models fitted to sequences."""

import numpy as np
from hmmlearn import hmm, vhmm
from outcome import show

rng = np.random.default_rng(1)
states = np.repeat(rng.integers(0, 4, 300), 10)
points = rng.normal(size=(3000, 3)) + states[:, None] * 2.0
lengths = [100] * 30
gaussian = hmm.GaussianHMM(n_components=4, covariance_type="full", n_iter=40, tol=-1, random_state=1).fit(
    points, lengths
)
mixture = hmm.GMMHMM(n_components=3, n_mix=2, n_iter=15, tol=-1, random_state=1).fit(points, lengths)
symbols = (states + rng.integers(0, 2, 3000))[:, None]
categorical = hmm.CategoricalHMM(n_components=4, n_iter=40, tol=-1, random_state=1).fit(symbols, lengths)
variational = vhmm.VariationalGaussianHMM(n_components=4, n_iter=15, tol=-1, random_state=1).fit(points, lengths)
show(
    gaussian=gaussian.means_,
    mixture=mixture.means_,
    categorical=categorical.emissionprob_,
    variational=variational.means_,
)
