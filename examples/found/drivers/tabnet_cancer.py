"""pytorch-tabnet: its classifier on the breast cancer data, standardised."""

import warnings

from outcome import show
from pytorch_tabnet.tab_model import TabNetClassifier
from sklearn.datasets import load_breast_cancer

warnings.filterwarnings("ignore")
inputs, labels = load_breast_cancer(return_X_y=True)
inputs = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
model = TabNetClassifier(verbose=0, seed=0)
held_out = [(inputs[400:], labels[400:])]
model.fit(inputs[:400], labels[:400], eval_set=held_out, max_epochs=20, patience=20, batch_size=128, virtual_batch_size=64)
show(best=model.best_cost, scores=model.predict_proba(inputs[400:]))
