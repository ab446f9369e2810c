"""np.vectorize() is a loop over elements: told where what it calls could take the whole array."""
import pytest
from element_loops import NUMPY
from test_tiny_calls import profile, tiny

CALL = """
for again in range(30):
    y = f(x)  # A
"""
TOLD = {
    "the greater and the less": ("""
f = np.vectorize(lambda v: min(max(v, 0.2), 0.8), otypes=[float])
""", "the lambda", "."),
    "a formula": ("""
import math
def bend(v):
    return 1 / (1 + math.exp(-v))
f = np.vectorize(bend)
""", "bend()", ": NumPy's functions in place of math's."),
    "a lambda": ("""
f = np.vectorize(lambda v: v * v + 1)
""", "the lambda", "."),
    "one that decides, by a decorator": ("""
@np.vectorize
def f(v):
    if v > 0.5:
        return v
    return 0.1 * v
""", "f()", ": np.where() in place of `if`."),
}
NONE = {
    "what is looked up": """
names = {number: number * 2 for number in range(10)}
f = np.vectorize(lambda v: names[int(v * 10)])
""",
    "rows, by a signature": """
x = x.reshape(-1, 10)
f = np.vectorize(lambda row: row.max() - row.min(), signature="(n)->()", otypes=[float])
""",
    "whole numbers that are made of the results": """
f = np.vectorize(lambda v: v * 10 + 3, otypes=[int])
""",
    "text": """
x = x.astype(str)
f = np.vectorize(lambda v: v.upper())
""",
    "one that remembers": """
class Meter:
    def __init__(self):
        self.mean = 0.0
    def take(self, v):
        self.mean = 0.9 * self.mean + 0.1 * v
        return self.mean
f = np.vectorize(Meter().take)
""",
}


@pytest.mark.parametrize("name", TOLD)
def test_the_call_is_named(tmp_path, name):
    definition, called, instead = TOLD[name]
    path, report, database = profile(tmp_path, NUMPY + definition + CALL)
    (number,) = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")]
    (finding,) = tiny(report)
    assert (finding["line"], finding["category"]) == (number, "slice under-utilisation")
    assert f"np.vectorize() calls {called} for each" in finding["claim"]
    assert finding["advice"].startswith(f"Call {called} on the whole array, without np.vectorize(); it must then take arrays{instead}")
    assert finding["waste_s"] > 0.7 * report["totals"]["time_s"]["total"]


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_finding(tmp_path, name):
    _, report, _ = profile(tmp_path, NUMPY + NONE[name] + CALL)
    assert tiny(report) == []
