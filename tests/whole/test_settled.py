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
