"""What an inner loop makes again of each fold of a search, whose folds return with the next of its values."""
import textwrap

import pytest
from marked import NUMPY, at_a, found

FOLDS = """
data, goal = random.normal(size=(3000, 40)), random.normal(size=3000)
order = random.permutation(3000)
splits = [np.concatenate([order[:k * 600], order[(k + 1) * 600:]]) for k in range(5)]
"""
SEARCH = """
for strength in (0.1, 0.2, 0.3, 0.4):
    for rows in splits:
        fit(data[rows], goal[rows], strength)
"""
FIT = FOLDS + """
def fit(x, y, strength):
    w, level = np.zeros(40), 0.5
    for step in range(4):  # steps
        made = MADE  # A
        w -= strength * (made[:40] * w[:, None]).sum(0) / len(y)
    return w
"""
AGAIN = {
    "a product": "x.T @ x",
    "a mask": "np.where(x > level, x, 0.0)",
}
CHANGES = {
    "a mask whose level moves": FIT.replace("MADE", "np.where(x > level, x, 0.0)").replace("        w -=", "        level += 1e-12\n        w -="),
    "a mask by what the loop carries": FIT.replace("MADE", "np.where(x > w.min() - 9, x, 0.0)"),
    "what is counted in the loop itself": FOLDS + """
def fit(x, y, strength):
    w = np.zeros(40)
    for step in range(20):
        made = x[step // 4 * 100:][:80] * 2.0  # A
        w -= strength * (made[:40] * w[:, None]).sum(0) / len(y)
splits = [slice(0, 3000)]
""",
}


def program(tmp_path, source):
    return at_a(*found(tmp_path, NUMPY + textwrap.indent(source, " " * 8)))


@pytest.mark.parametrize("name", AGAIN)
def test_what_stays_for_each_fold_is_told_though_the_folds_return(tmp_path, name):
    marks, (finding,) = program(tmp_path, FIT.replace("MADE", AGAIN[name]) + SEARCH)
    assert "made 80 times, 60 times equal to the one before, from inputs that did not change in between" in finding["claim"]
    assert finding["advice"] == f"Build it once, outside the loop at program.py:{marks['steps']}."


@pytest.mark.parametrize("name", CHANGES)
def test_what_the_inner_loop_changes_is_not_told_to_stay_for_a_fold(tmp_path, name):
    _, findings = program(tmp_path, CHANGES[name] + SEARCH)
    assert [finding for finding in findings if "did not change in between" in finding["claim"]] == []


@pytest.mark.parametrize("moves", [False, True])
def test_a_long_fit_is_left_before_its_inputs_are_new(tmp_path, moves):
    """Once in 240 times, as far as numbers tell: the text says which loop goes round meanwhile, unless that one may change them."""
    fit = FIT.replace("MADE", "np.where(x > level, x, 0.0)").replace("range(4)", "range(240)")
    if moves:
        fit = fit.replace("        w -=", "        if step == 239:\n            level += 1e-12\n        w -=")
    marks, findings = program(tmp_path, fit + "for strength in (0.1, 0.2, 0.3, 0.4):\n    for k in range(3):\n        "
                              "fit(data + k + strength, goal, strength)\n")
    if moves:
        assert all(f"program.py:{marks['steps']}" not in finding["advice"] for finding in findings)
        return
    (finding,) = findings
    assert "equal to the one before, from inputs that did not change in between" in finding["claim"]
    assert finding["advice"] == f"Build it once, outside the loop at program.py:{marks['steps']}."


def test_outside_of_the_loop_that_changes_nothing_there_is_one_size(tmp_path):
    """Of five folds three have another length: what is kept by its size alone would be wrong for two of them."""
    marks, (finding,) = program(tmp_path, """
data = random.normal(size=(3000, 40))
def fit(x):
    w = np.zeros(40)
    for step in range(40):  # steps
        longest = np.linalg.norm(x * 0.5, axis=1)  # A
        w -= 1e-3 * (longest[:, None] * x).mean(0)
    return w
for strength in (0.1, 0.2, 0.3, 0.4):
    for first, last in ((0, 2400), (600, 3000), (0, 2000), (500, 2600), (100, 2700)):
        fit(data[first:last])
""")
    assert "other sizes likewise" in finding["claim"]
    assert finding["advice"] == f"Build it once, outside the loop at program.py:{marks['steps']}."


WALKER = """
class Walker:
    def __init__(self, x):
        self.x = x
    def jump(self):
        self.x += 0.5
def near(x):
    return np.exp(-np.abs(x))  # A
def walk(x):
    walker, total = Walker(x), 0.0
    for step in range(240):  # steps
        total += near(x)[step, 0]
        if step % 60 == 59:
            walker.jump()
    return total
for k in range(6):
    walk(data + k)
"""
MOVED = """
def cuts():
    level = 0.5
    while True:
        yield level
        level += 1e-12
def above(x, level):
    return x > level  # A
def fit(x):
    total, levels = 0, cuts()
    for step in range(240):  # steps
        total += above(x, next(levels)).sum() * step
    return total
for k in range(6):
    fit(np.round(data[:600] + k))
"""


@pytest.mark.parametrize("source", [WALKER, MOVED], ids=["an object that moves", "a level that next() gives"])
def test_what_the_named_loop_moves_by_ways_that_no_text_follows(tmp_path, source):
    """That something is made 6 times, and the result new 24 times, says that more than the outer loop changes it."""
    marks, findings = program(tmp_path, FOLDS + source)
    assert all("did not change in between" not in finding["claim"] for finding in findings)
    assert all(f"program.py:{marks['steps']}" not in finding["advice"] for finding in findings)
