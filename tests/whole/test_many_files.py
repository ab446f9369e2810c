"""Programs that generate code make more files, by name, than the table of source files has places for."""
import json
from pathlib import Path

import whole

WORKER = """
import time
import numpy as np
def work():
    end = time.thread_time() + 1
    while time.thread_time() < end:
        np.sqrt(np.arange(4000.0) * 2 + 1)
"""

PROGRAM = """
import numpy as np
kept, rows = [], np.arange(3000.0)
for i in range(6000):
    scope = {"np": np}
    exec(compile(f"def made_{i}(rows):\\n    return np.sqrt(rows) + {i}\\n", f"<generated {i}>", "exec"), scope)
    scope[f"made_{i}"](rows)
    kept.append(scope)
from worker import work
work()
"""


def test_code_of_files_without_a_place_is_named(tmp_path):
    """The module that works is imported when all places are taken: its time is its lines' all the same."""
    database = tmp_path / "out.db"
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "program.py").write_text(PROGRAM)
    done = whole.execute([whole.PYTHON, tmp_path / "program.py"], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
    assert (done.returncode, done.stderr) == (0, "")
    run = json.loads(whole.read_report(database, "--format", "json"))
    assert run["run"]["health"]["dropped"]["table_full"] > 0
    lines = {(Path(line["file"]).name, line["function"]): line for line in run["lines"] if line["time_s"] > 0.5}
    assert ("worker.py", "work") in lines, run["totals"]["time_s"]
    assert 0.8 < lines["worker.py", "work"]["time_s"] < 1.2 and lines["worker.py", "work"]["source"] == "disk"
