"""What public packages taught (examples/found): each false finding, reduced to a small program that must have none, and each
waste that was passed over, which must be found."""
import json
import textwrap

import pytest
import whole

HEAD = """
import numpy as np
random = np.random.default_rng(1)
"""

# Ordinary programs whose every finding would be false.
INNOCENT = {
    # The gather of an epoch's batches, in one order. On a stripped NumPy the native function has no name.
    "batches": """
        data, order = random.normal(size=(1000, 64)), random.permutation(1000)
        mean = np.zeros(64)
        for epoch in range(60):
            for start in range(0, 1000, 125):
                batch = data[order[start : start + 125]]
                mean = mean + 1e-3 * (batch.sum(axis=0) - mean)
        """,
    # The last batch of an epoch is shorter, and alone of its size: equal to the one before of that size. (skorch, net.py:1274)
    "a shorter last batch": """
        data, order = random.normal(size=(1000, 64)), random.permutation(1000)
        mean = np.zeros(64)
        for epoch in range(60):
            for start in range(0, 1000, 600):
                batch = data[order[start : start + 600]]
                mean = mean + 1e-3 * (batch.sum(axis=0) - mean)
        """,
    # A value settles. Before, each of its many contents equalled its operand, as a copy does. (POT, optim.py:354)
    "a plateau of sums with zero": """
        target, zero, x = random.normal(size=30000), np.zeros(30000), random.normal(size=30000)
        for step in range(400):
            slope = x - target
            direction = zero + slope
            if step < 40:
                x = x - 0.1 * direction
        """,
    # One native function is the entrance to all of NumPy's element-wise ones. Nothing was negative. (POT, backend.py:1298)
    "another function of the same entrance": """
        for step in range(400):
            distance = np.sqrt(random.normal(size=30000) ** 2)
            size = np.abs(distance)
        """,
    # Terms that happen to be zero: the second sum is not the first made again, it changes nothing. (mlxtend, multilayerperceptron.py:243)
    "neutral operands": """
        first = second = total = 0.0
        for step in range(400):
            entropy = random.normal(size=30000)
            cost = entropy + second + first
            total += cost.sum()
        """,
    # Nobody gave weights, so each is one, and the product equals its operand. (lifelines, fitters/__init__.py:1427)
    "a weight of one": """
        weights, total = np.ones(30000), 0.0
        for step in range(400):
            rate, time = random.normal(size=30000), random.normal(size=30000)
            hazard = rate * time
            loss = weights * hazard
            total += loss.sum()
        """,
    # The observed states are the states, so both products equal the covariance. (pykalman, standard.py:280)
    "an identity around a product, each on a line of its own": """
        observed, total = np.eye(64), 0.0
        for step in range(400):
            covariance = random.normal(size=(64, 64))
            seen = (
                np.dot(
                    observed,
                    np.dot(covariance, observed.T),
                )
                + step
            )
            total += seen.sum()
        """,
    # The same as a method of PyTorch's.
    "a scale of one": """
        import torch
        scale, total = torch.ones(30000), 0.0
        for step in range(400):
            rate, time = torch.rand(30000), torch.rand(30000)
            hazard = rate.mul(time)
            loss = hazard.mul(scale)
            total += loss.sum().item()
        """,
    # The check finds nothing in any batch, so its result is all false: that is the data's doing. (river, scale.py:346)
    "a check that never fails": """
        data, total = random.normal(size=300000), 0.0
        for step in range(1500):
            batch = data * (1.0 + step)
            large = np.greater(batch, step)
            total += np.count_nonzero(large)
            del large
            missing = np.isnan(batch)
            total += np.count_nonzero(missing)
            del missing
        """,
    # Buffers made as zeros and filled by others: their maker computed nothing. (autograd, numpy_vspaces.py:22)
    "sums into zeros": """
        def zeros(size):
            return np.zeros(size)

        def grow(parts):
            held = [zeros(len(part)) for part in parts]
            for buffer, part in zip(held, parts):
                buffer += part
            return held

        for step in range(1200):
            first = grow([random.random(50000)])
            outer = grow(first)
            last = grow(outer)
        """,
    # Each point has its final centre from the first round on; centres and distances go on to change for one more.
    "k-means that settles at once": """
        points = np.concatenate([random.standard_normal((6000, 8)) + 6 * group for group in range(4)])
        centres, lengths, spread = points[[5, 7000, 13000, 20000]].copy(), (points**2).sum(1)[:, None], 0.0
        for step in range(150):
            distances = lengths - 2 * (points @ centres.T) + (centres**2).sum(1)
            nearest = distances.argmin(1)
            for group in range(4):
                centres[group] = points[nearest == group].mean(0)
            spread += distances.min()
        """,
    # The error changes in each step, its sign never.
    "signs that stay": """
        target, x, total = random.normal(size=30000), np.zeros(30000), 0.0
        for step in range(400):
            error = (x - target) * 0.99
            side = np.sign(error)
            x = target + error
            total += side[step]
        """,
}

