"""How processes ended, in a report that is read while the last of them ends."""
import json

import whole

TRACKED = """import multiprocessing
if __name__ == "__main__":
    multiprocessing.get_context("spawn").Semaphore(1)  # its resource tracker ends some milliseconds after the program
"""


def test_what_ends_while_it_is_read_is_not_told_to_be_killed(tmp_path):
    (tmp_path / "tracked.py").write_text(TRACKED)
    for number in range(8):
        database = tmp_path / f"{number}.db"
        done = whole.execute([whole.PYTHON, tmp_path / "tracked.py"], env=whole.environment(LD_PRELOAD=str(whole.SHIM), PIEPROF_OUT=str(database)))
        assert done.returncode == 0 and not done.stderr, done.stderr
        processes = json.loads(whole.read_report(database, "--format", "json"))["run"]["processes"]
        assert {process["state"] for process in processes} <= {"exit", "running"}, processes
