"""What a mask selects anew in each pass of a loop, though a loop around it alone changes it: of one size, and of another in each round."""
import textwrap

import pytest
from marked import NUMPY, found

FOLDS = """
data = random.normal(size=(20000, 30))
goal = (data[:, 0] > 0).astype(float)
"""
UNLIKE = FOLDS + "fold = random.integers(0, 5, 20000)\n"
LIKE = FOLDS + "fold = random.permutation(20000) % 5\n"
FIT = """
def fit(k):
    w = np.zeros(30)
    for step in range(20):  # steps
        rows = data[fold != k]  # finding
        w -= 0.1 * rows.T @ (rows @ w - goal[fold != k]) / len(rows)
    return w
"""

SELECTED = {
    "folds of unlike sizes": (UNLIKE + FIT + """
for k in range(5):
    fit(k)
""", True),
    "folds of one size": (LIKE + FIT + """
for k in range(5):
    fit(k)
""", False),
    "folds of unlike sizes, on the module's level": (UNLIKE + """
for k in range(5):
    w = np.zeros(30)
    for step in range(20):  # steps
        rows = data[fold != k]  # finding
        w -= 0.1 * rows.T @ (rows @ w - 1) / len(rows)
""", True),
    "a size for each degree, not for a penalty nor a fold": ("""
x, fold = random.normal(size=(4000, 1)), random.permutation(4000) % 5
def powers(x, degree):
    return np.hstack([x ** p for p in range(1, degree)])  # finding
for degree in (20, 30, 40, 50):
    for penalty in np.logspace(-6, 1, 4):  # steps
        for k in range(5):
            part = powers(x, degree)[fold != k, :1] * penalty
""", True),
}

NONE = {
    "batches of unlike lengths, in one order": """
data = random.normal(size=(20000, 30))
ends = [0, 3000, 7000, 12000, 20000]
order = random.permutation(20000)
parts = [order[a:b] for a, b in zip(ends, ends[1:])]
w = np.zeros(30)
for epoch in range(40):
    for part in parts:
        rows = data[part]
        w -= 0.1 * rows.T @ (rows @ w - 1) / len(rows)
""",
    "two batches, the last one shorter": """
data = random.normal(size=(20000, 30))
parts = [np.arange(12000), np.arange(12000, 20000)]
w = np.zeros(30)
for epoch in range(60):
    for part in parts:
        rows = data[part]
        w -= 0.1 * rows.T @ (rows @ w - 1) / len(rows)
""",
    "members that settle, one after the other": """
data = random.normal(size=(20000, 30))
level = np.sort(random.random(20000))
limit = 0.0
for step in range(120):
    limit += (0.9 - limit) * 0.2 if step % 7 in (0, 3) else 0.0
    rows = data[level > np.round(limit, 2)]
    rows.T @ rows
""",
}


def program(tmp_path, source):
    path, report = found(tmp_path, NUMPY + textwrap.indent(source, " " * 8))
    return path.read_text().splitlines(), report["findings"]


@pytest.mark.parametrize("name", SELECTED)
def test_what_is_selected_again_is_built_before_the_loop_that_does_not_change_it(tmp_path, name):
    source, one_after_the_other = SELECTED[name]
    rows, findings = program(tmp_path, source)
    line, loop = [next(i for i, row in enumerate(rows, 1) if row.endswith(mark)) for mark in ("# finding", "# steps")]
    (first,) = [finding for finding in findings if finding["line"] == line]
    assert (first["kind"], first["category"]) == ("replica", "loop-invariant computation")
    assert first["advice"].startswith(f"Build it once, outside the loop at program.py:{loop}.")
    assert "equal to the one before, from inputs that did not change in between" in first["claim"]
    assert ("4 other sizes likewise, one after the other" in first["claim"]) == one_after_the_other
    assert "of this size" not in first["claim"]


