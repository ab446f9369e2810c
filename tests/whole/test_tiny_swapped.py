"""Loops over elements whose inner loop needs what its rounds before left, and whose outer one does not: they can change places."""
import pytest
from test_tiny_calls import profile, tiny

HEAD = """
import numpy as np
rng = np.random.default_rng(0)
T, N = 200, 120
r, v = rng.normal(size=(T, N)), rng.normal(size=(T + 1, N))
"""
FREE = {
    "what is carried on is a number": """
def work():
    out = np.zeros((T, N))
    for n in range(N):  # outer
        last = 0.0
        for t in reversed(range(T)):  # inner
            last = r[t, n] + 0.9 * v[t + 1, n] - v[t, n] + 0.8 * last  # A
            out[t, n] = last
    return out
""",
    "an array is": """
def work():
    out = np.zeros((T + 1, N))
    for n in range(N):  # outer
        for t in range(T - 1, -1, -1):  # inner
            out[t, n] = r[t, n] + 0.9 * v[t + 1, n] + 0.8 * out[t + 1, n]  # A
    return out
""",
    "one element of an array is": """
def work():
    out = np.zeros(N)
    for n in range(N):  # outer
        for t in range(T):  # inner
            out[n] = 0.9 * out[n] + r[t, n]  # A
    return out
""",
    "one element is multiplied and added to": """
def work():
    out = np.zeros(N)
    for n in range(N):  # outer
        for t in range(T):  # inner
            out[n] *= 0.9
            out[n] += r[t, n]  # A
    return out
""",
}
NEEDED = {
    "from row to row": """
def work():
    out, last = np.zeros((T, N)), 0.0
    for n in range(N):
        for t in range(T):
            last = r[t, n] + 0.5 * last
            out[t, n] = last
    return out
""",
    "by both": """
def work():
    out = np.zeros((N, T))
    for n in range(1, N):
        for t in range(1, T):
            out[n, t] = r[t, n] + min(out[n - 1, t], out[n, t - 1], out[n - 1, t - 1])
    return out
""",
    "by an attribute": """
class Filter:
    def __init__(self):
        self.last = 0.0
    def work(self):
        for n in range(N):
            for t in range(T):
                self.last = 0.5 * self.last + r[t, n]
        return self.last
work = Filter().work
""",
    "by weights that are learned one row after the other": """
w = rng.normal(size=T)
def work():
    for n in range(N):
        guess = 0.0
        for t in range(T):
            guess = guess * 0.99 + w[t] * r[t, n]
        w[:] = w - 1e-6 * guess * r[:, n]
    return w
""",
    "for as long as data say": """
def work():
    out = np.zeros(N)
    for n in range(N):
        last = 1.0
        for t in range(T):
            last = last * 0.9 + r[t, n]
            if last > 50:
                break
        out[n] = last
    return out
""",
}
RUN = "for again in range(20):\n    work()\n"


@pytest.mark.parametrize("name", FREE)
def test_the_loop_that_is_free_is_named(tmp_path, name):
    path, report, _ = profile(tmp_path, HEAD + FREE[name] + RUN)
    rows = {line.split("# ")[-1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "  # " in line}
    (finding,) = tiny(report)
    assert abs(finding["line"] - rows["A"]) <= 1, "of two that take elements the one where most samples are"
    assert finding["advice"] == (
        f"A round of the loop at program.py:{rows['inner']} needs what those before left, one of the loop around it at program.py:{rows['outer']} does "
        "not: keep the inner loop alone, and let each of its rounds work on a whole row or column, with what it carries on in an array.")


@pytest.mark.parametrize("name", NEEDED)
def test_what_each_round_of_both_needs_is_none(tmp_path, name):
    _, report, _ = profile(tmp_path, HEAD + NEEDED[name] + RUN)
    assert tiny(report) == []


@pytest.mark.parametrize("body, lists", [("row += 1e-3 * other", False), ("total += row[0] * other[1]", True)])
def test_lists_are_not_offered_for_what_is_stored_into(tmp_path, body, lists):
    """A list of the rows would have the sums, and the array would not."""
    _, report, _ = profile(tmp_path, f"""
import numpy as np
rng = np.random.default_rng(0)
x, y = rng.normal(size=(3000, 30)), rng.normal(size=(3000, 30))
def work():
    total = 0.0
    for row, other in zip(x, y):
        {body}
    return total
for again in range(150):
    work()
""")
    (finding,) = tiny(report)
    assert finding["advice"].startswith("Let one call work on the whole array, or on a slice of it, in place of the loop at program.py:")
    assert ("tolist()" in finding["advice"]) == lists
