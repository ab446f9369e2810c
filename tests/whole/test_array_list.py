"""Tensors that are made of lists of NumPy arrays: programs whose marked lines are findings, and those that only look like it."""
import json
import textwrap

import pytest
import whole

MADE = """
    import warnings
    import numpy as np
    import torch
    warnings.simplefilter("ignore")
    random = np.random.default_rng(0)
    memory = [random.normal(size=64) for _ in range(3000)]
"""
LISTS = {
    "a batch of what a replay buffer holds": """
    for step in range(300):
        batch = [memory[k] for k in random.integers(0, 3000, 128)]
        states = torch.tensor(batch, dtype=torch.float32)  # told
    """,
    "a comprehension's, in a method": """
    class Buffer:
        def sample(self):
            return torch.FloatTensor([memory[k] for k in random.integers(0, 3000, 128)])  # told
    buffer = Buffer()
    for step in range(300):
        buffer.sample()
    """,
}
OTHERS = {
    "one array of them": """
    for step in range(2000):
        states = torch.tensor(np.stack([memory[k] for k in random.integers(0, 3000, 128)]))
    """,
    "one array": """
    for step in range(20000):
        states = torch.tensor(memory[0])
    """,
    "lists of Python's own numbers": """
    rows = [row.tolist() for row in memory]
    for step in range(300):
        states = torch.tensor(rows[step:step + 128])
    """,
    "a list of tensors": """
    memory = [torch.from_numpy(row) for row in memory]
    for step in range(2000):
        states = torch.stack(memory[step:step + 128])
    """,
}


def lists_of(report):
    return [finding for finding in report["findings"] if "PyTorch takes apart" in finding["claim"]]


def run(directory, interpreter, program):
    interpreter = whole.INTERPRETERS[interpreter]
    if interpreter.missing():
        pytest.skip(interpreter.missing())
    path, database = directory / "program.py", directory / "out.db"
    path.write_text(textwrap.dedent(MADE + program))
    done = whole.execute([*interpreter.command, path], env=whole.environment(interpreter, LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    return path.read_text().splitlines(), json.loads(whole.read_report(database, "--format", "json"))


@pytest.mark.parametrize("interpreter", ["debian", "venv"])
@pytest.mark.parametrize("name", LISTS)
def test_the_line_is_told(tmp_path, interpreter, name):
    rows, report = run(tmp_path, interpreter, LISTS[name])
    (finding,) = lists_of(report)
    assert rows[finding["line"] - 1].endswith("# told")
    assert (finding["kind"], finding["category"]) == ("tiny_calls", "slice under-utilisation")
    assert finding["advice"].startswith("Put the arrays together first")
    line = next(line for line in report["lines"] if line["line"] == finding["line"])
    assert finding["waste_s"] <= line["time_s"] * 1.001


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_finding(tmp_path, name):
    _, report = run(tmp_path, "debian", OTHERS[name])
    assert lists_of(report) == []
