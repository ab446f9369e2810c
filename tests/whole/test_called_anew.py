"""A package is called with another argument in each round, and goes through the same data each time: the call is no waste, that part is."""
import pytest
from marked import NUMPY, found

PACKAGE = """
import numpy as np

def scaled(points):
    return np.tanh(points * 2.0)

class Neighbours:
    def __init__(self, count):
        self.count = count

    def fit(self, points, labels):
        self.classes = np.sort(np.tanh(labels))
        self.points = points
        return self
"""


def installed(directory):
    package = directory / "site-packages/neighbourhood"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PACKAGE)
    return {"PYTHONPATH": str(package.parent), "PIEPROF_BUDGET": "100", "PIEPROF_RATE": "1000"}


@pytest.mark.parametrize("made, advice", [
    ("Neighbours(count).fit(points, labels)", "Not all results of the call were seen to be equal: hand it what that part makes, made once, or"),
    ("Neighbours(7).fit(points, labels)", "Build it once, outside the loop at program.py:"),
])
def test_a_call_that_takes_the_loop_s_variable_is_not_to_be_made_once(tmp_path, made, advice):
    path, report = found(tmp_path, NUMPY + f"""
        from neighbourhood import Neighbours
        points, labels = random.normal(size=(500, 20)), random.normal(size=6000)
        total, other = 0.0, random.normal(size=200000)
        for round in range(6):
            for count in range(1, 60):
                model = {made}  # fitted
                total += float(model.classes[count] * count)
                other = np.arctan2(other, total) + 1  # the larger part of the run: else the package's own line leads
                other = np.arctan2(total, other)
        print(total < 1e9)
        """, **installed(tmp_path))
    fitted = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# fitted"))
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "replica"]
    assert finding["line"] == fitted and finding["advice"].startswith(advice), finding["advice"]


@pytest.mark.parametrize("rows, advice", [
    ("3000", "Build them once, before or in the first pass of the loop"),
    ("2000 + 40 * number", "Build it once, for each size, outside the loop at program.py:8."),
])
def test_what_a_package_makes_of_each_batch_is_all_of_the_call(tmp_path, rows, advice):
    """The batches come again in each epoch: what is made of them differs from round to round, by content or by size."""
    path, report = found(tmp_path, NUMPY + f"""
        from neighbourhood import scaled
        batches = [random.normal(size=({rows}, 2)) for number in range(12)]
        total, other = 0.0, random.normal(size=200000)
        for epoch in range(20):
            for batch in batches:
                total += float(scaled(batch)[0, 0])  # made
                other = np.arctan2(other, total) + 1
        print(total < 1e9)
        """, **installed(tmp_path))
    made = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# made"))
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "replica"]
    assert finding["line"] == made and finding["advice"].startswith(advice), finding["advice"]
