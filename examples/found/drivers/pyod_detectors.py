"""pyod: several outlier detectors fitted to the same data, as in its benchmark example."""

import numpy as np
from outcome import show
from pyod.models.abod import ABOD
from pyod.models.cblof import CBLOF
from pyod.models.copod import COPOD
from pyod.models.ecod import ECOD
from pyod.models.hbos import HBOS
from pyod.models.loda import LODA
from pyod.models.lscp import LSCP
from pyod.models.lof import LOF
from pyod.models.mcd import MCD
from pyod.models.rod import ROD
from pyod.models.sos import SOS
from pyod.utils.data import generate_data

train, test, _, _ = generate_data(n_train=700, n_test=300, n_features=6, contamination=0.1, random_state=1)
train3 = train[:250, :3]
detectors = {
    "abod": ABOD(method="fast"),
    "cblof": CBLOF(random_state=1),
    "copod": COPOD(),
    "ecod": ECOD(),
    "hbos": HBOS(),
    "loda": LODA(),
    "lscp": LSCP([LOF(n_neighbors=k) for k in (5, 10, 15, 20)], random_state=1),
    "mcd": MCD(random_state=1),
    "sos": SOS(),
}
np.random.seed(1)
scores = {name: detector.fit(train).decision_function(test) for name, detector in detectors.items()}
scores["rod"] = ROD().fit(train3).decision_scores_
show(**scores)
