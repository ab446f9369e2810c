"""autograd: its neural-network example on handwritten digits."""

import autograd.numpy as np
import autograd.numpy.random as npr
from autograd import grad
from autograd.misc.flatten import flatten
from autograd.misc.optimizers import adam
from autograd.scipy.special import logsumexp
from outcome import show
from sklearn.datasets import load_digits


def init_random_params(scale, layer_sizes, rs=npr.RandomState(0)):
    return [(scale * rs.randn(m, n), scale * rs.randn(n)) for m, n in zip(layer_sizes[:-1], layer_sizes[1:])]


def neural_net_predict(params, inputs):
    for W, b in params:
        outputs = np.dot(inputs, W) + b
        inputs = np.tanh(outputs)
    return outputs - logsumexp(outputs, axis=1, keepdims=True)


def l2_norm(params):
    flattened, _ = flatten(params)
    return np.dot(flattened, flattened)


def log_posterior(params, inputs, targets, L2_reg):
    log_prior = -L2_reg * l2_norm(params)
    log_lik = np.sum(neural_net_predict(params, inputs) * targets)
    return log_prior + log_lik


def accuracy(params, inputs, targets):
    target_class = np.argmax(targets, axis=1)
    predicted_class = np.argmax(neural_net_predict(params, inputs), axis=1)
    return np.mean(predicted_class == target_class)


images, labels = load_digits(return_X_y=True)
images, targets = images / 16.0, np.eye(10)[labels]
train_images, train_labels, test_images, test_labels = images[:1500], targets[:1500], images[1500:], targets[1500:]
batch_size, num_epochs = 128, 60
init_params = init_random_params(0.1, [64, 200, 100, 10])
num_batches = int(np.ceil(len(train_images) / batch_size))


def batch_indices(iter):
    idx = iter % num_batches
    return slice(idx * batch_size, (idx + 1) * batch_size)


def objective(params, iter):
    idx = batch_indices(iter)
    return -log_posterior(params, train_images[idx], train_labels[idx], 1.0)


accuracies = []


def print_perf(params, iter, gradient):
    if iter % num_batches == 0:
        accuracies.append(accuracy(params, train_images, train_labels))
        accuracies.append(accuracy(params, test_images, test_labels))


optimized = adam(grad(objective), init_params, step_size=0.001, num_iters=num_epochs * num_batches, callback=print_perf)
show(accuracies=accuracies, weights=optimized[0][0])
