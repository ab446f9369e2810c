"""pyswarms and cmaes: a network's weights by a particle swarm, Rosenbrock's valley by CMA-ES."""

import logging

import numpy as np
import pyswarms
from cmaes import CMA
from outcome import show
from sklearn.datasets import load_iris

logging.disable(logging.CRITICAL)  # what pyswarms prints holds the time
np.random.seed(0)
inputs, labels = load_iris(return_X_y=True)


def loss(weights):
    hidden = np.tanh(inputs @ weights[:80].reshape(4, 20) + weights[80:100])
    odds = np.exp(hidden @ weights[100:160].reshape(20, 3) + weights[160:])
    return -np.log(odds[range(len(labels)), labels] / odds.sum(axis=1)).mean()


how = {"c1": 0.5, "c2": 0.3, "w": 0.9}
swarm = pyswarms.single.GlobalBestPSO(n_particles=100, dimensions=163, options=how)
best, place = swarm.optimize(lambda swarm: np.array([loss(weights) for weights in swarm]), iters=300, verbose=False)

search = CMA(mean=np.zeros(40), sigma=1.3, seed=1)
for generation in range(400):
    told = []
    for _ in range(search.population_size):
        point = search.ask()
        told.append((point, np.sum(100 * (point[1:] - point[:-1] ** 2) ** 2 + (1 - point[:-1]) ** 2)))
    search.tell(told)
show(best=best, place=place, valley=np.array([value for _, value in told]))
