"""Programs that make a buffer and finish it on other lines: their rows are marked."""
import json
import textwrap

import whole

HEAD = """
import numpy as np
base = np.random.default_rng(0).random(100000)
total = 0.0
"""


def measured(tmp_path, source, *options):
    """The rows of the program, and its report."""
    path, database = tmp_path / "program.py", tmp_path / "out.db"
    path.write_text(HEAD + textwrap.dedent(source))
    done = whole.execute([whole.PYTHON, path], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    return path.read_text().splitlines(), json.loads(whole.read_report(database, "--format", "json", *options))


def row_of(lines, mark):
    (number,) = [number for number, line in enumerate(lines, 1) if f"# {mark}" in line]
    return number
