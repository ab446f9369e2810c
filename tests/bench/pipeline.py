"""A pipeline of scikit-learn - gaps filled, columns scaled and encoded, a logistic regression - on a new table in each round."""
import argparse

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMBERS, KINDS = 12, 4


def make_table(rng, count):
    numbers = rng.normal(size=(count, NUMBERS))
    kinds = rng.integers(0, 6, (count, KINDS))
    wanted = numbers @ rng.normal(size=NUMBERS) + np.sin(kinds).sum(axis=1) + rng.normal(size=count) > 0
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    return np.hstack([numbers, kinds]), wanted


def make_model(strength):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = ColumnTransformer(
        [("numbers", numbers, slice(0, NUMBERS)), ("kinds", OneHotEncoder(), slice(NUMBERS, NUMBERS + KINDS))]
    )
    return make_pipeline(columns, LogisticRegression(C=strength, max_iter=400))


def train(rounds):
    rng = np.random.default_rng(9)
    for number in range(1, rounds + 1):
        table, wanted = make_table(rng, 6000)
        scores = cross_val_score(make_model(0.1), table, wanted, cv=3)
        print(f"round {number}: accuracy {scores.mean():.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    train(parser.parse_args().rounds)
