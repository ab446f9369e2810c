"""tslearn: clustering of time series - k-means under DTW and soft-DTW, k-shape, kernel k-means."""

import numpy as np
from outcome import show
from tslearn.clustering import KernelKMeans, KShape, TimeSeriesKMeans
from tslearn.generators import random_walks
from tslearn.preprocessing import TimeSeriesScalerMeanVariance

np.random.seed(1)
series = TimeSeriesScalerMeanVariance().fit_transform(random_walks(n_ts=60, sz=48, d=1, random_state=1))
dtw = TimeSeriesKMeans(n_clusters=3, metric="dtw", max_iter=6, random_state=1).fit(series)
soft = TimeSeriesKMeans(n_clusters=3, metric="softdtw", metric_params={"gamma": 0.01}, max_iter=3, random_state=1).fit(
    series
)
shape = KShape(n_clusters=3, n_init=2, max_iter=15, random_state=1).fit(series)
kernel = KernelKMeans(n_clusters=3, kernel="gak", random_state=1).fit(series)
show(dtw=dtw.cluster_centers_, soft=soft.cluster_centers_, shape=shape.cluster_centers_, kernel=kernel.labels_)
