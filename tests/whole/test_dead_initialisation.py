"""Buffers that are filled for nothing, in real programs: the access engine follows the stores, and knows whose object it was."""
import json
import textwrap

import jsonschema
import pytest
import whole

SCHEMA = json.loads(whole.SCHEMA.read_text())
FOLLOWED_MIN = 16  # stores of the line; a busy machine may let a run end with fewer
RUNS_MAX = 4

NUMPY = """
import numpy as np
data = np.random.default_rng(0).random((400, 400))
total = 0.0
"""
TORCH = """
import torch
torch.set_num_threads(1)
data = torch.rand(400, 400)
total = 0.0
"""

DEAD = {
    "ones, then out": NUMPY + """
        for step in range(9000):
            scaled = np.ones(data.shape)  # A
            np.multiply(data, step, out=scaled)
            total += scaled[3, 4]
        """,
    "zeros_like, then all of it": NUMPY + """
        for step in range(9000):
            scaled = np.zeros_like(data)  # A
            scaled[:] = data * step
            total += scaled[3, step % 400]
        """,
    "ones_like, then all of it, without blanks": NUMPY + """
        for step in range(9000):
            scaled = np.ones_like(data)  # A
            scaled[:]=data * step
            total += scaled[3, step % 400]
        """,
    "zeros, which calloc stores before there is an object": NUMPY + """
        for step in range(9000):
            scaled = np.zeros((400, 400))  # A
            scaled[:] = data * step
            total += scaled[3, step % 400]
        """,
    "zeros of PyTorch, then out": TORCH + """
        for step in range(12000):
            scaled = torch.zeros(400, 400)  # A
            torch.mul(data, step, out=scaled)
            total += float(scaled[3, 4])
        """,
}

USED = {
    "padding": NUMPY + """
        for step in range(4000):
            padded = np.ones((402, 402))  # A
            padded[1:-1, 1:-1] = data
            total += padded[3, 4]
        """,
    "padding with calloc's zeros": NUMPY + """
        for step in range(4000):
            padded = np.zeros((402, 402))  # A
            padded[1:-1, 1:-1] = data
            total += padded[3, 4]
        """,
    "calloc's zeros, added to": NUMPY + """
        for step in range(4000):
            summed = np.zeros(data.shape)  # A
            summed += data
            total += summed[3, 4]
        """,
    "a row of it": NUMPY + """
        for step in range(4000):
            padded = np.ones((400, 400))  # A
            padded[step % 400][:]=data[0]  # not padded[:]=data
            total += padded[3, 4]
        """,
    "added to": NUMPY + """
        for step in range(4000):
            summed = np.ones(data.shape)  # A
            np.add(summed, data, out=summed)
            total += summed[3, 4]
        """,
    "one-hot rows": TORCH + """
        labels = torch.arange(400)
        for step in range(4000):
            wanted = torch.zeros(400, 400)  # A
            wanted[labels, labels] = 1.0
            total += float((wanted * data).sum())
        """,
    "without content": NUMPY + """
        for step in range(4000):
            scaled = np.empty_like(data)  # A
            np.multiply(data, step, out=scaled)
            total += scaled[3, 4]
        """,
}


def profile(directory, source):
    directory.mkdir()
    path, database = directory / "program.py", directory / "out.db"
    head, body = source.split("total = 0.0\n")
    path.write_text(head + "total = 0.0\n" + textwrap.dedent(body))
    environment = whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), PIEPROF_RATE="1000", PIEPROF_BUDGET="100")
    done = whole.execute([whole.PYTHON, path], env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    report = json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
    jsonschema.validate(report, SCHEMA)
    (number,) = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("# A")]
    return report, number


def followed(tmp_path, source):
    """A run in which enough stores of the line were followed."""
    for run in range(RUNS_MAX):
        report, number = profile(tmp_path / str(run), source)
        if report["run"]["engines"]["access"]["on"] is False:
            pytest.skip("no access engine here: " + report["run"]["engines"]["access"]["why_off"])
        line = next(line for line in report["lines"] if line["line"] == number)
        if line["dead_stores"]["pairs"] >= FOLLOWED_MIN:
            return report, number
    pytest.fail(f"in {RUNS_MAX} runs fewer than {FOLLOWED_MIN} stores of the line were followed")


@pytest.mark.parametrize("name", DEAD)
def test_the_line_is_named(tmp_path, name):
    report, number = followed(tmp_path, DEAD[name])
    (finding,) = [finding for finding in report["findings"] if finding["kind"] == "dead_store"]
    assert (finding["category"], finding["line"]) == ("dead initialisation", number)
    assert f"program.py:{number + 1} writes all of it" in finding["advice"]
    pair = next(pair for pair in report["pairs"] if pair["verdict"] == "dead_store" and pair["first"]["line"] == number)
    assert (pair["object"]["line"], pair["second"]["line"]) == (number, number + 1)
    assert pair["object"]["size_bytes"] == finding["object"]["size_bytes"] == 400 * 400 * (4 if "PyTorch" in name else 8)


@pytest.mark.parametrize("name", USED)
def test_what_is_no_finding(tmp_path, name):
    report, _ = profile(tmp_path / "run", USED[name])
    assert [finding for finding in report["findings"] if finding["kind"] == "dead_store"] == []
