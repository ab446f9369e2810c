"""Loops that work on one element at a time, in real programs; and those that only look like it."""
import json
import re
import textwrap

import jsonschema
import pytest
import whole
from carrying_loops import CARRYING
from element_loops import COMPREHENSIONS, NUMPY, TINY, TORCH
from other_loops import NONE

SCHEMA = json.loads(whole.SCHEMA.read_text())

def profile(tmp_path, source, interpreter=whole.INTERPRETERS["debian"]):
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(textwrap.dedent(source))
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE="1000", PIEPROF_BUDGET="100")
    done = whole.execute([*interpreter.command, path], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, SCHEMA)
    assert report["run"]["health"]["samples"] > 100, "enough to find it"
    return path, report, database


def tiny(report):
    return [finding for finding in report["findings"] if finding["kind"] == "tiny_calls"]


@pytest.mark.parametrize("name", TINY)
def test_the_line_is_named(tmp_path, name):
    path, report, database = profile(tmp_path, TINY[name])
    (number,) = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")]
    (finding,) = tiny(report)
    assert (finding["line"], finding["category"]) == (number, "slice under-utilisation")
    assert finding["first"] is None and finding["object"] is None and finding["second"]["line"] == number
    line = next(line for line in report["lines"] if line["line"] == number)
    assert 0 < line["waste_s"] <= min(finding["waste_s"], line["time_s"]) + 1e-9
    assert f"the loop at program.py:{header_of(path, number)}" in finding["advice"]
    text = whole.read_report(database, "--kind", "tiny_calls")
    assert "one element or short row" in text.replace("\n        ", " ") and "tolist()" in text


@pytest.mark.parametrize("name", COMPREHENSIONS)
def test_comprehensions_are_loops(tmp_path, name):
    path, report, database = profile(tmp_path, COMPREHENSIONS[name])
    lines = path.read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith("# A")]
    (finding,) = tiny(report)
    assert "for " in "".join(lines[finding["line"] - 1:number]), "on one of its lines"
    assert finding["category"] == "slice under-utilisation" and "the comprehension at program.py:" in finding["advice"]


def test_the_time_is_the_whole_loops(tmp_path):
    """Lines that fetch an element, or only count, go with the loop."""
    path, report, database = profile(tmp_path, NUMPY + """
def work():
    above = 0
    for i in range(len(x)):
        value = x[i]
        half = value * 0.5
        if half > 0.25:
            above += 1
    return above
for again in range(12):
    work()
""")
    (finding,) = tiny(report)
    first = path.read_text().splitlines().index("    for i in range(len(x)):") + 1
    loop = [line for line in report["lines"] if first <= line["line"] < first + 5]
    assert len(loop) >= 4
    assert finding["waste_s"] == pytest.approx(sum(line["time_s"] for line in loop), rel=0.02)
    assert sum(line["waste_s"] for line in loop) == pytest.approx(finding["waste_s"], rel=0.001)
    text = whole.read_report(database)
    assert re.search(r"wasted .*element by element", text) and text.count("finding 1 above") == len(loop)


def test_a_function_of_another_file_is_known_by_what_ran(tmp_path):
    (tmp_path / "bends.py").write_text("import math\ndef bend(value):\n    return math.exp(value) if value < 0 else 1 + value\n")
    path, report, database = profile(tmp_path, NUMPY + """
from bends import bend
def work():
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = bend(x[i] - 0.5)  # A
    return y
for again in range(8):
    work()
""")
    (finding,) = tiny(report)
    assert path.read_text().splitlines()[finding["line"] - 1].endswith("# A")
    assert finding["advice"].endswith(
        " bend(), which is called for each, must then take whole arrays: np.where() in place of `if`, "
        "NumPy's functions in place of math's.")
    (body,) = [line for line in report["lines"] if line["file"].endswith("bends.py") and line["line"] == 3]
    assert body["waste_s"] == pytest.approx(body["time_s"]) and body["waste_s"] < finding["waste_s"]
    assert "finding 1 above" in whole.read_report(database)


def test_elements_that_data_choose_are_counted_by_a_call_that_can(tmp_path):
    """z[where] += x counts an element once that comes twice: that advice would change the result."""
    path, report, _ = profile(tmp_path, NUMPY + """
where = rng.integers(0, 50, len(x))
z = np.zeros(50)
def work():
    for i in range(len(x)):
        z[where[i]] += x[i]
for again in range(8):
    work()
""")
    (finding,) = tiny(report)
    assert path.read_text().splitlines()[finding["line"] - 1].strip() == "z[where[i]] += x[i]"
    assert "np.add.at()" in finding["advice"] and "slice" not in finding["advice"]


def test_what_counts_tensors_elements_is_pytorchs(tmp_path):
    path, report, _ = profile(tmp_path, TORCH + """
where = torch.randint(0, 50, (len(x),))
z = torch.zeros(50)
def work():
    for i, value in zip(where, x):
        z[i] += value
for again in range(4):
    work()
""")
    (finding,) = tiny(report)
    assert "index_put_() with accumulate=True" in finding["advice"] and "np.add.at" not in finding["advice"]


def header_of(path, number):
    lines = path.read_text().splitlines()
    return next(i for i in range(number, 0, -1) if lines[i - 1].strip().startswith(("for ", "while ")))


@pytest.mark.parametrize("name", [*NONE, *CARRYING])
def test_what_is_no_finding(tmp_path, name):
    assert tiny(profile(tmp_path, (NONE | CARRYING)[name])[1]) == []
