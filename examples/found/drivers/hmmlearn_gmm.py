"""hmmlearn: a hidden Markov model with mixtures of Gaussians, tried with several numbers of states."""

import numpy as np
from hmmlearn import hmm
from outcome import show

rng = np.random.default_rng(1)
states = np.repeat(rng.integers(0, 4, 300), 10)
points = rng.normal(size=(3000, 3)) + states[:, None] * 2.0
lengths = [300] * 10
scores = []
for n in (2, 3, 4):
    model = hmm.GMMHMM(n_components=n, n_mix=3, n_iter=30, tol=1e-6, random_state=1).fit(points, lengths)
    scores.append(model.score(points, lengths))
show(scores=scores, means=model.means_)
