"""lifelines: Cox regression, its penalised and time-varying forms, and a Weibull model, on its own data sets."""

import warnings

import numpy as np
from lifelines import CoxPHFitter, CoxTimeVaryingFitter, WeibullAFTFitter
from lifelines.datasets import load_rossi, load_stanford_heart_transplants
from outcome import show

warnings.simplefilter("ignore")
rossi = load_rossi()
cox = CoxPHFitter(penalizer=0.1, l1_ratio=0.5).fit(rossi, "week", "arrest")
efron = CoxPHFitter().fit(rossi, "week", "arrest", batch_mode=False)
spline = CoxPHFitter(baseline_estimation_method="spline", n_baseline_knots=4).fit(rossi, "week", "arrest")
weibull = WeibullAFTFitter().fit(rossi, "week", "arrest", ancillary=True)
varying = CoxTimeVaryingFitter(penalizer=0.1).fit(
    load_stanford_heart_transplants(), id_col="id", event_col="event", start_col="start", stop_col="stop"
)
show(
    cox=cox.params_,
    efron=efron.params_,
    spline=spline.params_,
    weibull=weibull.params_,
    varying=varying.params_,
    mean=np.mean(rossi.age),
)
