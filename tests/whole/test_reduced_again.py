"""Small results that are computed again from an array that stays, in real programs; and those that only look like it."""
import textwrap

import followed
import pytest

FOLLOWED_MIN = 60  # loads of the line

NUMPY = """
import numpy as np
rng = np.random.default_rng(0)

def shifted(points, rows):
    return points[rows] - points.mean(axis=0)  # A

def train(points, sides, steps):
    weights = np.zeros(points.shape[1])
    for step in range(steps):  # loop
        rows = rng.integers(0, len(points), 32)
        weights += 0.01 * shifted(points, rows).T @ sides[rows]
    return weights

points = rng.normal(1.0, 2.0, size=(30000, 20))
print(train(points, np.sign(points[:, 0]), 400 * longer))
"""
NUMPY_FIXED = """
import numpy as np
rng = np.random.default_rng(0)

def train(points, sides, steps):
    weights = np.zeros(points.shape[1])
    mean = points.mean(axis=0)
    for step in range(steps):
        rows = rng.integers(0, len(points), 32)
        weights += 0.01 * (points[rows] - mean).T @ sides[rows]  # A
    return weights

points = rng.normal(1.0, 2.0, size=(30000, 20))
print(train(points, np.sign(points[:, 0]), 4000 * longer))
"""
TORCH = """
import torch
torch.manual_seed(0)
words = torch.randn(60000, 16)
kinds = (words[:, 0] > 0).long()
net = torch.nn.Linear(16, 2)
steps = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(300 * longer):  # loop
    rows = torch.randint(0, len(words), (64,))
    guess = net(words[rows] / words.norm())  # A
    loss = torch.nn.functional.cross_entropy(guess, kinds[rows])
    steps.zero_grad()
    loss.backward()
    steps.step()
print(loss.item())
"""
TORCH_FIXED = TORCH.replace(" / words.norm()", " / length").replace("net = ", "length = words.norm()\nnet = ")

NAMED = """
import numpy as np
rng = np.random.default_rng(0)

def balance(labels, count):
    counts = np.bincount(labels, minlength=count)  # A
    return counts.sum() / (count * counts)

points, classes = rng.normal(size=(100000, 8)), 3
kinds, hot = (points[:, 0] > 1).astype(int) + (points[:, 1] > 1), np.eye(classes)
weights = np.zeros((8, classes))
for step in range(2000 * longer):  # loop
    rows = rng.integers(0, len(points), 64)
    guess = np.exp(points[rows] @ weights)
    guess /= guess.sum(1, keepdims=True)
    weights -= 0.1 * points[rows].T @ ((guess - hot[kinds[rows]]) * balance(kinds, classes)[kinds[rows], None]) / 64
print(weights.sum())
"""
OTHERS = {
    "the mean of each batch": """
        for step in range(6000 * longer):
            rows = rng.integers(0, len(points), 4000)
            batch = points[rows]
            total += batch.mean()  # A
        """,
    "rows that are gathered": """
        for step in range(20000 * longer):
            total += points[rng.integers(0, len(points), 500)].max()  # A
        """,
    "batches by turns, as in each epoch": """
        for epoch in range(60 * longer):
            for at in range(0, len(points), 3000):
                batch = points[at:at + 3000]
                total += batch.mean()  # A
        """,
    "weights that change": """
        weights = points.copy()
        for step in range(500 * longer):
            total += weights.mean()  # A
            weights *= 0.999
        """,
    "one row that changes": """
        for step in range(600 * longer):
            total += points.mean()  # A
            points[step % 100] += 1
        """,
    "by a function, one row": """
        def renew(some, at):
            some[at % 100] += 1
        for step in range(600 * longer):
            total += points.mean()  # A
            renew(points, step)
        """,
    "by a function on a line, one row": """
        def renew(at): points[at % 100] += 1
        for step in range(600 * longer):
            total += points.mean()  # A
            renew(step)
        """,
    "by another name, one row": """
        first = points[:100]
        for step in range(600 * longer):
            total += points.mean()  # A
            first[step % 100] += 1
        """,
    "another quantile each time": """
        for step in range(150 * longer):
            total += np.quantile(points, step % 100 / 100)  # A
        """,
    "a result that is changed in place": """
        for step in range(600 * longer):
            center = points.mean(axis=0)  # A
            center += step
            total += center[0]
        """,
    "a result that its function returns": """
        def center_of(some):
            center = some.mean(axis=0)  # A
            return center
        for step in range(600 * longer):
            moved = center_of(points)
            moved *= 0.5
            total += moved[0]
        """,
    "a result that a function changes": """
        def move(row, by):
            row += by
        for step in range(600 * longer):
            center = points.mean(axis=0)  # A
            move(center, step)
            total += center[0]
        """,
    "results that are kept, each to be changed": """
        centers = []
        for step in range(600 * longer):
            center = points.mean(axis=0)  # A
            centers.append(center)
        for step, row in enumerate(centers):
            row += step
        """,
    "a broadcast row": """
        row = rng.normal(size=4000)
        table = np.empty((400, 4000))
        for step in range(300 * longer):
            np.add(points[0, 0], row, out=table)  # A
        """,
}
HEAD = """
import numpy as np
rng = np.random.default_rng(0)
points = rng.normal(size=(30000, 10))
total = 0.0
"""


def reduced_again(report):
    return [finding for finding in report["findings"] if finding["kind"] == "redundant_load"]


@pytest.mark.parametrize("source", [NUMPY, TORCH, NAMED], ids=["numpy", "torch", "by a name"])
def test_the_line_is_first(tmp_path, source):
    report, marks = followed.followed(tmp_path, source, "redundant_loads", FOLLOWED_MIN)
    first = report["findings"][0]
    assert (first["line"], first["kind"], first["category"]) == (marks["A"], "redundant_load", "loop-invariant computation")
    assert f"outside the loop at program.py:{marks['loop']}" in first["advice"]
    assert first["waste_s"] > 0.1 * report["totals"]["time_s"]["total"] and first["fraction"] > 0.9


@pytest.mark.parametrize("source", [NUMPY_FIXED, TORCH_FIXED], ids=["numpy", "torch"])
def test_the_fixed_version_has_none(tmp_path, source):
    report, _ = followed.profile(tmp_path / "fixed", source, 4)
    assert report["findings"] == []


@pytest.mark.parametrize("name", OTHERS)
def test_what_changes_is_none(tmp_path, name):
    report, marks = followed.profile(tmp_path / "other", HEAD + textwrap.dedent(OTHERS[name]), 4)
    assert reduced_again(report) == [] and any(line["line"] == marks["A"] for line in report["lines"])
