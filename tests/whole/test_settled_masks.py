"""Rows that a mask selects which settles: kept, they would be what was selected when it had not. And masks that nobody changes."""
import json

import pytest
import whole

HEAD = """
import functools
import operator
import numpy as np
random = np.random.default_rng(1)
"""
FIT = """
def fit(X, y):
    keep, w = np.ones(len(X), bool), np.zeros(X.shape[1])
    {before}
    for step in range(60):
        kept = {rows}  # rows
        error = kept @ w
        limit = 3 * np.median(np.abs(error)) + 0.5
        full = np.abs(X @ w - y)
        {change}
        w -= 0.3 * kept.T @ (error - error.mean()) / len(kept)
    return w, keep
X = random.normal(size=(20000, 40))
y = X @ random.normal(size=40)
y[:500] += 20
fit(X, y)
"""
ROWS = "X[keep]"
CHANGES = {
    "stored into": ("pass", ROWS, "keep[full > 15] = False"),
    "given its values anew": ("pass", ROWS, "keep[:] = full < 15"),
    "by where a result goes": ("pass", ROWS, "np.less(full, 15, out=keep)"),
    "by putmask()": ("pass", ROWS, "np.putmask(keep, full > 15, False)"),
    "by a closure": ("def cut(bad): keep[bad] = False", ROWS, "cut(full > 15)"),
    "by a lambda": ("cut = lambda bad: keep.__setitem__(bad, False)", ROWS, "cut(full > 15)"),
    "by what is bound to it": ("cut = functools.partial(operator.iand, keep)", ROWS, "cut(full < 15)"),
    "handed to a library": ("pass", ROWS, "operator.iand(keep, full < 15)"),
    "kept under another name": ("options = {'out': keep}", ROWS, "np.less(full, 15, **options)"),
    "selected by a function": ("pass", "np.compress(keep, X, axis=0)", "keep[full > 15] = False"),
}
STAYS = {
    "never changed": ("pass", ROWS, "pass"),
    "read alone": ("pass", ROWS, "share = keep.mean()"),
}


def findings_at_rows(tmp_path, case):
    before, rows, change = case
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(HEAD + FIT.format(before=before, rows=rows, change=change))
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    line = next(i for i, row in enumerate(path.read_text().splitlines(), 1) if row.endswith("# rows"))
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    return [finding for finding in report["findings"] if finding["line"] == line and finding["category"] == "loop-invariant computation"]


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_mask_selects_that_settles_is_no_finding(tmp_path, name):
    assert findings_at_rows(tmp_path, CHANGES[name]) == []


@pytest.mark.parametrize("name", STAYS)
def test_what_a_mask_selects_that_stays_is_one(tmp_path, name):
    (finding,) = findings_at_rows(tmp_path, STAYS[name])
    assert finding["advice"].startswith("Build it once, outside the loop at program.py:")
