"""numpy-ml: a Gaussian mixture by expectation-maximisation, and Bayesian linear and logistic regression."""

import numpy as np
import old_collections  # noqa: F401
from numpy_ml.gmm import GMM
from numpy_ml.linear_models import LogisticRegression
from outcome import show
from sklearn.datasets import load_digits, make_blobs

np.random.seed(1)
points, _ = make_blobs(1500, 4, centers=6, cluster_std=2.0, random_state=1)
mixture = GMM(C=6, seed=3)
mixture.fit(points, max_iter=12, tol=1e-9)
images, labels = load_digits(return_X_y=True)
logistic = LogisticRegression(penalty="l2", gamma=0.1)
logistic.fit(images / 16.0, (labels > 4).astype(int), lr=0.1, tol=1e-9, max_iter=3000)
show(means=mixture.mu, beta=logistic.beta)