# Waste that stood behind something else; the line that ends in "# waste" must be a finding.
WASTEFUL = {
    # More sites than the shim has places for, as a compiler at work makes. (pomegranate, whose import has numba compile)
    "behind many sizes": """
        for size in range(1024, 40000):
            np.empty(size, np.uint8)
        total = 0.0
        for step in range(400):
            table = np.arange(30000) * 0.5  # waste
            total += table[step]
        """,
    # The first product is beside the second, but no operand of it.
    "beside its first result": """
        total = 0.0
        for step in range(400):
            rate, time = random.normal(size=30000), random.normal(size=30000)
            hazard = rate * time
            total += (hazard + rate * time)[step]  # waste
        """,
    # Its name is in the second expression, but what it holds does not go in.
    "named by its shape alone": """
        total = 0.0
        for step in range(400):
            rate, time = random.normal(size=30000), random.normal(size=30000)
            hazard = rate * time
            again = rate[: len(hazard)] * time  # waste
            total += again[step] + hazard[step]
        """,
    # It changes, but its shape does not.
    "of a shape alone": """
        x, total = random.normal(size=(300, 300)), 0.0
        for step in range(400):
            scores = x * step
            mask = np.tri(len(scores))  # waste
            total += (scores * mask)[0, 0]
        """,
}


def programs(named):
    return [pytest.param(source, id=name) for name, source in named.items()]


def findings(directory, source):
    path, database = directory / "program.py", directory / "out.db"
    path.write_text(HEAD + textwrap.dedent(source))
    changes = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database)}
    done = whole.execute([whole.PYTHON, path], env=whole.environment(**changes))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    return path, [(finding["line"], finding["category"]) for finding in report["findings"]]


@pytest.mark.parametrize("source", programs(INNOCENT))
def test_a_false_finding_is_gone(tmp_path, source):
    assert findings(tmp_path, source)[1] == []


@pytest.mark.parametrize("source", programs(WASTEFUL))
def test_waste_is_not_passed_over(tmp_path, source):
    path, found = findings(tmp_path, source)
    lines = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# waste")]
    assert [line for line, _ in found] == lines


PACKAGE = """
import numpy as np

def fit(data, target):
    small = data.astype(np.float32)
    best = 0.0
    for column in range(60):
        best = max(best, target @ target)
    return best + small[0, 0]
"""

CALLER = """
import package
data, best = random.normal(size=(300, 30)), 0.0
for step in range(500):
    best += package.fit(data, random.random(50000))
    best -= package.fit(data, random.random(50000))
"""


def test_a_part_of_a_call_wastes_its_own_time(tmp_path):
    """Only a cast inside the call repeats, a hundredth of it. (ngboost, ngboost.py:193: a cast inside scikit-learn's fit)"""
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "package.py").write_text(PACKAGE)
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(HEAD + CALLER)
    changes = {"LD_PRELOAD": str(whole.SHIM), "PIEPROF_OUT": str(database), "PYTHONPATH": str(packages)}
    done = whole.execute([whole.PYTHON, path], env=whole.environment(**changes))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    assert sum(finding["waste_s"] for finding in report["findings"]) < 0.1 * report["totals"]["time_s"]["total"]
