"""pygam: a linear model with its grid search for the penalty, a logistic and a Poisson one, on data made on the spot."""

import warnings

import numpy as np
from outcome import show
from pygam import LinearGAM, LogisticGAM, PoissonGAM, f, s, te

warnings.simplefilter("ignore")
random = np.random.default_rng(3)
x = random.uniform(size=(1500, 4))
x[:, 3] = random.integers(0, 5, size=1500)
signal = np.sin(6 * x[:, 0]) + x[:, 1] ** 2 + x[:, 2] * x[:, 0] + 0.3 * x[:, 3]
y = signal + 0.2 * random.normal(size=1500)
linear = LinearGAM(s(0) + s(1) + te(0, 2) + f(3))
linear.gridsearch(x, y, lam=np.logspace(-3, 3, 9), progress=False)
logistic = LogisticGAM(s(0) + s(1) + s(2) + f(3)).fit(x, y > np.median(y))
poisson = PoissonGAM(s(0) + s(1) + s(2)).fit(x, random.poisson(np.exp(signal / 2)))
show(linear=linear.coef_, logistic=logistic.coef_, poisson=poisson.coef_, fitted=linear.predict(x[:200]))
