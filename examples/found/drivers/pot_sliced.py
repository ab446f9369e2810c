"""POT: sliced Wasserstein distances of moving points to a target, with fresh projections each step."""

import numpy as np
import ot
from outcome import show

rng = np.random.default_rng(1)
points, target = rng.normal(size=(300, 3)), rng.normal(size=(300, 3)) + 3
distances = []
for step in range(40):
    points += 0.05 * (target.mean(axis=0) - points)
    distances.append(ot.sliced_wasserstein_distance(points, target, n_projections=200, seed=step))
show(distances=distances)
