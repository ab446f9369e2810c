"""POT: optimal transport - Sinkhorn, barycenters, Gromov-Wasserstein and domain adaptation."""

import numpy as np
import ot
from outcome import show

rng = np.random.default_rng(1)
source, target = rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 3
cost = ot.dist(source, target)
cost /= cost.max()
a = b = np.full(300, 1 / 300)
plan = ot.sinkhorn(a, b, cost, 5e-3, numItermax=800, stopThr=0)
stable = ot.bregman.sinkhorn_stabilized(a, b, cost, 5e-3, numItermax=400, stopThr=0)
regular = ot.optim.cg(a, b, cost, 1e-1, lambda G: 0.5 * np.sum(G**2), lambda G: G, numItermax=30, stopThr=0, stopThr2=0)
inner = [ot.dist(x[:120], x[:120]) for x in (source, target)]
gromov = ot.gromov.gromov_wasserstein(
    inner[0], inner[1], ot.unif(120), ot.unif(120), "square_loss", max_iter=30, tol_rel=0, tol_abs=0
)
entropic = ot.gromov.entropic_gromov_wasserstein(
    inner[0], inner[1], ot.unif(120), ot.unif(120), "square_loss", epsilon=5e-1, max_iter=40, tol=0
)
grid = np.stack([ot.datasets.make_1D_gauss(200, m=m, s=8) for m in (40, 90, 150)]).T
lines = ot.dist(np.arange(200, dtype=float)[:, None])
barycenter = ot.bregman.barycenter(grid, lines / lines.max(), 2e-3, numItermax=400, stopThr=0)
free = ot.lp.free_support_barycenter([source, target], [a, b], rng.normal(size=(60, 2)), numItermax=15, stopThr=0)
adapted = ot.da.SinkhornLpl1Transport(reg_e=1e-1, reg_cl=1e0, max_iter=8).fit(
    Xs=source, ys=np.arange(300) % 3, Xt=target
)
sliced = ot.sliced_wasserstein_distance(source, target, n_projections=500, seed=1)
show(
    plan=plan,
    stable=stable,
    regular=regular,
    gromov=gromov,
    entropic=entropic,
    barycenter=barycenter,
    free=free,
    adapted=adapted.coupling_,
    sliced=sliced,
)
