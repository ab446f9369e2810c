"""lifelines: proportional hazards with a spline baseline, over a range of penalties."""

import warnings

from lifelines import CoxPHFitter
from lifelines.datasets import load_gbsg2
from outcome import show

warnings.simplefilter("ignore")
data = load_gbsg2()
for column in ("horTh", "menostat", "tgrade"):
    data[column] = data[column].astype("category").cat.codes
parameters = []
for penalizer in (0.01, 0.1, 1.0):
    model = CoxPHFitter(penalizer=penalizer, baseline_estimation_method="spline", n_baseline_knots=4)
    model.fit(data, "time", "cens")
    parameters.append(model.params_.to_numpy())
show(parameters=parameters)
