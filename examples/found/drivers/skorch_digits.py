"""skorch: a network as a scikit-learn classifier, and its grid search."""

import numpy as np
import torch
from outcome import show
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from skorch import NeuralNetClassifier
from torch import nn

torch.manual_seed(1)
images, labels = load_digits(return_X_y=True)
images = (images / 16.0).astype(np.float32)


class Module(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(64, hidden), nn.ReLU(), nn.Dropout(0.3), nn.Linear(hidden, 10), nn.Softmax(dim=-1)
        )

    def forward(self, X):
        return self.layers(X)


network = NeuralNetClassifier(Module, max_epochs=15, lr=0.1, iterator_train__shuffle=True, verbose=0)
network.fit(images, labels)
search = GridSearchCV(
    NeuralNetClassifier(Module, max_epochs=4, verbose=0, train_split=False),
    {"lr": [0.1, 0.2], "module__hidden": [32, 64]},
    cv=3,
)
search.fit(images, labels)
show(network=network.predict_proba(images), best=search.best_score_)
