"""river: online models over a stream, one example and one mini-batch at a time."""

import pandas
from outcome import show
from river import compose, ensemble, linear_model, metrics, optim, preprocessing, tree
from river.datasets import synth

stream = list(synth.RandomRBF(seed_model=1, seed_sample=2, n_classes=2, n_features=10, n_centroids=20).take(3000))
forest = ensemble.ADWINBaggingClassifier(tree.HoeffdingTreeClassifier(), n_models=3, seed=1)
metric = metrics.Accuracy()
for x, y in stream[:1500]:
    metric.update(y, forest.predict_one(x))
    forest.learn_one(x, y)
model = compose.Pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression(optim.SGD(0.05)))
frame = pandas.DataFrame([{f"x{k}": value for k, value in x.items()} for x, _ in stream])
labels = pandas.Series([bool(y) for _, y in stream])
for epoch in range(40):
    for start in range(0, 3000, 150):
        model.learn_many(frame[start : start + 150], labels[start : start + 150])
show(accuracy=metric.get(), weights=model.predict_proba_many(frame).to_numpy())
