"""nimfa: a matrix factored by Lee and Seung's updates and by iterated conditional modes."""

import numpy as np

np.mat = np.asmatrix  # nimfa 1.4.0 was written for NumPy before 2

import nimfa  # noqa: E402
from outcome import show  # noqa: E402

rng = np.random.default_rng(1)
data = rng.random((400, 6)) @ rng.random((6, 300)) + 0.01 * rng.random((400, 300))
start = {"seed": "fixed", "rank": 20, "W": rng.random((400, 20)), "H": rng.random((20, 300))}
nmf = nimfa.Nmf(data, max_iter=300, update="euclidean", objective="fro", **start)()
icm = nimfa.Icm(data, max_iter=12, iiter=10, alpha=rng.random((400, 20)), beta=rng.random((20, 300)), **start)()
show(nmf=nmf.basis(), nmf_error=nmf.distance(), icm=icm.basis(), icm_error=icm.distance())
