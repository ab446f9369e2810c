"""REINFORCE in NumPy on a field with a goal: many walkers at once, returns discounted by a matrix product."""
import argparse

import numpy as np

ACTIONS = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])
LENGTH = 240
WALKERS = 16
SIDE = 9


def discounts(length, gamma):
    steps = np.arange(length)
    ahead = steps[None, :] - steps[:, None]
    return np.where(ahead >= 0, gamma ** np.maximum(ahead, 0), 0.0)


def softmax(scores):
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def walk(rng, policy):
    places = np.zeros((WALKERS, 2), dtype=int)
    visited, taken, rewards = [], [], []
    for _ in range(LENGTH):
        cells = places[:, 0] * SIDE + places[:, 1]
        odds = softmax(policy[cells])
        actions = (odds.cumsum(axis=1) < rng.random((WALKERS, 1))).sum(axis=1)
        places = np.clip(places + ACTIONS[actions], 0, SIDE - 1)
        visited.append(cells)
        taken.append(actions)
        rewards.append((places == SIDE - 1).all(axis=1).astype(float))
    return np.stack(visited), np.stack(taken), np.stack(rewards)


def update(policy, weights, visited, taken, rewards, rate):
    returns = weights @ rewards
    advantage = returns - returns.mean(axis=1, keepdims=True)
    slope = np.zeros_like(policy)
    np.add.at(slope, visited, -softmax(policy[visited.ravel()]).reshape(LENGTH, WALKERS, 4) * advantage[:, :, None])
    np.add.at(slope, (visited, taken), advantage)
    policy += rate * slope / visited.size


def train(updates):
    rng = np.random.default_rng(10)
    policy = np.zeros((SIDE * SIDE, 4))
    weights = discounts(LENGTH, 0.97)
    for number in range(1, updates + 1):
        visited, taken, rewards = walk(rng, policy)
        update(policy, weights, visited, taken, rewards, rate=20.0)
        if number % 25 == 0:
            print(f"update {number}: reward {rewards.sum(axis=0).mean():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--updates", type=int, default=100)
    train(parser.parse_args().updates)
