"""tensorly: a tensor as a sum of outer products, by alternating least squares, of signs and without, and Tucker's form."""

import numpy as np
from outcome import show
from tensorly.decomposition import non_negative_parafac, parafac, tucker

tensor = np.random.default_rng(0).random((120, 100, 80))
how = {"init": "random", "random_state": 0, "tol": 0}
few, more = (parafac(tensor, rank=rank, n_iter_max=120, **how) for rank in (5, 10))
signless = non_negative_parafac(tensor, rank=6, n_iter_max=100, **how)
core, factors = tucker(tensor, rank=[8, 8, 8], n_iter_max=20, random_state=0)
show(few=few.factors[0], more=more.factors[2], signless=signless.factors[1], core=core, side=factors[1])
