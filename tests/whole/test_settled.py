"""A choice that stays for a while: what it selects has a size of its own each time, and each size by itself looks as if it never changed."""
import json

import pytest
import whole

PROGRAM = """
import numpy as np
rng = np.random.default_rng(3)
X = rng.normal(size=(4000, 20))
y = np.where(X[:, 0] + 0.3 * rng.normal(size=4000) > 0, 1.0, -1.0)
w = np.zeros(20)
for step in range(400):
    margin = y * (X @ w)
    active = {active}
    chosen = X[active] * y[active, None]  # made
    gradient = w - chosen.mean(axis=0) * 20
    w = w - 0.1 / (1 + 0.1 * step) ** 2 * gradient
print(w.sum())
"""


def lines_of(tmp_path, active):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(PROGRAM.format(active=active))
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    (made,) = [line for line in report["lines"] if line["line"] == 10]
    return made["replicas"], report["findings"]


@pytest.mark.parametrize("active", ["np.flatnonzero(margin < 1)", "np.nonzero(margin < 1)[0]", "np.where(margin < 1)[0]", "margin < 1"])
def test_what_a_mask_selects_is_no_finding(tmp_path, active):
    """The margins are new in each step; whether they choose others is what training converges to."""
    replicas, findings = lines_of(tmp_path, active)
    assert replicas["objects"] > 100, replicas
    assert findings == []


def test_what_is_selected_by_what_never_changes_is(tmp_path):
    _, findings = lines_of(tmp_path, "np.flatnonzero(X[:, 1] < 1)")
    assert {finding["line"] for finding in findings} >= {9, 10}


AT_FIRST_ALL = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(8000, 50))
y = np.sign(X @ rng.normal(size=50) + rng.normal(size=8000))
w = np.zeros(50)
for step in range(1, 320):
    margin = y * (X @ w)
    active = margin < 1  # all of them, for long
    chosen = X[active]
    w -= 0.0011 * (w * 1e-3 - (chosen * y[active][:, None]).mean(axis=0))
print(w.sum())
"""
PACE = """
import numpy as np
rng = np.random.default_rng(0)
X, level, pace, total = rng.normal(size=(8000, 50)), rng.random(8000) + (np.arange(8000) % 2) * 10, 2.0, 0.0
for step in range(300):
    use = level < pace
    total += float(X[use].sum())
    pace += 0.005
print(total)
"""
FEW_SIZES = """
import numpy as np
rng = np.random.default_rng(0)
X, y, total = rng.normal(size=(8000, 50)), rng.integers(0, 3, size=8000), 0.0
for step in range(100):
    for label in range(3):
        chosen = X[y == label]
        total += float((np.log1p(np.abs(chosen)) * step).sum())
print(total)
"""


def findings_of(tmp_path, source):
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(source)
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))["findings"]


@pytest.mark.parametrize("source", [AT_FIRST_ALL, PACE], ids=["a mask of one value", "a number that grows"])
def test_what_stays_while_its_inputs_move_is_no_finding(tmp_path, source):
    assert findings_of(tmp_path, source) == []


def test_what_each_of_three_classes_selects_is(tmp_path):
    assert 8 in {finding["line"] for finding in findings_of(tmp_path, FEW_SIZES)}
