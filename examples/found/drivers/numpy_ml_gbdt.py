"""numpy-ml: gradient-boosted decision trees on handwritten digits."""

import numpy as np
import old_collections  # noqa: F401
from numpy_ml.trees import GradientBoostedDecisionTree
from outcome import show
from sklearn.datasets import load_digits

np.random.seed(1)
images, labels = load_digits(return_X_y=True)
chosen = labels < 3
images, labels = images[chosen][:200], labels[chosen][:200]
model = GradientBoostedDecisionTree(n_iter=4, max_depth=4, classifier=True, learning_rate=1, loss="crossentropy")
model.fit(images, labels)
show(predicted=model.predict(images))
