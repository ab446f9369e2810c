"""implicit: alternating least squares, Bayesian ranking and logistic factorisation on made-up plays."""

import numpy as np
import scipy.sparse
from implicit.als import AlternatingLeastSquares
from implicit.bpr import BayesianPersonalizedRanking
from implicit.lmf import LogisticMatrixFactorization
from outcome import show

plays = scipy.sparse.random(3000, 1500, density=0.01, format="csr", random_state=1, dtype=np.float32)
plays.data += 1
als = AlternatingLeastSquares(factors=48, iterations=12, random_state=1, num_threads=1)
als.fit(plays, show_progress=False)
bpr = BayesianPersonalizedRanking(factors=32, iterations=20, random_state=1, num_threads=1)
bpr.fit(plays, show_progress=False)
lmf = LogisticMatrixFactorization(factors=16, iterations=8, random_state=1, num_threads=1)
lmf.fit(plays, show_progress=False)
show(als=als.user_factors, bpr=bpr.user_factors, lmf=lmf.user_factors)
