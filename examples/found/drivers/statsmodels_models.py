"""statsmodels: generalised linear, robust, mixed and time-series models."""

import warnings

import numpy as np
import pandas
import statsmodels.api as sm
from outcome import show

warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
X = sm.add_constant(rng.normal(size=(4000, 12)))
beta = rng.normal(size=13) * 0.3
counts = rng.poisson(np.exp(X @ beta))
poisson = sm.GLM(counts, X, family=sm.families.Poisson()).fit(maxiter=50, tol=0)
negative = sm.NegativeBinomial(counts, X).fit(disp=False)
logit = sm.Logit((counts > 1).astype(int), X).fit(disp=False, method="bfgs", maxiter=200, gtol=0)
robust = sm.RLM(X @ beta + rng.standard_t(2, 4000), X).fit(maxiter=40, tol=0)
quantile = sm.QuantReg(X @ beta + rng.normal(size=4000), X).fit(q=0.3)
groups = np.repeat(np.arange(200), 20)
data = pandas.DataFrame(
    {"y": X @ beta + np.repeat(rng.normal(size=200), 20) + rng.normal(size=4000), "g": groups, "x": X[:, 1]}
)
mixed = sm.MixedLM.from_formula("y ~ x", data, re_formula="~x", groups="g").fit()
series = np.cumsum(rng.normal(size=400)) + 0.1 * np.arange(400)
arima = sm.tsa.SARIMAX(series, order=(2, 1, 1), seasonal_order=(1, 0, 0, 4)).fit(disp=False, maxiter=25)
smoothing = sm.tsa.ExponentialSmoothing(series + 60, trend="add", seasonal="add", seasonal_periods=8).fit()
markov = sm.tsa.MarkovRegression(np.diff(series), k_regimes=2).fit(disp=False, maxiter=20)
gee = sm.GEE(counts, X, groups=groups, family=sm.families.Poisson(), cov_struct=sm.cov_struct.Exchangeable()).fit(
    maxiter=20
)
smooth = sm.nonparametric.KernelReg(data["y"][:250], data["x"][:250], "c").fit()[0]
show(
    poisson=poisson.params,
    negative=negative.params,
    logit=logit.params,
    robust=robust.params,
    quantile=quantile.params,
    mixed=mixed.params,
    arima=arima.params,
    smoothing=smoothing.sse,
    markov=markov.params,
    gee=gee.params,
    smooth=smooth,
)
