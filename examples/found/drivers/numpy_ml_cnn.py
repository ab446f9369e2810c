"""numpy-ml: a small convolutional network trained by its layers on handwritten digits."""

import numpy as np
import old_collections  # noqa: F401
from numpy_ml.neural_nets.layers import Conv2D, Flatten, FullyConnected, Pool2D
from numpy_ml.neural_nets.losses import CrossEntropy
from outcome import show
from sklearn.datasets import load_digits

np.random.seed(1)
images, labels = load_digits(return_X_y=True)
images = (images / 16.0).reshape(-1, 8, 8, 1)
targets = np.eye(10)[labels]
layers = [
    Conv2D(8, (3, 3), pad="same", act_fn="ReLU", optimizer="adam"),
    Pool2D((2, 2), stride=2, mode="max"),
    Conv2D(8, (3, 3), pad="same", act_fn="ReLU", optimizer="adam"),
    Flatten(),
    FullyConnected(10, act_fn="Affine(slope=1, intercept=0)", optimizer="adam"),
]
losses = []
for epoch in range(2):
    order = np.random.permutation(len(images))
    for start in range(0, 1024, 64):
        batch = order[start : start + 64]
        out = images[batch]
        for layer in layers:
            out = layer.forward(out)
        scores = out - out.max(axis=1, keepdims=True)
        odds = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        losses.append(CrossEntropy.loss(targets[batch], odds))
        grad = CrossEntropy.grad(targets[batch], odds)
        for layer in reversed(layers):
            grad = layer.backward(grad)
        for layer in layers:
            layer.update()
            layer.flush_gradients()
show(losses=losses)
