"""What a package's function makes as it is, it fills itself: that takes the time, and no line of the program has to move along."""
import pytest
from marked import NUMPY, at_a, found

PACKAGE = """
import numpy as np

def powers(x, degree):
    out = np.empty((x.shape[0], x.shape[1] * degree))
    parts = np.split(out, degree, axis=1)
    for power in range(degree):
        np.power(x, power + 1.5, parts[power])
    return out
"""


LAYER = """
import numpy

def with_library(function):
    def wrapped(*words, **settings):
        return function(*words, library=numpy, **settings)
    return wrapped

@with_library
def empty(shape, library):
    return library.empty(shape)
"""


@pytest.mark.parametrize("layer", [False, True])
def test_filling_counts_with_what_is_filled(tmp_path, layer):
    """Also where the package has a layer of its own over NumPy's functions."""
    package = tmp_path / "site-packages/expansions"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from . import arrays" + PACKAGE.replace("np.empty(", "arrays.empty(") if layer else PACKAGE)
    (package / "arrays.py").write_text(LAYER)
    path, report = found(tmp_path, NUMPY + """
        from expansions import powers
        table = np.abs(random.normal(size=(3000, 14)))
        def score(weight):
            total, other = 0.0, np.abs(random.normal(size=(6000, 42)))
            for step in range(300):
                total += float((powers(table, 3)[:, 0] * weight).sum())  # filled
                other = np.power(other, 0.999)
                other = np.arctan2(other, total) + 1
                other = np.arctan2(total, other)
            return total
        print(score(0.5) > 0)
        """, PYTHONPATH=str(package.parent))
    filled = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# filled"))
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "replica"]
    (line,) = [line for line in report["lines"] if line["line"] == filled]
    assert finding["line"] == filled
    assert finding["waste_s"] > 0.7 * (line["native_s"] + line["python_s"] + line["boundary_s"])
    assert "stores into it" not in finding["advice"]


def test_what_compiled_code_fills_takes_its_time(tmp_path):
    """scikit-learn's compiled search has NumPy's full() make room for its results, from Python code of NumPy's."""
    path, report = found(tmp_path, NUMPY + """
        from sklearn.neighbors import KNeighborsRegressor
        points, queries, model = random.normal(size=(3000, 8)), random.normal(size=(3000, 8)), KNeighborsRegressor(9, algorithm="brute")
        model.fit(points, points[:, 0])
        total = 0.0
        for step in range(12):
            total += step * float(model.predict(queries).sum())  # searched
        """, OMP_NUM_THREADS="1")
    searched = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# searched"))
    told_s = sum(finding["waste_s"] for finding in report["findings"] if finding["kind"] == "replica" and
                 searched in (finding["line"], (finding["caller"] or {}).get("line")))
    search_s = max(line["native_s"] for line in report["lines"])
    assert told_s > 0.7 * search_s > 0


SCALER = """
import numpy as np

def scaled(x, mean, scale):
    x = np.array(x, copy=True)
    x -= mean
    x /= scale
    return x
"""


@pytest.mark.parametrize("call, category, advice", [
    ("scaled(table, 0.5, 2.0)", "loop-invariant computation", "Build it once, outside the loop at program.py:"),
    ("table.copy()", "API misuse", "Copy it once, outside the loop at program.py:"),
])
def test_a_package_that_copies_what_it_works_on_makes_more_of_it(tmp_path, call, category, advice):
    """Most of the time is another line's: of one that takes half of it the package's own lines would lead."""
    package = tmp_path / "site-packages/scaling"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(SCALER)
    path, report = found(tmp_path, NUMPY + f"""
        from scaling import scaled
        table, total = random.normal(size=(3000, 14)), 0.0
        for step in range(300):
            total += random.normal(size=60000).sum()
            total += float({call}[step, 0])  # A
        """, PYTHONPATH=str(package.parent))
    _, (finding,) = at_a(path, report)
    assert finding["category"] == category and finding["advice"].startswith(advice)
