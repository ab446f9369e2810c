"""autograd: its Gaussian-process and Gaussian-mixture examples, by gradient."""

import autograd.numpy as np
import autograd.numpy.random as npr
import autograd.scipy.stats.multivariate_normal as mvn
from autograd import grad, value_and_grad
from autograd.misc.optimizers import adam
from autograd.scipy.special import logsumexp
from outcome import show
from scipy.optimize import minimize


def rbf_covariance(kernel_params, x, xp):
    output_scale = np.exp(kernel_params[0])
    lengthscales = np.exp(kernel_params[1:])
    diffs = np.expand_dims(x / lengthscales, 1) - np.expand_dims(xp / lengthscales, 0)
    return output_scale * np.exp(-0.5 * np.sum(diffs**2, axis=2))


def log_marginal_likelihood(params, x, y):
    mean, noise_scale, cov_params = params[0], np.exp(params[1]) + 0.0001, params[2:]
    cov_y_y = rbf_covariance(cov_params, x, x) + noise_scale * np.eye(len(y))
    prior_mean = mean * np.ones(len(y))
    return mvn.logpdf(y, prior_mean, cov_y_y)


def gaussian_process():
    rs = npr.RandomState(0)
    X = rs.uniform(0, 6, (250, 2))
    y = np.sin(X[:, 0]) + np.cos(X[:, 1]) + 0.1 * rs.randn(250)
    objective = lambda params: -log_marginal_likelihood(params, X, y)
    return minimize(value_and_grad(objective), 0.1 * rs.randn(5), jac=True, method="CG", options={"maxiter": 20}).x


def mixture():
    rs = npr.RandomState(0)
    data = np.concatenate([rs.randn(500, 2) * 0.5 + center for center in ([0, 0], [3, 3], [0, 4])])
    params = {"logits": rs.randn(5) * 0.1, "means": rs.randn(5, 2), "lower": np.zeros((5, 2, 2)) + np.eye(2)}

    def log_likelihood(params, iter):
        terms = []
        for log_weight, mean, lower in zip(
            params["logits"] - logsumexp(params["logits"]), params["means"], params["lower"]
        ):
            terms.append(log_weight + mvn.logpdf(data, mean, np.dot(lower.T, lower)))
        return -np.sum(logsumexp(np.vstack(terms), axis=0))

    return adam(grad(log_likelihood), params, step_size=0.05, num_iters=300)


show(process=gaussian_process(), means=mixture()["means"])