def test_what_an_outer_loop_draws_anew_is_built_within_it(tmp_path):
    """The sizes come round with each of its passes, and each has another content then."""
    rows, findings = program(tmp_path, """
for trial in range(4):
    points = random.normal(size=(300, 2))
    for count in (100, 200, 300):
        part = points[:count]
        for k in range(15):  # steps
            d = np.sqrt(((part[:, None] - part[None]) ** 2).sum(-1))  # finding
            d[0, 0].item()
""")
    line, loop = [next(i for i, row in enumerate(rows, 1) if row.endswith(mark)) for mark in ("# finding", "# steps")]
    (finding,) = [finding for finding in findings if finding["line"] == line]
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{loop}.")


def test_an_only_loop_brings_the_sizes_itself(tmp_path):
    """A curriculum: outside of the loop that makes more of the data count, only the first of its parts would be built."""
    rows, findings = program(tmp_path, """
data = random.normal(size=(12000, 30))
w, count, step = np.zeros(30), 2000, 0
while step < 400:
    part = data[:count] - data[:count].mean(axis=0)  # finding
    w -= 0.02 * part.T @ (part @ w - 1) / count
    step += 1
    if step % 25 == 0:
        count = min(len(data), count + 600)
""")
    line = next(i for i, row in enumerate(rows, 1) if row.endswith("# finding"))
    (finding,) = [finding for finding in findings if finding["line"] == line]
    assert "other sizes likewise, one after the other" in finding["claim"]
    assert finding["advice"].startswith("Build it where its inputs change, and keep it until then.")


@pytest.mark.parametrize("name", NONE)
def test_what_is_selected_by_turns_or_by_chance_is_no_finding(tmp_path, name):
    rows, findings = program(tmp_path, NONE[name])
    gathers = [i for i, row in enumerate(rows, 1) if "rows = data[" in row]
    assert [finding for finding in findings if finding["line"] in gathers] == []


def test_sizes_that_come_round_are_not_taken_for_ones_that_stay(tmp_path):
    """Not where other places take theirs among those that are remembered, either."""
    rows, findings = program(tmp_path, """
data = random.normal(size=(20000, 30))
fold = random.integers(0, 5, 20000)
small = random.normal(size=200)
""" + "work = (" + ", ".join(f"lambda: small + {i}" for i in range(300)) + """)
for strength in range(12):
    for k in range(5):
        rows = data[fold != k]
        rows.T @ rows
        for one in work:
            one()
""")
    assert [finding for finding in findings if "one after the other" in finding["claim"]] == []


def test_little_that_comes_round_does_not_speak_for_what_stays(tmp_path):
    """The rows of a fold, scaled again in each step; and those it is scored on, once for each rate."""
    rows, findings = program(tmp_path, """
class Scaler:
    def fit(self, x):
        self.mean, self.scale = x.mean(axis=0), x.std(axis=0)
    def transform(self, x):
        return (x - self.mean) / self.scale  # finding
def fit(scaler, x, rate):
    w = np.zeros(40)
    scaler.fit(x)
    for step in range(30):  # steps
        z = scaler.transform(x)
        w -= rate * (z @ w - 1) @ z / len(z)
    return w
data, goal = random.normal(size=(4000, 40)), random.random(4000)
folds = np.array_split(random.permutation(4000), 4)
splits = [(np.concatenate(folds[:k] + folds[k + 1:]), folds[k]) for k in range(4)]
for rate in (0.1, 0.2, 0.3):
    for train, test in splits:
        scaler = Scaler()
        w = fit(scaler, data[train], rate)
        scaler.transform(data[test]) @ w
""")
    line, loop = [next(i for i, row in enumerate(rows, 1) if row.endswith(mark)) for mark in ("# finding", "# steps")]
    (finding,) = [finding for finding in findings if finding["line"] == line]
    assert finding["category"] == "loop-invariant computation"
    assert finding["claim"].startswith("938 KiB made 720 times, 696 times equal to the one before, from inputs that did not change in between")
    assert finding["advice"].startswith(f"Build it once, outside the loop at program.py:{loop}.")
