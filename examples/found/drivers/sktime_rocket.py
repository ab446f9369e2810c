"""sktime: classification and forecasting of series on its own data sets."""

import warnings

import numpy as np
from outcome import show
from sktime.classification.dictionary_based import BOSSEnsemble
from sktime.classification.interval_based import TimeSeriesForestClassifier
from sktime.datasets import load_airline, load_unit_test
from sktime.forecasting.compose import make_reduction
from sktime.forecasting.theta import ThetaForecaster
from sktime.transformations.panel.rocket import MiniRocket
from sklearn.ensemble import RandomForestRegressor

warnings.simplefilter("ignore")
X, y = load_unit_test(split="train", return_X_y=True)
forest = TimeSeriesForestClassifier(n_estimators=60, random_state=1).fit(X, y)
boss = BOSSEnsemble(max_ensemble_size=3, random_state=1).fit(X, y)
rocket = MiniRocket(num_kernels=500, random_state=1).fit_transform(X)
airline = load_airline()
reduced = (
    make_reduction(RandomForestRegressor(30, random_state=1), window_length=15, strategy="direct")
    .fit(airline, fh=range(1, 7))
    .predict()
)
theta = ThetaForecaster(sp=12).fit(airline).predict(fh=range(1, 7))
show(
    forest=forest.predict_proba(X),
    boss=boss.predict_proba(X),
    rocket=rocket.to_numpy(),
    reduced=reduced,
    theta=theta,
    mean=np.mean(airline),
)
