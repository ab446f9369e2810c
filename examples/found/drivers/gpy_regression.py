"""GPy: a Gaussian process by exact inference, then one by inducing points."""

import GPy
import numpy as np
from outcome import show

np.random.seed(0)
points = np.random.uniform(-3, 3, (300, 2))
values = np.sin(points[:, :1]) + 0.05 * np.random.randn(300, 1)
exact = GPy.models.GPRegression(points, values, GPy.kern.RBF(2, ARD=True) + GPy.kern.White(2))
exact.optimize(max_iters=40)
sparse = GPy.models.SparseGPRegression(points, values, num_inducing=20)
sparse.optimize(max_iters=30)
show(exact=exact.log_likelihood(), sparse=sparse.log_likelihood())
