"""Lines that store what another call has just stored there, in real programs; and those that only look like it."""
import json
import textwrap

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())
FOLLOWED_MIN = 30  # stores of the line; a busy machine may let a run end with fewer
RUNS_MAX = 4

HEAD = """
import numpy as np
rng = np.random.default_rng(0)
table = rng.random(40000)
sparse = np.where(rng.random(40000) < 0.004, table, 0.0)
buffer = np.empty(40000)
total = 0.0
def clear(buffer):
    buffer.fill(0.0)  # helper
"""

AGAIN = {
    "filled twice": """
        for step in range(20000):
            buffer.fill(0.0)  # first
            buffer.fill(0.0)  # A
            np.add(buffer, table, out=buffer)
        """,
    "by a slice, the second one": """
        for step in range(20000):
            np.ndarray.fill(buffer, 0.0)  # first
            buffer[:] = 0.0  # A
            buffer += table
        """,
    "copied twice": """
        for step in range(20000):
            np.copyto(buffer, table)  # first
            np.copyto(buffer, table)  # A
            buffer += 1.0
        """,
}

USED = {
    "read in between": """
        for step in range(12000):
            buffer.fill(0.0)
            total += buffer.sum()
            buffer.fill(0.0)  # A
            buffer += table
        """,
    "changed in between": """
        for step in range(12000):
            buffer.fill(0.0)
            np.add(buffer, table, out=buffer)
            buffer.fill(0.0)  # A
            buffer += table
        """,
    "a sparse result over a cleared buffer": """
        for step in range(16000):
            buffer.fill(0.0)
            np.multiply(sparse, 2.0, out=buffer)  # A
            total += buffer[step]
        """,
    "one fill, over what sparse updates left alone": """
        places = np.flatnonzero(sparse)
        for step in range(20000):
            buffer.fill(0.0)  # A
            buffer[places] = step
            total += buffer[places[3]]
        """,
}


def profile(directory, source):
    directory.mkdir()
    path, database = directory / "program.py", directory / "out.db"
    path.write_text(HEAD + textwrap.dedent(source))
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE="1000", PIEPROF_BUDGET="100")
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, SCHEMA)
    return report, {line.split("# ")[1]: number for number, line in enumerate(path.read_text().splitlines(), 1) if "# " in line}


def followed(tmp_path, source, mark="A"):
    """A run in which enough stores of the line were followed."""
    for run in range(RUNS_MAX):
        report, marks = profile(tmp_path / str(run), source)
        if report["run"]["engines"]["access"]["on"] is False:
            pytest.skip("no access engine here: " + report["run"]["engines"]["access"]["why_off"])
        line = next(line for line in report["lines"] if line["line"] == marks[mark])
        if line["redundant_stores"]["pairs"] >= FOLLOWED_MIN:
            return report, marks
    pytest.fail(f"in {RUNS_MAX} runs fewer than {FOLLOWED_MIN} stores of the line were followed")


def stored_again(report):
    return [finding for finding in report["findings"] if finding["kind"] == "redundant_store"]


@pytest.mark.parametrize("name", AGAIN)
def test_the_line_is_named(tmp_path, name):
    report, marks = followed(tmp_path, AGAIN[name])
    (finding,) = stored_again(report)
    assert (finding["line"], finding["category"]) == (marks["A"], "repeated native call with the same arguments")
    assert f"what program.py:{marks['first']} had stored" in finding["claim"] and finding["fraction"] > 0.97
    assert f"program.py:{marks['first']}" in finding["advice"]


def test_a_function_that_is_called_twice(tmp_path):
    """The stores are of one line: the calls of it tell the two ways apart."""
    source = """
        for step in range(20000):
            clear(buffer)  # first
            clear(buffer)  # A
            np.add(buffer, table, out=buffer)
        """
    report, marks = followed(tmp_path, source, "helper")
    (finding,) = stored_again(report)
    assert finding["line"] == marks["helper"] and f"Leave one of the two out, this one or program.py:{marks['first']}." == finding["advice"]
    assert [frame["line"] for frame in finding["second"]["frames"] if frame.get("line")][:2] == [marks["A"], marks["helper"]]


@pytest.mark.parametrize("name", USED)
def test_what_is_used_or_changed_is_none(tmp_path, name):
    report, _ = followed(tmp_path, USED[name])
    assert stored_again(report) == []
