"""Programs whose marked lines are the findings of a category, and no other line is, whatever its weight."""
import json
import textwrap

import whole

CATEGORIES = {
    "# invariant": "loop-invariant computation",
    "# recomputed": "recomputed input",
    "# repeated": "repeated native call with the same arguments",
    "# copied": "API misuse",
}

NUMPY = """
import numpy as np
random = np.random.default_rng(0)
"""

TORCH = """
import torch
from torch import nn
from torch.nn import functional
torch.manual_seed(0)
"""


def marks(path):
    lines = path.read_text().splitlines()
    return {(number, CATEGORIES[mark]) for number, line in enumerate(lines, 1) for mark in CATEGORIES if line.endswith(mark)}


def rows_of(path):
    """{mark: row} of the rows that end with "# mark"."""
    rows = enumerate(path.read_text().splitlines(), 1)
    return {row.split("# ")[1]: number for number, row in rows if "# " in row}


def at_a(path, report):
    """The marked rows, and the findings at the one that is marked "# A"."""
    marks = rows_of(path)
    return marks, [finding for finding in report["findings"] if finding["line"] == marks["A"]]


def found(directory, source, **changes):
    path, database = directory / "program.py", directory / "out.db"
    head, _, body = source.partition("\n        ")
    path.write_text(head + "\n" + textwrap.dedent("        " + body))
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database), **changes))
    assert (done.returncode, done.stderr) == (0, "")
    return path, json.loads(whole.read_report(database, "--format", "json", "--min-waste", "0"))
